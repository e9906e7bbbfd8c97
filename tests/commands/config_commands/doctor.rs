//! `flagfall doctor` with brokers, with another server, and without a broker.

use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;

use crate::config_commands::program::{flagfall, write};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_port;

/// A mosquitto with these lines behind its listener; none if it is not installed.
fn mosquitto(lines: &str) -> Option<Mosquitto> {
    Mosquitto::with_files(&format!("listener TCP 127.0.0.1\n{lines}"), &[])
}

/// The exit code and the report of `flagfall doctor` with this configuration.
fn doctor(folder: &Path, text: &str) -> (Option<i32>, Value) {
    let journal = folder.display();
    let file = write(folder, "c.toml", &format!("[journal]\ndir = \"{journal}\"\n{text}"), 0o600).display().to_string();
    let ran = flagfall(&["doctor", "--json", "--config", &file], &[]);
    (ran.code, ran.json())
}

#[track_caller]
fn about<'a>(report: &'a Value, begin: &str) -> &'a Value {
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["about"].as_str().is_some_and(|about| about.starts_with(begin)));
    found.unwrap_or_else(|| panic!("nothing about {begin}: {report:#}"))
}

#[test]
fn a_port_without_a_broker_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, report) = doctor(folder.path(), &format!("[mqtt]\nport = {}\n", free_port()));
    let broker = about(&report, "broker at 127.0.0.1:");
    assert_eq!((code, &report["ok"], &broker["state"]), (Some(1), &false.into(), &"problem".into()), "{report:#}");
    assert_eq!(broker["found"], "nothing listens there");
    assert!(broker["advice"].as_str().is_some_and(|advice| advice.starts_with("Start the broker")), "{broker}");
}

#[test]
fn an_embedded_broker_that_does_not_run_is_only_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let text = format!("[mqtt]\nport = {port}\n[broker]\nenabled = true\ntcp = \"127.0.0.1:{port}\"\n");
    let (_, report) = doctor(folder.path(), &text);
    assert_eq!(about(&report, "broker at")["state"], "warning", "{report:#}");
}

#[test]
fn an_embedded_broker_with_users_is_not_asked_for_a_login() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let password = write(folder.path(), "password", "hunter2\n", 0o600);
    let user = format!("[broker.user.anna]\npassword_file = \"{}\"\n", password.display());
    let text = format!("[broker]\nenabled = true\ntcp = \"127.0.0.1:{port}\"\n{user}");
    let (_, report) = doctor(folder.path(), &text);
    let broker = about(&report, "broker at");
    assert_eq!((&broker["about"], &broker["state"]), (&format!("broker at 127.0.0.1:{port}").into(), &"warning".into()));
    assert!(!report.to_string().contains("mosquitto"), "{report:#}");
}

#[test]
fn a_port_of_the_embedded_broker_that_another_program_has_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(other) = mosquitto("allow_anonymous true") else { return };
    let text = format!("[broker]\nenabled = true\ntcp = \"127.0.0.1:{}\"\n", other.port());
    let (code, report) = doctor(folder.path(), &text);
    let broker = about(&report, "broker at");
    assert_eq!((code, &broker["state"]), (Some(1), &"problem".into()), "{report:#}");
    assert!(broker["found"].as_str().is_some_and(|found| found.starts_with("held by mosquitto (process ")), "{broker}");

    // The same configuration ends `flagfall run` so that systemd tries again.
    let config = folder.path().join("c.toml").display().to_string();
    let ran = flagfall(&["run", "--config", &config], &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("is taken by another program"), "{}", ran.err);
    assert_eq!(flagfall(&["check-config", "--config", &config], &[]).code, Some(0));
}

#[test]
fn messages_that_do_not_go_to_the_embedded_broker_are_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let (port, other) = (free_port(), free_port());
    let text = format!("[mqtt]\nport = {other}\n[broker]\nenabled = true\ntcp = \"127.0.0.1:{port}\"\n");
    let (code, report) = doctor(folder.path(), &text);
    let broker = about(&report, &format!("broker at 127.0.0.1:{other}"));
    assert_eq!((code, &broker["state"]), (Some(1), &"problem".into()), "{report:#}");
    assert!(broker["advice"].as_str().is_some_and(|advice| advice.starts_with("Leave mqtt.host and mqtt.port out")), "{broker}");
    assert!(report.to_string().contains("nothing is published to the broker in this program"), "{report:#}");
}

#[test]
fn an_open_embedded_broker_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    for (websocket, pages) in [(String::new(), false), (format!("websocket = \"127.0.0.1:{}\"\n", free_port()), true)] {
        let text = format!("[broker]\nenabled = true\ntcp = \"127.0.0.1:{}\"\n{websocket}", free_port());
        let (_, report) = doctor(folder.path(), &text);
        let open = about(&report, "configuration");
        let warned = report["findings"].as_array().expect("findings").iter().map(ToString::to_string);
        let warned: Vec<String> = warned.filter(|text| text.contains("without users")).collect();
        assert_eq!(warned.len(), 1, "{open}");
        assert_eq!(warned[0].contains("any web page"), pages, "{warned:?}");
        let config = folder.path().join("c.toml").display().to_string();
        let ran = flagfall(&["check-config", "--config", &config], &[]);
        assert!(ran.code == Some(0) && ran.out.contains("Warning: [broker] without users"), "{}", ran.out);
    }
}

#[test]
fn a_broker_that_accepts_the_node_is_ok() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(running) = mosquitto("allow_anonymous true") else { return };
    let port = running.port();
    let (code, report) = doctor(folder.path(), &format!("[mqtt]\nport = {port}\n"));
    let broker = about(&report, "broker at 127.0.0.1:");
    assert_eq!((&broker["state"], &broker["found"]), (&"ok".into(), &"takes us".into()), "{report:#}");
    let problems =
        report["findings"].as_array().expect("findings").iter().filter(|finding| finding["state"] == "problem").count();
    assert_eq!((code, &report["ok"]), (Some(i32::from(problems > 0)), &(problems == 0).into()));
}

#[test]
fn a_broker_that_refuses_the_node_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(running) = mosquitto("allow_anonymous false") else { return };
    let port = running.port();
    let password = write(folder.path(), "password", "hunter2\n", 0o600);
    let text = format!("[mqtt]\nport = {port}\nuser = \"node\"\npassword_file = \"{}\"\n", password.display());
    for text in [text, format!("[mqtt]\nport = {port}\n")] {
        let (code, report) = doctor(folder.path(), &text);
        let broker = about(&report, "broker at");
        assert_eq!((code, &broker["state"]), (Some(1), &"problem".into()), "{report:#}");
        assert_eq!(broker["found"], "refuses us: user name or password is wrong, or missing");
        assert!(!report.to_string().contains("hunter2"));
    }
}

#[test]
fn a_broker_that_does_not_let_the_node_read_its_boards_is_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = |right: &str| format!("topic {right} flagfall/1/arbiter/ev/1/b1/#\n");
    for (right, state) in [("write", "warning"), ("read", "warning"), ("readwrite", "ok")] {
        let lines = "listener TCP 127.0.0.1\nallow_anonymous true\nacl_file DIR/acl";
        let Some(running) = Mosquitto::with_files(lines, &[("acl", &rules(right))]) else { return };
        let boards = "[event]\nid = \"ev\"\n[[board]]\nid = \"b1\"\nport = \"/dev/none\"\n";
        let (_, report) = doctor(folder.path(), &format!("[mqtt]\nport = {}\n{boards}", running.port()));
        let broker = about(&report, "broker at");
        assert_eq!(broker["state"], state, "{right}: {broker}");
        assert_eq!(state == "warning", broker["advice"].as_str().is_some_and(|advice| advice.contains("arbiter/")), "{broker}");
    }
}

/// Everybody who can load a page has the password of the public user: the check tells what it opens.
#[test]
fn what_the_public_user_may_do_is_tried() {
    let folder = tempfile::tempdir().expect("a folder");
    let passwords = write(folder.path(), "passwords", "node:a\nscreen:b\n", 0o600);
    if !std::process::Command::new("mosquitto_passwd").arg("-U").arg(&passwords).status().is_ok_and(|status| status.success()) {
        return;
    }
    let passwords = std::fs::read_to_string(passwords).expect("hashed passwords");
    let [node, screen, wrong] = [("node", "a\n"), ("screen", "b\n"), ("wrong", "c\n")]
        .map(|(name, text)| write(folder.path(), name, text, 0o600).display().to_string());
    for (rules, password, state, found) in [
        ("topic read flagfall/1/public/#", &screen, "ok", "reads public/, and nothing that is live"),
        ("topic read flagfall/1/meta/+", &screen, "warning", "receives nothing below public/"),
        ("topic read flagfall/1/#", &screen, "problem", "may read arbiter/, live/: so may everybody who loads a page"),
        ("topic readwrite flagfall/1/public/#", &screen, "problem", "may write public/: so may everybody"),
        ("topic read flagfall/1/public/#", &wrong, "problem", "user name or password is wrong"),
    ] {
        let lines = "listener TCP 127.0.0.1\nallow_anonymous false\npassword_file DIR/passwords\nacl_file DIR/acl";
        let acl = format!("user node\ntopic readwrite flagfall/1/#\nuser screen\n{rules}\n");
        let Some(running) = Mosquitto::with_files(lines, &[("acl", &acl), ("passwords", &passwords)]) else { return };
        let (_, report) = doctor(
            folder.path(),
            &format!(
                "[mqtt]\nport = {}\nuser = \"node\"\npassword_file = \"{node}\"\n\
                 [screens]\npublic_user = \"screen\"\npublic_password_file = \"{password}\"\n",
                running.port()
            ),
        );
        let finding = about(&report, "public user screen");
        assert_eq!(finding["state"], state, "{rules}: {report:#}");
        assert!(finding["found"].as_str().is_some_and(|text| text.contains(found)), "{rules}: {finding}");
    }
}

#[test]
fn another_server_on_the_port_is_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its port").port();
    let answer = move || {
        use std::io::Write;
        let (mut stream, _) = listener.accept().expect("a connection");
        _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    };
    let answering = std::thread::Builder::new().name("answer".to_owned()).spawn(answer).expect("a thread");
    let (code, report) = doctor(folder.path(), &format!("[mqtt]\nport = {port}\n"));
    answering.join().expect("answered");
    let broker = about(&report, "broker at");
    assert_eq!((code, &broker["state"]), (Some(1), &"problem".into()), "{report:#}");
    assert!(broker["advice"].as_str().is_some_and(|advice| advice.contains("mqtt.port")), "{broker}");
}

#[test]
fn every_finding_that_is_not_ok_has_advice() {
    let folder = tempfile::tempdir().expect("a folder");
    let ports = "[mqtt]\nport = 1\n[[board]]\nid = \"b1\"\nport = \"/dev/none\"\n[[board]]\nid = \"b2\"\nusb_serial = \"none\"\n";
    let hid = "[[board]]\nid = \"b3\"\ndriver = \"chessnut\"\ntransport = \"hid\"\nusb_serial = \"no such number\"\n";
    let (code, report) = doctor(folder.path(), &format!("{ports}{hid}"));
    assert_eq!(code, Some(1));
    for finding in report["findings"].as_array().expect("findings") {
        let advice = finding["advice"].as_str().unwrap_or_default();
        assert_eq!(advice.is_empty(), finding["state"] == "ok", "{finding}");
    }
    assert_eq!(about(&report, "board b1")["found"], "/dev/none is not there");
    assert_eq!(about(&report, "board b2")["found"], "no USB adapter with serial number none is there");
    assert_eq!(about(&report, "board b3")["found"], "no USB HID device that is its own is there");
    assert_eq!(about(&report, "journals in")["state"], "ok");
    about(&report, "clock");
}

#[test]
fn people_get_readable_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(folder.path(), "c.toml", "[mqtt]\nport = 1\n[journal]\ndir = \"/proc/none\"\n", 0o600).display().to_string();
    let ran = flagfall(&["doctor", "--config", &file], &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.out.contains("PROBLEM  broker at 127.0.0.1:1: nothing listens there\n         -> Start the broker"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("PROBLEM  journals in /proc/none: "), "{}", ran.out);
}
