//! Converts bytes to and from hexadecimal text and binary-coded decimals (BCD), and computes the checksum CRC-32.

use alloc::string::String;
use alloc::vec::Vec;

/// Appends `bytes` to `out` as lower-case hex.
pub fn push_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)] as char);
        out.push(DIGITS[usize::from(byte & 15)] as char);
    }
}

/// Returns `bytes` as lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    push_hex(&mut out, bytes);
    out
}

/// Returns the bytes of a hex text; `None` if a digit is missing or is not `0-9a-f`. Upper case is refused, so that each value
/// has only one text.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| Some((nibble(pair[0])? << 4) | nibble(pair[1])?)).collect()
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Returns the value 0..=99 of two binary-coded decimal digits; `None` if a nibble is above 9.
pub const fn from_bcd(byte: u8) -> Option<u8> {
    let (tens, ones) = (byte >> 4, byte & 15);
    if tens > 9 || ones > 9 { None } else { Some(tens * 10 + ones) }
}

/// Returns the binary-coded decimal digits of `value` modulo 100.
pub const fn to_bcd(value: u8) -> u8 {
    let value = value % 100;
    ((value / 10) << 4) | (value % 10)
}

/// Returns the CRC-32 (IEEE 802.3, as in gzip) of `bytes`. It detects every change within 32 neighbouring bits.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| (crc >> 8) ^ CRC32[usize::from((crc as u8) ^ byte)])
}

const CRC32: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[i] = crc;
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_has_one_form() {
        assert_eq!(hex(&[0x00, 0x8d, 0xff]), "008dff");
        assert_eq!(unhex("008dff").as_deref(), Some(&[0x00, 0x8d, 0xff][..]));
        for bad in ["0", "0g", "8D", "é0"] {
            assert_eq!(unhex(bad), None, "{bad}");
        }
    }

    #[test]
    fn bcd_holds_decimal_digits() {
        assert!((0..100).all(|n| from_bcd(to_bcd(n)) == Some(n)));
        assert_eq!((0..=255).filter(|&b| from_bcd(b).is_some()).count(), 100);
    }

    #[test]
    fn crc32_is_the_usual_one() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
