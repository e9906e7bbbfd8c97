//! Counts what each thread asks for, so that tests beside each other do not count for one another.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What a thread has asked for. A block that another thread gives back counts there: what is counted here has one thread.
#[derive(Clone, Copy)]
struct Counts {
    calls: usize,
    /// Bytes held; below zero if more was given back than asked for.
    live: isize,
    /// The most bytes held since it was last set.
    peak: isize,
}

thread_local! {
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { calls: 0, live: 0, peak: 0 }) };
}

struct Counting;

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no counter any more; nobody counts there.
        let _ = COUNTS.try_with(|counts| {
            let Counts { calls, live, peak } = counts.get();
            let live = live + layout.size() as isize;
            counts.set(Counts { calls: calls + 1, live, peak: peak.max(live) });
        });
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        let _ = COUNTS.try_with(|counts| {
            let now = counts.get();
            counts.set(Counts { live: now.live - layout.size() as isize, ..now });
        });
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often this thread allocates while `work` runs.
pub(crate) fn during(work: impl FnOnce()) -> usize {
    let before = COUNTS.get().calls;
    work();
    COUNTS.get().calls - before
}

/// What this thread holds after `work`, and the most it holds meanwhile, in bytes beyond what it held before.
pub(crate) fn held(work: impl FnOnce()) -> (isize, isize) {
    let mut counts = COUNTS.get();
    let before = counts.live;
    counts.peak = before;
    COUNTS.set(counts);
    work();
    let Counts { live, peak, .. } = COUNTS.get();
    (live - before, peak - before)
}
