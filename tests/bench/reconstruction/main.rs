//! `cargo bench --bench reconstruction`: the moves that this decoder, simpler methods, and this decoder without some of its parts read
//! in simulated games, from the same bytes in the same run; and the cost of the decoder.

#[path = "../counting.rs"]
mod counting;
mod events;
mod follow;
mod lookup;
#[allow(dead_code, reason = "the bench of the core uses more of it")]
#[path = "../measure.rs"]
mod measure;
mod methods;
mod options;
mod ours;
mod output;
mod reachable;
mod report;
mod sheets;
mod simulation;
mod speed;
mod tally;
mod unidentified;

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use options::Options;

fn main() -> io::Result<()> {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(problem) => return Err(io::Error::new(io::ErrorKind::InvalidInput, problem)),
    };
    let mut text = String::new();
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    if options.unidentified {
        unidentified::tables(&options, cores, &mut text)?;
        write!(io::stdout().lock(), "{text}")?;
        return std::fs::write(folder().join("unidentified.txt"), &text);
    }
    let sets = sheets::all(&options, &mut text)?;
    if options.follow {
        follow::tables(&sets, &mut text);
        return write!(io::stdout().lock(), "{text}");
    }
    if options.cost {
        speed::measure(&sets, &mut text);
        return write!(io::stdout().lock(), "{text}");
    }
    let tally = simulation::all(&sets, &options, cores);
    report::tables(&tally, &mut text);
    speed::measure(&sets, &mut text);
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    let folder = folder();
    std::fs::write(folder.join("reconstruction.txt"), &text)?;
    std::fs::write(folder.join("reconstruction.json"), report::json(&tally))?;
    writeln!(out, "\nwritten to {}", folder.join("reconstruction.{txt,json}").display())
}

/// The folder of builds: this program lies in its `release/deps`.
fn folder() -> PathBuf {
    let program = std::env::current_exe().ok();
    program.as_deref().and_then(|path| path.ancestors().nth(3)).map_or_else(|| PathBuf::from("target"), Path::to_path_buf)
}
