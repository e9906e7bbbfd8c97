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

/// What the program would only meet after its start: users without rights, folders that cannot be made, tokens that cannot be read. Rows
/// without words are right.
#[test]
fn both_commands_refuse_what_the_start_would_miss() {
    let folder = Folder::new();
    let password = folder.file("password", "secret\n");
    let open = folder.file_with("open", "secret\n", 0o644);
    let (here, there) = (password.display(), password.with_file_name("made"));
    let broker = |name: &str, lists: &str, more: &str| {
        format!(
            "node.name = \"n1\"\n[event]\nid = \"e\"\nround = \"5\"\n[[board]]\nid = \"12\"\n[broker]\nenabled = true\ntcp = \"127.0.0.1:0\"\n\
             [broker.user.{name}]\npassword_file = '{here}'\n{lists}\n[collect]\ndir = '{}'\n{more}",
            there.display()
        )
    };
    let login = |name: &str| format!("[mqtt]\nuser = \"{name}\"\npassword_file = '{here}'\n[user.anna]\nrole = \"arbiter\"\n");
    let all = "read = [\"flagfall/1/#\"]\nwrite = [\"flagfall/1/node/#\", \"flagfall/1/public/#\", \"flagfall/1/live/e/+/12/#\", \"flagfall/1/arbiter/+/5/12/#\", \"flagfall/1/reply/+/#\"]";
    let reads = "read = [\"flagfall/1/node/#\", \"flagfall/1/meta/#\", \"flagfall/1/public/#\"]";
    let collector = format!("{reads}\nwrite = [\"flagfall/1/node/n1-collect/#\", \"flagfall/1/public/e/+/pgn\"]");
    let live = "[livechess]\nenabled = true\nlisten = [\"127.0.0.1:0\"]\n";
    let output = |keys: &str| format!("[collect]\nenabled = true\ndir = '{}'\n[[output]]\nname = \"a\"\n{keys}", there.display());
    let lichess = |file: &str| output(&format!("kind = \"lichess\"\ntoken_file = '{file}'\n"));
    let dir = |key: &str, dir: &str| {
        format!("[{key}]\nenabled = true\ndir = '{dir}'\n").replace("[journal]\nenabled = true", "[journal]")
    };
    for (text, words) in [
        (broker("anna", all, &login("anna")), &[][..]),
        (
            broker("anna", "read = [\"flagfall/1/#\"]", &login("anna")),
            &[
                "broker.user.anna.write: this node logs in as \"anna\"",
                "1/node/n1/#",
                "1/live/e/5/12/#",
                "1/reply/anna/#",
                "mqtt.user",
            ],
        ),
        (
            broker("n1", "write = [\"flagfall/1/node/n1/#\"]", &login("n1")),
            &[
                "broker.user.n1.read: this node",
                "1/cmd/+/e/5/+/+",
                "1/node/+/info",
                "1/arbiter/e/+/12/#",
                "n1.write",
                "1/public/e/5/12/#",
            ],
        ),
        (broker("n1-collect", &collector, "enabled = true\n"), &[]),
        (
            broker("n1-collect", "", "enabled = true\n"),
            &["n1-collect.read: the collector", "1/meta/e/+", "n1-collect.write", "1/public/e/+/pgn"],
        ),
        (broker("n1-collect", "", "enabled = false\n"), &[]),
        (
            broker("n1-collect", reads, "enabled = true\n"),
            &["broker.user.n1-collect.write: the collector", "1/node/n1-collect/#"],
        ),
        (broker("n1-collect", &collector, &format!("enabled = true\n{live}")), &["1/live/e/+/+/clock", "1/device/+/status"]),
        (dir("journal", &here.to_string()), &["journal.dir: ", "password is not a folder"]),
        (dir("journal", &format!("{here}/a/b")), &["journal.dir: ", "password is not a folder"]),
        (dir("collect", &here.to_string()), &["collect.dir: ", "password is not a folder"]),
        (dir("collect", &there.display().to_string()), &[]),
        (output(&format!("kind = \"files\"\ndir = '{here}'\n")), &["output.a.dir: ", "password is not a folder"]),
        (lichess(&here.to_string()), &[]),
        (lichess("/nowhere"), &["output.a.token_file: /nowhere: cannot be read"]),
        (lichess(&open.display().to_string()), &["output.a.token_file: ", "everyone on this machine"]),
    ] {
        let file = folder.file("c.toml", &text);
        let checked = judged("check-config", &file);
        assert_eq!(checked.0, Some(if words.is_empty() { 0 } else { 78 }), "{text}: {}", checked.1);
        assert!(words.iter().all(|word| checked.1.contains(word)), "{words:?} {text}: {}", checked.1);
        assert!(words.is_empty() || judged("run", &file) == checked, "{text}");
    }
    assert!(!there.exists(), "nothing is made");
}

/// A collector that starts alone at the broker inside the program of a node needs its user as the one beside the node does.
#[test]
fn a_collector_alone_needs_its_user_too() {
    let folder = Folder::new();
    let password = folder.file("password", "secret\n");
    for (user, words) in [
        ("anna", "broker.user: the broker in this program has users: add [broker.user.n1-collect]"),
        ("n1-collect", "n1-collect.read: the collector"),
    ] {
        let text = format!(
            "node.name = \"n1\"\n[broker]\nenabled = true\n[broker.user.{user}]\npassword_file = '{}'\n",
            password.display()
        );
        let file = folder.file("c.toml", text);
        let (code, errors) = judged("collect", &file);
        assert!(code == Some(78) && errors.contains(words), "{user}: {code:?} {errors}");
        assert_eq!(judged("check-config", &file).0, Some(0), "{user}: `flagfall run` does not start it");
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
