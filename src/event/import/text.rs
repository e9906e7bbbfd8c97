//! Decodes the bytes of a file: UTF-8, the encoding that the user names, or Windows-1252.

use encoding_rs::{Encoding, WINDOWS_1252};

use super::{MAX_IMPORT, Problems};

/// A decoded file.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) text: String,
    /// What a person should know about the encoding.
    pub(super) note: Option<String>,
}

pub(super) fn decode(bytes: &[u8], encoding: Option<&str>) -> Result<Text, Problems> {
    if bytes.len() as u64 > MAX_IMPORT {
        return Err(Problems::one(0, format!("it has more than {MAX_IMPORT} bytes")));
    }
    for (magic, what) in [
        (&b"PK\x03\x04"[..], "an Excel or ZIP file: save the table as CSV"),
        (b"\xd0\xcf\x11\xe0", "an old Excel file: save the table as CSV"),
        (b"%PDF", "a PDF file: export the pairings as PGN, CSV or TRF"),
    ] {
        if bytes.starts_with(magic) {
            return Err(Problems::one(0, format!("this is {what}")));
        }
    }
    let named = match encoding {
        None => None,
        Some(label) => match Encoding::for_label(label.as_bytes()) {
            Some(encoding) => Some(encoding),
            None => {
                return Err(Problems::one(
                    0,
                    format!("the encoding {label:?} is not known; examples are utf-8 and windows-1250"),
                ));
            }
        },
    };
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let (text, note) = match (named.or(marked), str::from_utf8(bytes)) {
        (Some(encoding), _) => {
            let (text, _, malformed) = encoding.decode(bytes);
            if malformed {
                let line = text.split('\u{fffd}').next().map_or(1, |before| before.matches('\n').count() + 1);
                return Err(Problems::one(line, format!("this is no {} text", encoding.name())));
            }
            (text.into_owned(), None)
        }
        (None, Ok(text)) => (text.to_owned(), None),
        (None, Err(error)) => {
            let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
            let note = format!("line {line} is not UTF-8: the file was read as Windows-1252; --encoding names another one");
            (WINDOWS_1252.decode(bytes).0.into_owned(), Some(note))
        }
    };
    if let Some(before) = text.split_once('\0').map(|(before, _)| before) {
        return Err(Problems::one(before.matches('\n').count() + 1, "there is a zero byte, so this is no text file"));
    }
    Ok(Text { text: text.replace("\r\n", "\n").replace('\r', "\n"), note })
}
