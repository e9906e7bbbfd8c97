//! Files with passwords and certificates.

use flagfall::config::{load, password, unlock};

use crate::config::support::Folder;

const SECRET: &str = "correct horse";

/// A certificate that nobody uses, made with `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500`.
pub(crate) const CERTIFICATE: &str = "\
note
-----BEGIN CERTIFICATE-----
MIIBiDCCAS2gAwIBAgIUT5R5SOq1XKw1fpmMj3Il28FCSBIwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNZmxhZ2ZhbGwtdGVzdDAgFw0yNjExMjQxNTI5MTFaGA8yMTI2
MTAzMTE1MjkxMVowGDEWMBQGA1UEAwwNZmxhZ2ZhbGwtdGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABB8cC4cgHCx4LZ9FM2BFFk98ifT6sjF2AlACaqslkPDi
xqKSH+hTrhLWBwAJ3tB1ppwJLk9Fi/d3Sie435sT986jUzBRMB0GA1UdDgQWBBRk
PvAgmQJgIuVvLGJ6qIy8CHlylDAfBgNVHSMEGDAWgBRkPvAgmQJgIuVvLGJ6qIy8
CHlylDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQC21UlwMzRJ
Vpam7Hr9DzynYYxBAL5U8K1W2UaZry+rAQIhANqJeGBj9WK5vNgIxhf4tAViUtmd
Z+9jjyy/081faf2r
-----END CERTIFICATE-----
";
/// Its private key.
const KEY: &str = "\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQyu1WLC2a0H3zGWB
sPOR0eB1bkFR3R6pAkonegMtvwOhRANCAAQfHAuHIBwseC2fRTNgRRZPfIn0+rIx
dgJQAmqrJZDw4saikh/oU64S1gcACd7QdaacCS5PRYv3d0onuN+bE/fO
-----END PRIVATE KEY-----
";

/// The errors about a configuration with this text.
fn errors(folder: &Folder, text: &str) -> Vec<String> {
    let file = folder.file("c.toml", text);
    match load(&[file], std::iter::empty()) {
        Ok(_) => Vec::new(),
        Err(errors) => folder.lines(&errors),
    }
}

#[test]
fn a_password_is_the_first_line() {
    let folder = Folder::new();
    for text in ["correct horse", "correct horse\n", "correct horse \r\nand a note\n"] {
        assert_eq!(password(&folder.file("p", text)).as_deref(), Ok(SECRET));
    }
    for (bytes, message) in [
        (&b"\nx"[..], "its first line, the password, is empty"),
        (b"", "its first line, the password, is empty"),
        (b"\xff\n", "its first line, the password, is not text in UTF-8"),
        (&[b'x'; 5000], "its first line, the password, is longer than 4096 bytes"),
    ] {
        assert_eq!(password(&folder.file("p", bytes)), Err(message.to_owned()));
    }
}

#[test]
fn a_password_that_everyone_may_read_is_refused_and_not_shown() {
    let folder = Folder::new();
    for (mode, fine) in [(0o600, true), (0o640, true), (0o644, false), (0o604, false), (0o602, false), (0o666, false)] {
        let path = folder.file_with("p", SECRET, mode);
        let text = format!("[mqtt]\npassword_file = \"{0}\"\n[broker.user.s]\npassword_file = \"{0}\"\n", path.display());
        let found = errors(&folder, &text);
        assert!(!found.concat().contains(SECRET), "{found:#?}");
        let line =
            |place, key| format!("c.toml:{place}: {key}: p: everyone on this machine may read or change it; run: chmod o= 'p'");
        match fine {
            true => assert_eq!(found, Vec::<String>::new(), "{mode:o}"),
            false => {
                assert_eq!(found, [line("2:1", "mqtt.password_file"), line("4:1", "broker.user.s.password_file")], "{mode:o}")
            }
        }
    }
}

#[test]
fn a_key_is_the_first_line_in_pairs_of_digits() {
    let folder = Folder::new();
    for text in ["6307a1b2c3d4e5f600", "6307a1b2c3d4e5f600\n", "6307a1b2c3d4e5f600 \r\nof board 12\n"] {
        let key = [0x63, 7, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6, 0];
        assert_eq!(unlock(&folder.file("k", text)).as_deref(), Ok(&key[..]), "{text:?}");
    }
    assert_eq!(unlock(&folder.file("k", "a1".repeat(64))).map(|key| key.len()), Ok(64));
    for text in ["6307a1b2c3d4e5f60", "6307A1B2C3D4E5F600", "63 07 a1", "not a key", &"a1".repeat(65)] {
        let message = "its first line, the key, is not 1 to 64 bytes as pairs of digits 0-9 a-f";
        assert_eq!(unlock(&folder.file("k", text)), Err(message.to_owned()), "{text:?}");
    }
    assert_eq!(unlock(&folder.file("k", "")), Err("its first line, the key, is empty".to_owned()));
    for (mode, problems) in [(0o600, 0), (0o644, 1)] {
        let path = folder.file_with("k", "6307a1b2c3d4e5f600\n", mode);
        let board = "[[board]]\nid = \"b1\"\ndriver = \"dgt_pegasus\"\n";
        let found = errors(&folder, &format!("{board}unlock_file = \"{}\"\n", path.display()));
        assert_eq!(found.len(), problems, "{found:#?}");
        assert!(!found.concat().contains("a1b2c3"), "{found:#?}");
    }
}

#[test]
fn files_that_are_named_must_be_what_they_should_be() {
    let folder = Folder::new();
    let (ca, key) = (folder.file_with("ca", CERTIFICATE, 0o644), folder.file("key", KEY));
    let mqtt = |ca: &std::path::Path, certificate: &str, key: &str| {
        format!("[mqtt]\nhost = \"b\"\ntls = true\nca_file = \"{}\"\n{certificate}{key}", ca.display())
    };
    let key_line = format!("key_file = \"{}\"\n", key.display());
    let certificate_line = format!("certificate_file = \"{}\"\n", ca.display());
    assert_eq!(errors(&folder, &mqtt(&ca, &certificate_line, &key_line)), Vec::<String>::new());
    assert_eq!(errors(&folder, &mqtt(&ca, "", "")), Vec::<String>::new());
    assert_eq!(
        errors(&folder, &mqtt(&ca, "", &key_line)),
        ["c.toml:5:1: mqtt.key_file: needs mqtt.certificate_file, the certificate it belongs to",]
    );
    assert_eq!(
        errors(&folder, &mqtt(&ca, &certificate_line, "")),
        ["c.toml:5:1: mqtt.certificate_file: needs mqtt.key_file, its private key",]
    );
    assert_eq!(errors(&folder, &mqtt(&key, "", "")), ["c.toml:4:1: mqtt.ca_file: key: holds no CERTIFICATE in PEM form"]);
    assert_eq!(
        errors(&folder, &mqtt(&ca.with_file_name("gone"), "", "")),
        ["c.toml:4:1: mqtt.ca_file: gone: cannot be read: No such file or directory (os error 2)",]
    );
    let broken = folder.file_with("broken", CERTIFICATE.replace("MIIB", "AAAA"), 0o644);
    let found = errors(&folder, &mqtt(&broken, "", ""));
    assert!(found.len() == 1 && found[0].starts_with("c.toml:4:1: mqtt.ca_file: broken: "), "{found:#?}");
    let found =
        errors(&folder, &mqtt(&ca, &certificate_line, &format!("key_file = \"{}\"\n", folder.file("nokey", "x").display())));
    assert!(found.len() == 1 && found[0].starts_with("c.toml:6:1: mqtt.key_file: nokey: "), "{found:#?}");
    assert_eq!(errors(&folder, &mqtt(key.parent().expect("its folder"), "", "")).len(), 1, "a folder is no file");
}

#[test]
fn a_password_that_the_broker_in_this_program_refuses_is_named() {
    let folder = Folder::new();
    let (right, wrong) = (folder.file_with("right", SECRET, 0o600), folder.file_with("wrong", "another", 0o600));
    for (section, key, user) in [
        ("[screens]\nenabled = true\npublic_user = \"hall\"\npublic_password_file", "screens.public_password_file", "hall"),
        ("[mqtt]\nuser = \"hall\"\npassword_file", "mqtt.password_file", "hall"),
    ] {
        for file in [&right, &wrong] {
            let text = format!(
                "{section} = \"{}\"\n[broker]\nenabled = true\n[broker.user.{user}]\npassword_file = \"{}\"\n\
                 read = [\"flagfall/1/public/#\"]\n",
                file.display(),
                right.display()
            );
            let found = errors(&folder, &text);
            let named = found.iter().any(|error| error.ends_with(&format!("{key}: needs the password of [broker.user.{user}]")));
            assert_eq!(named, file == &wrong, "{key}: {found:#?}");
        }
    }
}
