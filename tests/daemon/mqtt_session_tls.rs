//! TLS to a real mosquitto, with authorities and certificates of this test.

use std::path::Path;
use std::process::Command;

use flagfall::config::Mqtt;
use flagfall::mqtt::Identity;

use crate::support::mqtt::node::settings;
use crate::support::mqtt::{Mosquitto, Node, SessionReport};

/// Makes an authority `<name>.pem` with its key.
pub(crate) fn authority(dir: &Path, name: &str) {
    openssl(
        dir,
        &format!(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"
        ),
    );
}

/// Makes a certificate `<name>.pem` with its key, signed by `authority`.
pub(crate) fn certificate(dir: &Path, name: &str, authority: &str) {
    std::fs::write(dir.join("extensions"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n").expect("a file");
    openssl(
        dir,
        &format!("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN={name} -keyout {name}.key -out {name}.csr"),
    );
    openssl(
        dir,
        &format!(
            "x509 -req -in {name}.csr -CA {authority}.pem -CAkey {authority}.key -CAcreateserial -days 2 -extfile extensions -out {name}.pem"
        ),
    );
}

fn openssl(dir: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(dir).output();
    let output = output.unwrap_or_else(|error| panic!("openssl: {error}"));
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A broker that requires a certificate of every client; the name in it is the name of the user.
fn broker() -> Mosquitto {
    Mosquitto::with(|dir| {
        for name in ["ca", "stranger"] {
            authority(dir, name);
        }
        certificate(dir, "server", "ca");
        certificate(dir, "n1", "ca");
        certificate(dir, "n2", "stranger");
        let at = |name: &str| dir.join(name).display().to_string();
        let (ca, certificate, key) = (at("ca.pem"), at("server.pem"), at("server.key"));
        format!("cafile {ca}\ncertfile {certificate}\nkeyfile {key}\nrequire_certificate true\nuse_identity_as_username true\n")
    })
}

fn tls(broker: &Mosquitto, ca: &str, own: Option<&str>) -> impl FnOnce(&mut Mqtt) {
    let (ca, file) = (broker.file(ca), |name: String| broker.file(&name));
    let own = own.map(|name| (file(format!("{name}.pem")), file(format!("{name}.key"))));
    move |mqtt| {
        (mqtt.tls, mqtt.ca_file) = (true, Some(ca));
        (mqtt.certificate_file, mqtt.key_file) = own.unzip();
    }
}

#[test]
fn both_sides_show_their_certificates() {
    let broker = broker();
    let node = Node::with(settings(broker.port(), tls(&broker, "ca.pem", Some("n1"))), 1, 5);
    node.wait_until_ready();
    node.wait("the cursor", |report| (report == SessionReport::Acked(5)).then_some(()));
}

#[test]
fn a_client_without_a_known_certificate_is_refused() {
    let broker = broker();
    for (ca, own, cause) in [("stranger.pem", Some("n1"), "UnknownIssuer"), ("ca.pem", Some("n2"), ""), ("ca.pem", None, "")] {
        let node = Node::with(settings(broker.port(), tls(&broker, ca, own)), 1, 0);
        let down = node.wait_until_down();
        assert!(down.attempts == 1 && down.cause.contains(cause), "{ca}, {own:?}: {down:?}");
    }
}

#[test]
fn files_are_read_before_anything_is_connected() {
    let dir = tempfile::tempdir().expect("a folder");
    authority(dir.path(), "ca");
    std::fs::write(dir.path().join("text"), "nothing\n").expect("a file");
    std::fs::write(dir.path().join("empty"), "\n").expect("a file");
    let at = |name: &str| Some(dir.path().join(name));
    let with = || Mqtt { tls: true, ca_file: at("ca.pem"), ..Mqtt::default() };
    let table = [
        ("tls", Mqtt { ca_file: None, ..with() }),
        ("ca_file", Mqtt { ca_file: at("none"), ..with() }),
        ("ca_file", Mqtt { ca_file: at("text"), ..with() }),
        ("certificate_file", Mqtt { certificate_file: at("ca.pem"), ..with() }),
        ("key_file", Mqtt { key_file: at("ca.key"), ..with() }),
        ("key_file", Mqtt { certificate_file: at("ca.pem"), key_file: at("text"), ..with() }),
        ("password_file", Mqtt { password_file: at("none"), ..with() }),
        ("password_file", Mqtt { password_file: at("empty"), ..with() }),
    ];
    for (key, mqtt) in table {
        let error = Identity::read(&mqtt, "n1").err().unwrap_or_else(|| panic!("{key}: accepted {mqtt:?}"));
        assert_eq!(error.key, key, "{error}");
        assert!(error.to_string().starts_with(&format!("mqtt.{key}: ")), "{error}");
    }
    assert!(Identity::read(&with(), "n1").is_ok());
}
