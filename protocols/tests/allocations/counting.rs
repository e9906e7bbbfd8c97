//! Counts the allocations of each thread, so that tests that run at the same time do not disturb each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The allocations of one thread. A block that another thread frees counts in that thread; the tests here use one thread.
#[derive(Clone, Copy)]
struct Counts {
    calls: usize,
    /// The bytes that the thread holds. The number is below zero if the thread freed more than it allocated.
    live: isize,
    /// The most bytes held since this field was last set.
    peak: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { calls: 0, live: 0, peak: 0 }) };
}

struct Counting;

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no counter any more, so its calls are not counted.
        let _ = COUNTS.try_with(|counts| {
            let Counts { calls, live, peak } = counts.get();
            let live = live + layout.size() as isize;
            counts.set(Counts { calls: calls + 1, live, peak: peak.max(live) });
        });
        // SAFETY: the caller keeps the same contract for the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        let _ = COUNTS.try_with(|counts| {
            let now = counts.get();
            counts.set(Counts { live: now.live - layout.size() as isize, ..now });
        });
        // SAFETY: the caller keeps the same contract for the system's allocator.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns how often this thread allocates while `work` runs.
pub(crate) fn during(work: impl FnOnce()) -> usize {
    let before = COUNTS.get().calls;
    work();
    COUNTS.get().calls - before
}

/// Returns how many bytes more than before `work` this thread holds after it, and the most it holds during it.
pub(crate) fn held(work: impl FnOnce()) -> (isize, isize) {
    let mut counts = COUNTS.get();
    let before = counts.live;
    counts.peak = before;
    COUNTS.set(counts);
    work();
    let Counts { live, peak, .. } = COUNTS.get();
    (live - before, peak - before)
}
