//! Tests the turns of tasks: their order, deadlines, tasks that hang, and the number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

struct Turns<F>(F);

impl<F: FnMut() -> Next + Send> Work for Turns<F> {
    fn turn(&mut self) -> Next {
        self.0()
    }
}

/// A scheduler that ends with this value.
struct Running(Arc<Scheduler>);

impl Running {
    fn begin(&self, turn: impl FnMut() -> Next + Send + 'static) -> u64 {
        let task = self.0.reserve();
        self.0.begin(task, Box::new(Turns(turn)));
        task
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn running() -> (Running, SyncSender<u64>, Receiver<u64>) {
    let (sender, receiver) = sync_channel(2_000);
    (Running(Arc::default()), sender, receiver)
}

/// The second turn only returns when it is released.
fn hang(released: &Arc<AtomicBool>) -> impl FnMut() -> Next + Send + 'static {
    let (released, mut first) = (Arc::clone(released), true);
    move || {
        if std::mem::take(&mut first) {
            return Next::Now;
        }
        while !released.load(Ordering::SeqCst) {
            std::thread::park_timeout(Duration::from_millis(5));
        }
        Next::End
    }
}

#[test]
fn a_task_has_a_turn_for_each_wake_and_ends() {
    let (scheduler, sender, turns) = running();
    let mut count = 0;
    let task = scheduler.begin(move || {
        count += 1;
        sender.send(count).expect("a receiver");
        if count == 4 { Next::End } else { Next::Wait(None) }
    });
    assert_eq!(turns.recv_timeout(PATIENCE), Ok(1));
    for expected in 2..=4 {
        scheduler.0.wake(task);
        assert_eq!(turns.recv_timeout(PATIENCE), Ok(expected));
    }
    // The sender is dropped with the task.
    assert!(turns.recv_timeout(PATIENCE).is_err());
    assert!(!scheduler.0.has(task));
    scheduler.0.wake(task);
}

/// The wake comes while the task has its turn: it must have another one, and not at the same time.
#[test]
fn a_wake_during_a_turn_is_not_lost() {
    let (scheduler, sender, turns) = running();
    let own = Arc::clone(&scheduler.0);
    let (mut count, overlapping) = (0, AtomicUsize::new(0));
    let task = scheduler.0.reserve();
    scheduler.0.begin(
        task,
        Box::new(Turns(move || {
            assert_eq!(overlapping.fetch_add(1, Ordering::SeqCst), 0);
            count += 1;
            if count < 1_000 {
                own.wake(task);
            }
            overlapping.fetch_sub(1, Ordering::SeqCst);
            if count == 1_000 {
                sender.send(count).expect("a receiver");
            }
            Next::Wait(None)
        })),
    );
    assert_eq!(turns.recv_timeout(PATIENCE), Ok(1_000));
}

#[test]
fn deadlines_come_in_their_order_and_an_earlier_one_counts() {
    let (scheduler, sender, turns) = running();
    let began = system_clock::monotonic();
    for millis in [60, 20, 40] {
        let sender = sender.clone();
        let due = began.after(Duration::from_millis(millis));
        scheduler.begin(move || {
            if system_clock::monotonic() < due {
                return Next::Wait(Some(due));
            }
            sender.send(millis).expect("a receiver");
            Next::End
        });
    }
    assert_eq!([(); 3].map(|()| turns.recv_timeout(PATIENCE)), [Ok(20), Ok(40), Ok(60)]);
}

/// More tasks hang than there are threads for short turns, and all others go on; when those that hang are released, their threads end.
#[test]
fn tasks_that_hang_do_not_stop_the_others() {
    let (scheduler, sender, turns) = running();
    let released = Arc::new(AtomicBool::new(false));
    for _ in 0..2 * threads() {
        scheduler.begin(hang(&released));
    }
    let mut count = 0;
    scheduler.begin(move || {
        count += 1;
        sender.send(count).expect("a receiver");
        if count == 5 { Next::End } else { Next::Wait(Some(system_clock::monotonic().after(Duration::from_millis(1)))) }
    });
    let until = system_clock::monotonic().after(PATIENCE);
    let mut seen = 0;
    while seen < 5 {
        assert!(system_clock::monotonic() < until, "{seen} turns");
        scheduler.0.check();
        seen = turns.recv_timeout(Duration::from_millis(10)).unwrap_or(seen);
    }
    released.store(true, Ordering::SeqCst);
    while scheduler.0.lock().threads.len() > threads() {
        assert!(system_clock::monotonic() < until, "the threads do not end");
        std::thread::yield_now();
    }
}

#[test]
fn a_thousand_tasks_have_as_many_threads_as_one() {
    let (scheduler, sender, turns) = running();
    let tasks: Vec<u64> = (0..1_000)
        .map(|number| {
            let sender = sender.clone();
            scheduler.begin(move || {
                sender.send(number).expect("a receiver");
                Next::Wait(None)
            })
        })
        .collect();
    let mut first: Vec<u64> = (0..1_000).map(|_| turns.recv_timeout(PATIENCE).expect("a turn")).collect();
    first.sort_unstable();
    assert_eq!(first, (0..1_000).collect::<Vec<_>>());
    tasks.iter().for_each(|task| scheduler.0.wake(*task));
    (0..1_000).for_each(|_| assert!(turns.recv_timeout(PATIENCE).is_ok()));
    // A turn that took long on a busy machine has a further thread.
    assert!(scheduler.0.lock().last_thread <= threads() as u64 + 10);
}

#[test]
fn a_task_that_panics_ends_alone() {
    let (scheduler, sender, turns) = running();
    let task = scheduler.begin(|| std::panic::resume_unwind(Box::new("the fault of this test")));
    let until = system_clock::monotonic().after(PATIENCE);
    while scheduler.0.has(task) {
        assert!(system_clock::monotonic() < until);
        std::thread::yield_now();
    }
    scheduler.begin(move || {
        sender.send(1).expect("a receiver");
        Next::End
    });
    assert_eq!(turns.recv_timeout(PATIENCE), Ok(1));
}

#[test]
fn closing_drops_all_work() {
    let (scheduler, sender, turns) = running();
    let waiting = sender.clone();
    let task = scheduler.begin(move || {
        waiting.send(1).expect("a receiver");
        Next::Wait(None)
    });
    assert_eq!(turns.recv_timeout(PATIENCE), Ok(1));
    drop(sender);
    scheduler.0.close();
    assert!(turns.recv_timeout(PATIENCE).is_err(), "the work still has its sender");
    scheduler.0.wake(task);
}
