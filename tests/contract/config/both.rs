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
    let other = folder.file("other", "another\n");
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
        // Logins at the broker in this program that it would refuse.
        broker("anna", "[node]\nname = \"n1\"\n[collect]\nenabled = true"),
        broker("anna", "[mqtt]\nuser = \"ben\""),
        broker("anna", &format!("[mqtt]\npassword_file = '{}'", password.display())),
        broker("anna", &format!("[mqtt]\nuser = \"anna\"\npassword_file = '{}'", other.display())),
        broker("anna", "[mqtt]\nuser = \"anna\""),
        broker("n1", "[node]\nname = \"n1\""),
        broker(
            "anna",
            &format!("[screens]\nenabled = true\npublic_user = \"screen\"\npublic_password_file = '{}'", password.display()),
        ),
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

/// An address that this machine has not, and will not have by itself, is wrong like any other value. Without a network nobody can know.
#[test]
#[allow(clippy::print_stdout, reason = "says why it does not run")]
fn both_commands_refuse_a_foreign_address() {
    let folder = Folder::new();
    let foreign = "203.0.113.7:8081";
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").expect("a socket");
    if socket.connect(foreign).is_err() {
        println!("there is no network: foreign addresses are not tested");
        return;
    }
    let screens = format!("[screens]\nenabled = true\ninsecure = true\nlisten = \"{foreign}\"\n");
    for (text, key) in [(format!("[http]\nlisten = \"{foreign}\"\n"), "http.listen"), (screens, "screens.listen")] {
        let file = folder.file("c.toml", &text);
        let checked = judged("check-config", &file);
        assert!(checked.0 == Some(78) && checked.1.contains(key) && checked.1.contains("has no address"), "{checked:?}");
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
