//! `cargo bench --bench screens`: the pages in a Chromium, while two hundred boards play blitz; the yardstick is a page that only
//! receives and parses the same messages (`tests/bench/README.md`).

#[path = "../measure.rs"]
#[allow(dead_code, reason = "the bench of the core uses more of it")]
mod measure;
#[path = "../bridge/process.rs"]
#[allow(dead_code, reason = "the bench of the bridge uses more of it")]
mod process;
#[path = "../../daemon/rig.rs"]
#[allow(dead_code, reason = "the tests of the daemon use it")]
mod rig;
#[path = "../../screens/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of the pages use more of it")]
mod stage;
#[path = "../../support/mod.rs"]
mod support;
#[path = "../bridge/table.rs"]
#[allow(dead_code, reason = "the bench of the bridge has goals in yardsticks")]
mod table;

mod alarms;
mod game;
mod hall;
mod heap;
mod loading;
mod page;
mod tasks;
mod thread;
mod traffic;

use std::io::Write;
use std::time::Duration;

use hall::Hall;
use table::Row;

/// The boards of the hall.
const BOARDS: usize = 200;

/// How long and how often something is measured.
struct Lengths {
    /// How often each page is loaded.
    loads: usize,
    /// For how long the main thread is watched.
    watched: Duration,
    /// The number of alarms.
    alarms: usize,
    /// For how long the heap is watched.
    heap: Duration,
}

type Scene = fn(&Hall, &Lengths) -> Vec<Row>;

const SCENES: [(&str, Scene); 5] = [
    ("loading", loading::measure),
    ("thread", thread::measure),
    ("tasks", tasks::measure),
    ("alarms", alarms::measure),
    ("heap", heap::measure),
];

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The number after an option of this name.
    let number = |name: &str, otherwise: u64| {
        let after = arguments.iter().skip_while(|argument| *argument != name).nth(1);
        after.map_or(otherwise, |text| text.parse().unwrap_or_else(|error| panic!("{name} {text}: {error}")))
    };
    let lengths = Lengths {
        loads: number("--loads", 10) as usize,
        watched: Duration::from_secs(number("--seconds", 30)),
        alarms: number("--alarms", 100) as usize,
        heap: Duration::from_secs(60 * number("--minutes", 4)),
    };
    // The bench is called with an argument of cargo's own, `--bench`, at the end.
    let only = arguments.first().filter(|argument| !argument.starts_with('-')).map(String::as_str);
    if !stage::driver::has_browser() {
        return Ok(());
    }
    let hall = Hall::open(BOARDS);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{BOARDS} boards, a half-move every three seconds and two clocks a second each; load average {}\n", load())?;
    table::heading("page", &mut out)?;
    for (_, scene) in SCENES.iter().filter(|(name, _)| only.is_none_or(|only| name.contains(only))) {
        for row in scene(&hall, &lengths) {
            row.print(&mut out)?;
        }
        out.flush()?;
    }
    writeln!(out, "\n{:.0} messages a second; load average {}", hall.traffic.rate(), load())
}

/// The load average of this machine over 1, 5 and 15 minutes.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
