//! Passes orders from the owners of links to the thread of the radio. Any thread may send an order.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Outlet, Sink, Wanted};

/// An order from the owner of a link.
pub(super) enum Order {
    /// A new link.
    Join { id: u64, wanted: Wanted, sink: Sink, outlet: Outlet },
    /// The link wants another device.
    Want { id: u64, wanted: Wanted },
    /// The link ends.
    Leave { id: u64 },
}

/// The waiting orders. Each link has at most three, because only its last order for another device is kept.
#[derive(Default)]
pub(super) struct Orders {
    queue: Mutex<Queue>,
    bell: Notify,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Order>,
    closed: bool,
}

impl Orders {
    /// Adds an order. This never blocks.
    pub(super) fn give(&self, order: Order) {
        let mut queue = self.lock();
        if let Order::Want { id, .. } = order {
            queue.waiting.retain(|waiting| !matches!(waiting, Order::Want { id: other, .. } if *other == id));
        }
        queue.waiting.push_back(order);
        drop(queue);
        self.bell.notify_one();
    }

    /// Closes the queue: no more orders come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.bell.notify_one();
    }

    /// Returns the next order, or `None` after the queue was closed.
    pub(super) async fn next(&self) -> Option<Order> {
        loop {
            {
                let mut queue = self.lock();
                if let Some(order) = queue.waiting.pop_front() {
                    return Some(order);
                }
                if queue.closed {
                    return None;
                }
            }
            self.bell.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // No code between lock and unlock can panic halfway.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
