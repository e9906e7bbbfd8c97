//! Makes random values that nobody can guess, from the operating system.

use std::fs::File;
use std::io::{self, Read};

/// The number of random bytes of the values that nobody may guess: 96 bits.
pub const UNGUESSABLE: usize = 12;

/// Returns this number of random bytes.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn bytes(count: usize) -> io::Result<Vec<u8>> {
    let mut random = vec![0; count];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random)
}

/// Returns this number of random bytes as hexadecimal digits.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn hex(count: usize) -> io::Result<String> {
    Ok(flagfall_protocols::bytes::hex(&bytes(count)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_differ() {
        let (a, b) = (hex(UNGUESSABLE).expect("random"), hex(UNGUESSABLE).expect("random"));
        assert!(a.len() == 24 && a != b && a.bytes().all(|digit| digit.is_ascii_hexdigit()), "{a} {b}");
    }
}
