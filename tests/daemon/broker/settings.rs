//! Settings of the broker inside the program that are refused.

use flagfall::config::{Broker, BrokerUser};

use crate::program::{RunningProgram, flagfall};
use crate::support::ports::free_address;

use super::{broker_user, open_settings, start_error, write_password_file};

#[tokio::test]
async fn wrong_settings_are_refused_with_what_to_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let with = |name: &str, read: &[&str], write: &[&str]| {
        let user = broker_user(folder.path(), "some", read, write).1;
        Broker { user: [(name.to_owned(), user)].into(), ..open_settings() }
    };
    let password = |line: &str, mode: u32| {
        let file = write_password_file(folder.path(), &format!("{}-{mode:o}", line.len()), line, mode);
        Broker {
            user: [("some".to_owned(), BrokerUser { password_file: file, ..BrokerUser::default() })].into(),
            ..open_settings()
        }
    };
    let missing = BrokerUser { password_file: folder.path().join("none"), ..BrokerUser::default() };
    for (settings, words) in [
        (Broker { tcp: "0.0.0.0:0".to_owned(), ..open_settings() }, "0.0.0.0:0 [broker.user. password_file read"),
        (Broker { websocket: "[::]:0".to_owned(), ..open_settings() }, "[::]:0 [broker.user."),
        (Broker { tcp: "localhost".to_owned(), ..open_settings() }, "broker.tcp \"localhost\""),
        (Broker { websocket: "9001".to_owned(), ..open_settings() }, "broker.websocket \"9001\""),
        (with("Anna B", &[], &[]), "a-z"),
        (with("#", &[], &[]), "a-z"),
        (with("", &[], &[]), "a-z"),
        (with("some", &["a/#/b"], &[]), "broker.user.some \"a/#/b\""),
        (with("some", &["a/+"], &[]), "\"a/+\" everything"),
        (with("some", &[], &["a/b+"]), "\"a/b+\""),
        (with("some", &[], &["a/%u/b"]), "\"a/%u/b\""),
        (with("some", &[], &["flagfall/#"]), "\"flagfall/#\" commands under every name"),
        (with("some", &[], &["+/1/cmd/#"]), "commands under another name"),
        (with("some", &[], &["flagfall/+/+/anna/#"]), "commands under another name"),
        (with("some", &[""], &[]), "empty"),
        (password("secret\n", 0o644), "everyone chmod o="),
        (password("\nsecret", 0o600), "first line, the password, is empty"),
        (password("", 0o600), "first line, the password, is empty"),
        (password(&"x".repeat(5_000), 0o600), "4096"),
        (Broker { user: [("some".to_owned(), missing)].into(), ..open_settings() }, "/none No such file"),
    ] {
        let message = start_error(&settings).await.to_string();
        assert!(words.split(' ').all(|word| message.contains(word)), "{message:?} does not say {words:?}");
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "says why it does not run")]
fn a_node_reaches_its_own_broker_over_ipv6() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        println!("there is no IPv6: the broker at [::1] is not tested");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (port, config) = (free_address().port(), folder.path().join("flagfall.toml"));
    let journals = folder.path().join("journals");
    let text = format!("[journal]\ndir = {journals:?}\n[broker]\nenabled = true\ntcp = \"[::1]:{port}\"\n");
    std::fs::write(&config, text).expect("a configuration");
    let mut daemon = RunningProgram::start(flagfall(&["run", "--config"]).arg(&config));
    daemon.wait_for_line("everything that waited is published");
    daemon.stop("-TERM");
}
