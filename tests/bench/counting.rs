//! Counters of the allocations of this thread, and of the bytes that it holds.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

fn count(calls: u64, bytes: i64) {
    // A thread that is ending has no counters any more.
    let _ = CALLS.try_with(|count| count.set(count.get() + calls));
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: every call goes on to the system's allocator unchanged. `realloc` and `alloc_zeroed` are the trait's own, made of these.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub(crate) fn calls() -> u64 {
    CALLS.get()
}

/// Bytes that this thread has allocated and not given back.
pub(crate) fn live() -> i64 {
    LIVE.get()
}
