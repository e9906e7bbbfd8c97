//! `cargo bench --bench core`: the time, allocations and memory of the core, compared with goals and with a yardstick.
//!
//! The yardstick is the least work with the same bytes: it copies them and computes their CRC-32. It is measured in the same run, in
//! turns with the core, so the ratios can be compared between machines; the times cannot.

mod counting;
mod feed;
mod files;
mod measure;
mod messages;
mod stream;

use std::io::Write;
use std::time::Duration;

use measure::Table;

/// The length of the game for all measurements.
const LENGTH: Duration = Duration::from_secs(2 * 3600);
/// The seed of the game, which is always the same.
const SEED: u64 = 20_26;

fn main() -> std::io::Result<()> {
    let pieces = stream::game(LENGTH, SEED);
    let mut table = Table::default();
    messages::measure(&pieces, &mut table);
    files::replay(&pieces, &mut table);
    files::restart(&pieces, &mut table);
    let mut out = std::io::stdout().lock();
    let presses = pieces.iter().filter(|piece| piece.kind == stream::Kind::Press).count();
    writeln!(out, "a game of {} s: {} messages, {presses} of them presses\n", LENGTH.as_secs(), pieces.len())?;
    table.print(&mut out)
}
