//! Reads outputs back from journal files, for a receiver that was away for longer than outputs are kept in memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Audience, Body, parse_bytes, parse_header};

use super::name::FileName;
use super::standing::Standing;

/// The largest length of a line that is read, in bytes, with its line feed. A journal writes no longer line.
const MAX_LINE: u64 = trace::MAX_LINE as u64 + 1;

/// A numbered output as it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// Its number in the audience's series.
    pub number: u64,
    /// When its cause happened.
    pub at: Instant,
    /// Where it goes.
    pub topic: String,
    /// JSON.
    pub payload: String,
}

/// Returns the outputs of one audience from the number `from` on, at most `most`, and whether there are no more now. It reads the
/// journal in `dir` line by line while another thread may be writing it, and skips lines that are no records.
///
/// # Errors
/// The directory or a file cannot be read.
pub fn outs_from(dir: &Path, audience: Audience, from: u64, most: usize) -> io::Result<(Vec<Out>, bool)> {
    let mut names: Vec<FileName> = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        names.extend(entry?.file_name().to_str().and_then(FileName::parse));
    }
    names.sort();
    let files: Vec<String> = names.iter().map(ToString::to_string).collect();
    // The head of a file holds the highest numbers of the files before it, so reading begins with the last file that began below
    // `from`.
    let mut first = 0;
    for (index, file) in files.iter().enumerate().rev() {
        if highest_before(&dir.join(file), audience)? < from {
            first = index;
            break;
        }
    }
    let mut outs = Vec::new();
    for file in &files[first..] {
        let mut lines = Lines::open(&dir.join(file))?;
        while let Some(line) = lines.next_line()? {
            let Ok(record) = parse_bytes(line) else { continue };
            let Body::Out { number, audience: of, topic, payload, .. } = record.body else { continue };
            if of != audience || number < from {
                continue;
            }
            if outs.len() == most {
                return Ok((outs, false));
            }
            outs.push(Out { number, at: record.at, topic: topic.to_owned(), payload: payload.to_owned() });
        }
    }
    Ok((outs, true))
}

/// Returns the audience's highest number in the files before this one.
fn highest_before(file: &Path, audience: Audience) -> io::Result<u64> {
    let mut standing = Standing::default();
    let mut lines = Lines::open(file)?;
    // The first line names the format.
    lines.next_line()?;
    while let Some(line) = lines.next_line()? {
        let Ok(header) = parse_header(line) else { break };
        // A header line of another writer changes nothing.
        let _ = standing.read_header(&header);
    }
    Ok(standing.next_out(audience) - 1)
}

struct Lines {
    file: BufReader<File>,
    line: Vec<u8>,
}

impl Lines {
    fn open(file: &Path) -> io::Result<Lines> {
        Ok(Lines { file: BufReader::new(File::open(file)?), line: Vec::new() })
    }

    /// Returns the next whole line without its line feed.
    fn next_line(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        io::Read::take(&mut self.file, MAX_LINE).read_until(b'\n', &mut self.line)?;
        // A line without a line feed is still being written.
        Ok(self.line.strip_suffix(b"\n"))
    }
}
