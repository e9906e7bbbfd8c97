//! The files of one machine with boards: its configuration, its password, and what its card needs at the first start.

use std::fmt::Write as _;

use toml::{Table, Value};

use super::rights::fleet_organisers;
use super::{MadeFile, Secrets};
use crate::config::{Config, Venue, node_config};

/// Sections that belong to the hall's machine, or that are made anew.
const LEFT_OUT: [&str; 7] = ["broker", "http", "screens", "collect", "output", "node", "mqtt"];
/// The folder of the program on a machine.
const FOLDER: &str = "/etc/flagfall";

/// Returns the files of one machine. `text` is the event's file.
///
/// # Errors
/// The text is not the one that was checked.
pub(super) fn files(venue: &Venue, text: &str, name: &str, secrets: &Secrets) -> Result<Vec<MadeFile>, String> {
    let wrong = |why: String| format!("{}: {why}", venue.file.display());
    let config = node_config(&venue.config, name);
    let all: Table = text.parse().map_err(|error: toml::de::Error| wrong(error.message().to_owned()))?;
    let event = event(&config, all, name).map_err(wrong)?;
    let password = secrets.passwords.get(name).cloned().unwrap_or_default() + "\n";
    let unit = unit(&config);
    let card = user_data(&config, name, [&event, &password, &unit], secrets);
    let at = |file: &str| format!("node/{name}/{file}");
    Ok(vec![
        MadeFile::open(at("event.toml"), event),
        MadeFile::secret(at("mqtt.password"), password),
        MadeFile::open(at("ca.pem"), &*secrets.authority),
        MadeFile::open(at("hall.conf"), unit),
        MadeFile::secret(at("user-data"), card),
    ])
}

/// The machine's configuration: the event's file without what concerns others, and with the broker.
fn event(config: &Config, mut all: Table, name: &str) -> Result<String, String> {
    let root = all.get("mqtt").and_then(|mqtt| mqtt.get("root").cloned());
    LEFT_OUT.iter().for_each(|section| drop(all.remove(*section)));
    // The machine believes nobody else who claims its own boards. The boards of others would make its file new whenever they move.
    if let Some(Value::Table(fleet)) = all.get_mut("fleet") {
        fleet.retain(|key, _| key == "node");
        let nodes = fleet.get_mut("node").and_then(Value::as_table_mut);
        nodes.into_iter().for_each(|nodes| nodes.retain(|node, _| node == name));
    }
    if let Some(Value::Table(users)) = all.get_mut("user") {
        users.retain(|user, _| config.user.contains_key(user));
        for (user, rights) in &config.user {
            let Some(Value::Table(table)) = users.get_mut(user) else { continue };
            table.remove("boards");
            if !rights.boards.is_empty() {
                let boards: Vec<Value> = rights.boards.iter().map(|board| Value::from(board.as_str())).collect();
                table.insert("boards".to_owned(), boards.into());
            }
        }
    }
    let mut organisers = fleet_organisers(config).peekable();
    if organisers.peek().is_some()
        && let Value::Table(users) = all.entry("user").or_insert_with(|| Value::Table(Table::new()))
    {
        let role: Table = [("role".to_owned(), Value::from("organiser"))].into_iter().collect();
        organisers.for_each(|name| drop(users.insert(name.clone(), role.clone().into())));
    }
    let written = match all.remove("board") {
        Some(Value::Array(boards)) => boards,
        _ => Vec::new(),
    };
    let is = |board: &Value, id: &str| board.get("id").and_then(Value::as_str) == Some(id);
    let boards = config.board.iter().map(|board| {
        let known = written.iter().find(|table| is(table, &board.id)).cloned();
        known.unwrap_or_else(|| Value::Table([("id".to_owned(), Value::from(board.id.as_str()))].into_iter().collect()))
    });
    all.insert("board".to_owned(), Value::Array(boards.collect()));
    all.insert("node".to_owned(), Value::Table([("name".to_owned(), Value::from(name))].into_iter().collect()));
    let broker = config.fleet.broker.as_ref().ok_or("[fleet] has no broker")?;
    let mut mqtt = Table::new();
    // The address: whether a name is found depends on the network.
    mqtt.insert("host".to_owned(), broker.address.as_str().into());
    mqtt.insert("port".to_owned(), i64::from(broker.port).into());
    mqtt.insert("tls".to_owned(), true.into());
    mqtt.insert("ca_file".to_owned(), format!("{FOLDER}/ca.pem").into());
    mqtt.insert("user".to_owned(), name.into());
    mqtt.insert("password_file".to_owned(), format!("{FOLDER}/mqtt.password").into());
    root.into_iter().for_each(|root| drop(mqtt.insert("root".to_owned(), root)));
    all.insert("mqtt".to_owned(), mqtt.into());
    let text = toml::to_string(&all).map_err(|error| error.to_string())?;
    Ok(format!("# Made by `flagfall fleet make` for {name}: change the event's file instead, and run it again.\n\n{text}"))
}

/// Lines for the service: it talks to the hall and to nobody else.
fn unit(config: &Config) -> String {
    let net = config.fleet.network().unwrap_or_default();
    format!("# /etc/systemd/system/flagfall.service.d/hall.conf\n[Service]\nIPAddressDeny=any\nIPAddressAllow=localhost {net}\n")
}

/// What cloud-init does when the card starts for the first time.
fn user_data(config: &Config, name: &str, [event, password, unit]: [&str; 3], secrets: &Secrets) -> String {
    let server = config.fleet.broker.as_ref().map_or("", |broker| &broker.address);
    let boards: Vec<&str> = config.board.iter().map(|board| board.id.as_str()).collect();
    let mut text = format!(
        "#cloud-config\n# The card of {name}, boards {}. Put this file as `user-data` beside the package (flagfall*.deb) on the boot\n\
         # partition. It has a password.\nhostname: '{name}'\nssh_pwauth: false\n",
        boards.join(", ")
    );
    if let Some(key) = &config.fleet.ssh_key {
        // Writing to a string does not fail.
        _ = write!(
            text,
            "users:\n- name: organiser\n  shell: /bin/bash\n  sudo: ALL=(ALL) NOPASSWD:ALL\n  ssh_authorized_keys:\n  - '{key}'\n"
        );
    }
    text.push_str("write_files:\n");
    let time = format!("[Time]\nNTP={server}\n");
    let chrony = format!("server {server} iburst\nmakestep 1 -1\n");
    let packages = config.fleet.packages.as_ref().zip(secrets.packages.as_ref()).map(|(folder, key)| package_source(folder, key));
    let files = [
        ("/etc/flagfall/event.toml", "0640", event),
        ("/etc/flagfall/mqtt.password", "0600", password),
        ("/etc/flagfall/ca.pem", "0644", &secrets.authority),
        ("/etc/systemd/system/flagfall.service.d/hall.conf", "0644", unit),
        // The first is read by the time service of a stock image, the second by chrony where it is installed.
        ("/etc/systemd/timesyncd.conf.d/flagfall.conf", "0644", time.as_str()),
        ("/etc/chrony/conf.d/flagfall.conf", "0644", chrony.as_str()),
    ];
    let source = packages.as_ref().map(|packages| ("/etc/apt/sources.list.d/flagfall.sources", "0644", packages.as_str()));
    for (path, mode, contents) in files.into_iter().chain(source) {
        _ = write!(text, "- path: {path}\n  permissions: '{mode}'\n  content: |\n");
        for line in contents.lines() {
            let indent = if line.is_empty() { "" } else { "    " };
            _ = writeln!(text, "{indent}{line}");
        }
    }
    // A hall may have no internet, so packages that are only recommended must not be asked for.
    text.push_str(
        "runcmd:\n\
         - apt-get install --yes --no-install-recommends /boot/firmware/*.deb\n\
         - chown root:flagfall /etc/flagfall/event.toml /etc/flagfall/mqtt.password\n\
         - chmod 0640 /etc/flagfall/event.toml /etc/flagfall/mqtt.password\n\
         - systemctl daemon-reload\n\
         - systemctl try-restart systemd-timesyncd chrony\n",
    );
    if config.fleet.ssh_key.is_some() {
        text.push_str("- systemctl enable --now ssh\n");
    }
    text.push_str("- systemctl enable --now flagfall\n");
    text
}

/// Where apt finds new versions, and the key that it trusts for nothing else.
fn package_source(folder: &str, key: &str) -> String {
    let key: String = key.lines().map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") }).collect();
    format!("Types: deb\nURIs: {folder}\nSuites: ./\nSigned-By:\n{key}")
}
