//! `cargo bench --bench bridge`: the cost of the daemon, compared with a yardstick that only copies bytes from ports to a broker.
//!
//! Daemon, yardstick, mosquitto and the boards are processes of their own; the subscriber is in this one. Daemon and yardstick run in turns,
//! with the same games. `cargo test` builds this program too, since `tests/soak --taste` runs its smallest scene.

mod boards;
#[cfg(feature = "outputs")]
mod collected;
mod growth;
mod latency;
mod listener;
#[cfg(feature = "outputs")]
mod livechess;
mod plies;
mod process;
mod scenes;
mod stage;
mod table;
mod yardstick;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use scenes::Lengths;

fn main() -> std::io::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, broker, ports @ ..] = arguments.as_slice()
        && role == "--yardstick"
    {
        let broker = broker.parse().expect("a port number");
        yardstick::run(broker, ports.iter().map(Into::into).collect());
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = std::io::stdout().lock();
    if arguments == ["taste"] {
        return plies::taste(&mut out);
    }
    // `cargo bench` says so; anything else is a run of all tests, of which here is none.
    if !arguments.iter().any(|argument| argument == "--bench") {
        writeln!(out, "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out")?;
        return Ok(ExitCode::SUCCESS);
    }
    let long = arguments.iter().any(|argument| argument == "--long");
    let lengths = if long { Lengths::LONG } else { Lengths::SHORT };
    let broker =
        if cfg!(feature = "broker") { "with the embedded broker in it, switched off" } else { "without embedded broker" };
    writeln!(out, "the daemon is a build {broker}\n")?;
    table::heading("daemon", &mut out)?;
    let only = arguments.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    for (name, scene) in scenes::ALL.iter().copied() {
        if only.is_none_or(|only| format!("{name},").contains(only)) {
            for row in scene(lengths) {
                row.print(&mut out)?;
            }
            out.flush()?;
            process::pause(Duration::from_millis(200));
        }
    }
    Ok(ExitCode::SUCCESS)
}
