//! `flagfall check-config` and `flagfall run` judge a configuration alike: what one refuses, the other refuses with the same words.

use std::path::Path;
use std::process::Command;

use crate::config::support::Folder;
use crate::config::{errors, secrets, whole};

/// Exit code and errors of a command with one file.
fn judged(command: &str, file: &Path) -> (Option<i32>, String) {
    // A daemon that was wrongly started would not end.
    let output = Command::new("/usr/bin/timeout")
        .args(["30", env!("CARGO_BIN_EXE_flagfall"), command, "--config"])
        .arg(file)
        .env_clear()
        .output()
        .unwrap_or_else(|error| panic!("flagfall: {error}"));
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn both_commands_refuse_every_bad_file() {
    let folder = Folder::new();
    let broken = folder.file_with("ca.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", 0o644);
    let password = folder.file("password", "secret\n");
    let broker = |name: &str, lists: &str| {
        format!("[broker]\nenabled = true\n[broker.user.{name}]\npassword_file = '{}'\n{lists}\n", password.display())
    };
    let of_files = [
        format!("[mqtt]\ntls = true\nca_file = '{}'\n", broken.display()),
        format!("[mqtt]\ntls = true\nca_file = '{}'\n", password.display()),
        "[mqtt]\npassword_file = '/nowhere'\n".to_owned(),
        broker("anna", "write = [\"flagfall/1/cmd/#\"]"),
        broker("anna", "read = [\"flagfall/1/public/+\"]"),
        broker("Anna", ""),
        broker("anna_b", ""),
    ];
    let tables = errors::FILES.iter().chain(whole::WHOLES).map(|(text, _)| (*text).to_owned());
    let links = whole::LINKS.iter().filter(|(_, errors)| !errors.is_empty());
    let links = links.map(|(text, _)| format!("[[board]]\nid = \"b1\"\n{text}\n"));
    for text in tables.chain(links).chain(of_files) {
        let file = folder.file("c.toml", &text);
        let checked = judged("check-config", &file);
        assert_eq!(checked.0, Some(78), "{text}: {}", checked.1);
        assert_eq!(judged("run", &file), checked, "{text}");
    }
}

#[test]
fn certificates_are_read_as_the_connection_reads_them() {
    let folder = Folder::new();
    let certificate = folder.file_with("node.pem", secrets::CERTIFICATE, 0o644);
    let text = format!("[mqtt]\ntls = true\nca_file = '{}'\n", certificate.display());
    assert_eq!(judged("check-config", &folder.file("c.toml", text)).0, Some(0));
}
