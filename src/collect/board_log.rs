//! Keeps the boards of a round in a file that grows by what has changed, until it is written anew (`collect/README.md#2`).
//!
//! A line has the id of a board, how many bytes of the text before stay, the checksum of the new text, and the rest of it:
//! `12 5120 0a1b2c3d …`. The text is the board as JSON, without a line break in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flagfall_protocols::bytes::crc32;

use super::model::RoundBoards;
use crate::files;

/// The file is written anew when it has this many bytes more than three times the texts of all boards.
const SPARE: usize = 64 << 10;

/// The file of one round and audience.
#[derive(Debug)]
pub(super) struct BoardLog {
    path: PathBuf,
    /// The end of the file; none = it must be written anew.
    file: Option<File>,
    /// The bytes in the file.
    length: usize,
    /// The last text of each board.
    texts: BTreeMap<String, String>,
}

impl BoardLog {
    pub(super) fn new(path: &Path) -> BoardLog {
        BoardLog { path: path.to_owned(), file: None, length: 0, texts: BTreeMap::new() }
    }

    /// The last text of each board in such a file, and the number of lines that are of no use: torn or damaged, or continuing such a line.
    pub(super) fn read(bytes: &[u8]) -> (BTreeMap<String, String>, usize) {
        let (mut texts, mut damaged) = (BTreeMap::<String, String>::new(), 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").and_then(|line| continued(&texts, std::str::from_utf8(line).ok()?));
            damaged += usize::from(text.is_none());
            texts.extend(text);
        }
        (texts, damaged)
    }

    /// Writes what has changed.
    ///
    /// # Errors
    /// The file cannot be written; the next time everything is written.
    pub(super) fn save(&mut self, boards: &RoundBoards) -> io::Result<()> {
        let mut lines = String::new();
        for (id, board) in &boards.boards {
            let text = serde_json::to_string(board)?;
            let before = self.texts.entry(id.clone()).or_default();
            if *before != text {
                write_line(&mut lines, id, before, &text);
                *before = text;
            }
        }
        let whole: usize = self.texts.values().map(String::len).sum();
        match self.file.take() {
            Some(file) if lines.is_empty() => self.file = Some(file),
            Some(mut file) if self.length + lines.len() <= 3 * whole + SPARE => {
                file.write_all(lines.as_bytes())?;
                file.sync_data()?;
                self.length += lines.len();
                self.file = Some(file);
            }
            _ => {
                lines.clear();
                self.texts.iter().for_each(|(id, text)| write_line(&mut lines, id, "", text));
                if let Some(folder) = self.path.parent() {
                    files::make_private_folder(folder)?;
                }
                files::replace(&self.path, lines.as_bytes(), files::PRIVATE)?;
                self.length = lines.len();
                self.file = Some(File::options().append(true).open(&self.path)?);
            }
        }
        Ok(())
    }
}

/// The board of a line and its text, if the text that it continues is there.
fn continued(texts: &BTreeMap<String, String>, line: &str) -> Option<(String, String)> {
    let mut parts = line.splitn(4, ' ');
    let (id, kept, checksum, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let before = texts.get(id).map_or("", String::as_str);
    let text = format!("{}{rest}", before.get(..kept.parse().ok()?)?);
    (u32::from_str_radix(checksum, 16) == Ok(crc32(text.as_bytes()))).then(|| (id.to_owned(), text))
}

fn write_line(lines: &mut String, id: &str, before: &str, text: &str) {
    let same = before.bytes().zip(text.bytes()).take_while(|(before, new)| before == new).count();
    let kept = text.floor_char_boundary(same);
    // Nothing fails to be written to a string.
    _ = writeln!(lines, "{id} {kept} {:08x} {}", crc32(text.as_bytes()), &text[kept..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::model::Board;

    fn round(numbers: &[u32]) -> RoundBoards {
        let boards = (1..).zip(numbers).map(|(id, number): (u32, _)| (id.to_string(), Board::new(*number, None)));
        RoundBoards { boards: boards.collect() }
    }

    /// What a file with these bytes has.
    fn read(bytes: &[u8]) -> String {
        let (texts, _) = BoardLog::read(bytes);
        let boards = texts.iter().map(|(id, text)| (id.clone(), serde_json::from_str(text).expect(text))).collect();
        serde_json::to_string(&RoundBoards { boards }).expect("JSON")
    }

    #[test]
    fn a_file_has_the_boards_of_each_save_wherever_it_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("5/boards.log");
        let mut log = BoardLog::new(&path);
        let saves: Vec<RoundBoards> = (0..2000).map(|number| round(&[1, number, 100_000 - number, number / 7])).collect();
        let (mut ends, mut largest) = (vec![(0, serde_json::to_string(&round(&[])).expect("JSON"))], 0);
        for boards in &saves {
            log.save(boards).expect("saved");
            let bytes = std::fs::read(&path).expect("a file");
            let text = serde_json::to_string(boards).expect("JSON");
            assert_eq!((read(&bytes), BoardLog::read(&bytes).1), (text.clone(), 0));
            if bytes.len() < ends.last().expect("an end").0 {
                ends.truncate(1);
            }
            ends.push((bytes.len(), text));
            largest = largest.max(bytes.len());
        }
        assert!((SPARE..2 * SPARE).contains(&largest), "{largest}");
        // A file that was cut has what was saved before, and at most a part of the next save.
        let bytes = std::fs::read(&path).expect("a file");
        for ((end, text), (next, _)) in ends.iter().zip(&ends[1..]).take(20) {
            assert_eq!(read(&bytes[..*end]), *text);
            assert!(*next > *end, "each save adds something");
        }
        let first = bytes.iter().position(|byte| *byte == b'\n').expect("a line");
        (1..first).for_each(|end| assert_eq!((read(&bytes[..end]), BoardLog::read(&bytes[..end]).1), (ends[0].1.clone(), 1)));
        // A file that cannot be written is written whole the next time.
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("a folder in its place");
        log.file = None;
        log.save(&saves[5]).expect_err("a folder");
        std::fs::remove_dir(&path).expect("removed");
        log.save(&saves[5]).expect("saved");
        assert_eq!(read(&std::fs::read(&path).expect("a file")), serde_json::to_string(&saves[5]).expect("JSON"));
    }
}
