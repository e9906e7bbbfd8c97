//! What a campaign sees of a listener that runs in a thread of the same process. A task that panics ends alone and the listener goes on,
//! so only the hook of panics tells.

use std::fs;
use std::panic::{set_hook, take_hook};
use std::sync::{Mutex, Once};

use crate::support::seeds::ordinary;

/// By how much the memory of the process may grow after the first seed, in bytes.
const GROWTH: u64 = 32 << 20;

/// The names of the threads in which something has panicked.
static PANICKED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The memory of the process after the first seed, and the hook that notes panics.
pub(super) struct Watched {
    first: Option<u64>,
}

impl Watched {
    pub(super) fn new() -> Watched {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = take_hook();
            set_hook(Box::new(move |panic| {
                let thread = std::thread::current().name().unwrap_or_default().to_owned();
                PANICKED.lock().expect("no panic").push(thread);
                before(panic);
            }));
        });
        Watched { first: None }
    }

    /// Fails if the memory of the process grows from seed to seed. In an ordinary run other tests share the process.
    pub(super) fn after(&mut self, inputs: u64) -> u64 {
        if !ordinary() {
            let status = fs::read_to_string("/proc/self/status").expect("this process runs");
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
            let now = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10;
            let first = *self.first.get_or_insert(now);
            assert!(now <= first + GROWTH, "the memory of the process grew from {first} to {now} bytes");
        }
        inputs
    }
}

/// Fails if something has panicked in the program's thread of this name.
#[track_caller]
pub(super) fn assert_no_panic(thread: &str) {
    let panicked = PANICKED.lock().expect("no panic").iter().any(|name| name == thread);
    assert!(!panicked, "something panicked in the thread {thread}");
}
