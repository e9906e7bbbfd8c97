//! What the owners of links want of the radio, from any thread.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Outlet, Sink, Wanted};

/// What the owner of a link wants.
pub(super) enum Order {
    /// A new link.
    Join { id: u64, wanted: Wanted, sink: Sink, outlet: Outlet },
    /// Another device.
    Want { id: u64, wanted: Wanted },
    /// No device any more.
    Leave { id: u64 },
}

/// Orders that wait. At most three for each link: of those for another device only the last counts.
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
    /// Leaves an order. Never blocks.
    pub(super) fn give(&self, order: Order) {
        let mut queue = self.lock();
        if let Order::Want { id, .. } = order {
            queue.waiting.retain(|waiting| !matches!(waiting, Order::Want { id: other, .. } if *other == id));
        }
        queue.waiting.push_back(order);
        drop(queue);
        self.bell.notify_one();
    }

    /// No more orders come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.bell.notify_one();
    }

    /// The next order; none at the end.
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
        // Nothing between lock and unlock can panic halfway.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
