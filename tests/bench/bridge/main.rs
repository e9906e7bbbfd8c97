//! `cargo bench --bench bridge`: the cost of the daemon, compared with a yardstick that only copies bytes from ports to a broker.
//!
//! Daemon, yardstick and mosquitto are processes of their own; the boards and the subscriber are in this one. Daemon and
//! yardstick run in turns, with the same games.

mod boards;
#[cfg(feature = "outputs")]
mod collected;
mod latency;
mod listener;
#[cfg(feature = "outputs")]
mod livechess;
mod process;
mod scenes;
mod table;
mod yardstick;

use std::io::Write;
use std::time::Duration;

use scenes::Lengths;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, broker, ports @ ..] = arguments.as_slice()
        && role == "--yardstick"
    {
        let broker = broker.parse().expect("a port number");
        yardstick::run(broker, ports.iter().map(Into::into).collect());
        return Ok(());
    }
    let long = arguments.iter().any(|argument| argument == "--long");
    let lengths = if long { Lengths::LONG } else { Lengths::SHORT };
    let mut out = std::io::stdout().lock();
    let broker =
        if cfg!(feature = "broker") { "with the embedded broker in it, switched off" } else { "without embedded broker" };
    writeln!(out, "the daemon is a build {broker}\n")?;
    table::heading("daemon", &mut out)?;
    let only = arguments.iter().find(|argument| !argument.starts_with('-')).map(String::as_str);
    for (name, scene) in scenes::ALL.iter().copied() {
        if only.is_none_or(|only| name.contains(only)) {
            for row in scene(lengths) {
                row.print(&mut out)?;
            }
            out.flush()?;
            process::pause(Duration::from_millis(200));
        }
    }
    Ok(())
}
