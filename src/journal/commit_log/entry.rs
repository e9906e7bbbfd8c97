//! Writes and reads the entries of a commit log. Each entry contains bytes of one journal file, with their place and a checksum.
//!
//! ```text
//! entry <board> <file> <offset> <length>
//! <bytes>*<checksum>
//! ```
//!
//! The checksum is the CRC-32 of everything before the asterisk, in eight hex digits. After a damaged entry the next one is found
//! again: no line of a journal has the form of an entry's head, and each entry has a checksum.

use std::io::Write;

use flagfall_protocols::bytes::crc32;

use super::super::name::FileName;
use crate::wire::topics::is_id;

/// The first bytes of an entry.
const MARK: &[u8] = b"entry ";
/// The length of the asterisk, the checksum and the line feed, in bytes.
const SUFFIX: usize = 10;

/// One entry: bytes of one journal file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) board: &'a str,
    pub(super) file: &'a str,
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
}

/// Writes an entry.
pub(in super::super) fn print(board: &str, file: &str, offset: u64, bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    // Writing to a Vec does not fail.
    let _ = writeln!(out, "entry {board} {file} {offset} {}", bytes.len());
    out.extend_from_slice(bytes);
    let checksum = crc32(&out[start..]);
    let _ = writeln!(out, "*{checksum:08x}");
}

/// Returns the good entries of a log in their order. Other bytes are skipped and counted in `damaged`.
pub(super) fn entries<'a>(mut text: &'a [u8], damaged: &mut u64) -> Vec<Entry<'a>> {
    let mut found = Vec::new();
    while !text.is_empty() {
        if let Some((entry, rest)) = parse(text) {
            found.push(entry);
            text = rest;
            continue;
        }
        *damaged += 1;
        let next = text[1..].windows(MARK.len()).position(|bytes| bytes == MARK);
        text = next.map_or(&[], |place| &text[place + 1..]);
    }
    found
}

/// Parses the entry that the text begins with, and returns it with the rest.
fn parse(text: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let end = text.iter().position(|&byte| byte == b'\n')?;
    let head = std::str::from_utf8(text[..end].strip_prefix(MARK)?).ok()?;
    let mut fields = head.split(' ');
    let (board, file) = (fields.next()?, fields.next()?);
    let (offset, length): (u64, usize) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // A name must not lead out of the journal's folder.
    if fields.next().is_some() || !is_id(board) || FileName::parse(file).is_none() {
        return None;
    }
    let after = (end + 1).checked_add(length)?;
    let suffix = text.get(after..after.checked_add(SUFFIX)?)?;
    let checksum = format!("*{:08x}\n", crc32(&text[..after]));
    (suffix == checksum.as_bytes())
        .then(|| (Entry { board, file, offset, bytes: &text[end + 1..after] }, &text[after + SUFFIX..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "00000001-s.journal";

    fn two() -> Vec<u8> {
        let mut log = Vec::new();
        print("b1", FILE, 7, b"1 0 boot {}\n", &mut log);
        print("b2", FILE, 0, b"2 0 boot {}\n", &mut log);
        log
    }

    #[test]
    fn entries_read_back() {
        let log = two();
        let mut damaged = 0;
        let found = entries(&log, &mut damaged);
        let first = Entry { board: "b1", file: FILE, offset: 7, bytes: b"1 0 boot {}\n" };
        let second = Entry { board: "b2", file: FILE, offset: 0, bytes: b"2 0 boot {}\n" };
        assert_eq!((found, damaged), (vec![first, second], 0));
    }

    #[test]
    fn an_entry_with_any_wrong_byte_is_stepped_over() {
        let whole = two();
        let mut damaged = 0;
        let good = entries(&whole, &mut damaged);
        for place in 0..whole.len() {
            let mut log = whole.clone();
            log[place] ^= 1;
            let found = entries(&log, &mut damaged);
            assert!(found.iter().all(|entry| good.contains(entry)), "byte {place}: {found:?}");
            assert_eq!(found.len(), 1, "byte {place}");
        }
    }

    #[test]
    fn no_entry_leads_out_of_the_folder() {
        for (board, file) in [("..", FILE), ("b1", "../x.journal"), ("b1", "lock"), ("B1", FILE), (".commit", FILE)] {
            let mut log = Vec::new();
            print(board, file, 0, b"x\n", &mut log);
            let mut damaged = 0;
            assert_eq!((entries(&log, &mut damaged), damaged), (vec![], 1), "{board} {file}");
        }
    }
}
