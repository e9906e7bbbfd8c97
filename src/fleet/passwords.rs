//! Passwords, and the lines with which mosquitto compares them.

use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::{digest, pbkdf2};

/// Letters and digits that nobody confuses when a password is typed from paper.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// The number of letters of a password: 100 random bits.
pub(super) const LETTERS: usize = 20;

/// The number of rounds that `mosquitto_passwd` uses. More would protect passwords that people choose; these cannot be guessed.
// 101 is not zero.
const ROUNDS: NonZeroU32 = NonZeroU32::new(101).unwrap();
const SALT: usize = 12;

/// Makes a password of random bytes, `k7fq-m2wd-…`: groups of four letters.
pub(super) fn password(random: &[u8]) -> String {
    let letters: Vec<char> = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)])).collect();
    letters.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// The line of a user in the file of passwords (`$7$`: PBKDF2 with SHA-512). The salt is made of name and password, so that the same
/// password has the same line again.
pub(super) fn line(user: &str, password: &str) -> String {
    let seed = digest::digest(&digest::SHA256, format!("flagfall salt\n{user}\n{password}").as_bytes());
    let salt = &seed.as_ref()[..SALT];
    let mut hash = [0; digest::SHA512_OUTPUT_LEN];
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA512, ROUNDS, salt, password.as_bytes(), &mut hash);
    format!("{user}:$7${ROUNDS}${}${}\n", STANDARD.encode(salt), STANDARD.encode(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_password_has_the_same_line_again() {
        let one = line("pi-07", "secret");
        assert_eq!(one, line("pi-07", "secret"));
        for other in [line("pi-08", "secret"), line("pi-07", "another")] {
            assert_ne!(one.split(':').nth(1), other.split(':').nth(1));
        }
        let parts: Vec<&str> = one.trim_end().split('$').collect();
        assert_eq!(parts[..3], ["pi-07:", "7", "101"]);
        let sizes = [3, 4].map(|part: usize| STANDARD.decode(parts[part]).expect("base64").len());
        assert_eq!(sizes, [12, 64]);
    }

    #[test]
    fn passwords_have_groups_of_four() {
        let random: Vec<u8> = (0..LETTERS as u8).map(|byte| byte.wrapping_mul(13)).collect();
        let made = password(&random);
        assert_eq!(made.split('-').map(str::len).collect::<Vec<_>>(), [4; 5]);
        assert!(made.bytes().all(|byte| byte == b'-' || ALPHABET.contains(&byte)), "{made}");
    }
}
