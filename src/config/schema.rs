//! Lists every key of the configuration with the kind and range of its value, so that a value can be checked while its place in
//! the file is still known.

use super::values;

/// Checks a text, and returns what is wrong with it.
pub(crate) type Check = fn(&str) -> Result<(), String>;

/// The kind of a key's value.
pub(crate) enum Kind {
    /// `true` or `false`.
    Switch,
    /// A whole number; both ends are included.
    Number {
        min: i64,
        max: i64,
    },
    Text(Check),
    Path,
    /// One of these words.
    Choice(&'static [&'static str]),
    Texts(Check),
    Paths,
    /// `[section]`.
    Section(&'static [Key]),
    /// A name, or a table with these keys.
    Player(&'static [Key]),
    /// `[section.name]`, any number of them.
    Named(&'static [Key]),
    /// `[[board]]`: tables that are identified by the key of this name.
    Tables(&'static str, &'static [Key]),
}

/// A key and the kind of its value.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// A table without it is an error.
    pub(crate) required: bool,
}

const fn key(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, required: false }
}

const fn required(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, required: true }
}

/// All sections of the configuration.
pub(crate) const SECTIONS: &[Key] = &[
    key("node", Kind::Section(&[key("name", Kind::Text(values::node))])),
    key("event", Kind::Section(EVENT)),
    key("live", Kind::Section(SHOWN)),
    key("public", Kind::Section(SHOWN)),
    key("mqtt", Kind::Section(MQTT)),
    key("broker", Kind::Section(BROKER)),
    key("livechess", Kind::Section(LIVECHESS)),
    key("http", Kind::Section(&[key("listen", Kind::Text(values::address_or_none))])),
    key("screens", Kind::Section(SCREENS)),
    key("journal", Kind::Section(JOURNAL)),
    key("discovery", Kind::Section(&[key("folders", Kind::Paths)])),
    key("bluetooth", Kind::Section(&[key("adapter", Kind::Text(values::adapter))])),
    key("log", Kind::Section(&[key("level", Kind::Choice(&["error", "warn", "info", "debug"]))])),
    key("user", Kind::Named(USER)),
    key("board", Kind::Tables("id", BOARD)),
    key("collect", Kind::Section(COLLECT)),
    key("output", Kind::Tables("name", OUTPUT)),
    key("fleet", Kind::Section(FLEET)),
];

/// The keys of the section `[event]`.
const EVENT: &[Key] = &[
    key("id", Kind::Text(values::id)),
    key("round", Kind::Text(values::id)),
    key("start", Kind::Text(values::date_time)),
    key("time_control", Kind::Text(values::time_control)),
    key("profile", Kind::Text(values::profile)),
    key("guidelines", Kind::Choice(&["", "III.4", "III.5"])),
    key("rulings", Kind::Choice(&["advise", "automatic"])),
    key("observer", Kind::Switch),
    key("default_time", Kind::Number { min: 0, max: 7200 }),
    key("chess960", Kind::Switch),
    key("casual", Kind::Switch),
    key("delay", Kind::Number { min: 0, max: 86_400 }),
    key("delay_moves", Kind::Number { min: 0, max: 40 }),
    key("from_meta", Kind::Switch),
];

/// The keys of the sections `[live]` and `[public]`.
const SHOWN: &[Key] = &[key("until_press", Kind::Switch)];

/// The keys of the section `[mqtt]`.
const MQTT: &[Key] = &[
    key("host", Kind::Text(values::host)),
    key("port", Kind::Number { min: 1, max: 65_535 }),
    key("root", Kind::Text(values::topic_level)),
    key("user", Kind::Text(values::plain)),
    key("password_file", Kind::Path),
    key("tls", Kind::Switch),
    key("ca_file", Kind::Path),
    key("certificate_file", Kind::Path),
    key("key_file", Kind::Path),
    key("insecure", Kind::Switch),
    key("raw", Kind::Switch),
];

/// The keys of the section `[broker]`.
const BROKER: &[Key] = &[
    key("enabled", Kind::Switch),
    key("tcp", Kind::Text(values::address)),
    key("websocket", Kind::Text(values::address_or_none)),
    key("user", Kind::Named(BROKER_USER)),
];

/// The keys of a user of the broker, `[broker.user.<name>]`.
const BROKER_USER: &[Key] =
    &[required("password_file", Kind::Path), key("read", Kind::Texts(values::filter)), key("write", Kind::Texts(values::filter))];

/// The keys of the section `[livechess]`.
const LIVECHESS: &[Key] =
    &[key("enabled", Kind::Switch), key("listen", Kind::Texts(values::loopback)), key("origins", Kind::Texts(values::origin))];

/// The keys of the section `[screens]`.
const SCREENS: &[Key] = &[
    key("enabled", Kind::Switch),
    key("listen", Kind::Text(values::address)),
    key("certificate_file", Kind::Path),
    key("key_file", Kind::Path),
    key("insecure", Kind::Switch),
    key("names", Kind::Texts(values::host)),
    key("trusted_proxies", Kind::Texts(values::ip)),
    key("public_user", Kind::Text(values::plain)),
    key("public_password_file", Kind::Path),
    key("websocket", Kind::Text(values::websocket)),
    key("embed", Kind::Texts(values::origin)),
];

/// The keys of the section `[journal]`.
const JOURNAL: &[Key] = &[
    key("dir", Kind::Path),
    key("file_mib", Kind::Number { min: 1, max: 128 }),
    key("total_mib", Kind::Number { min: 1, max: 65_536 }),
];

/// The keys of a user, `[user.<name>]`.
const USER: &[Key] =
    &[required("role", Kind::Choice(&["operator", "arbiter", "chief", "organiser"])), key("boards", Kind::Texts(values::id))];

/// The keys of a board, `[[board]]`.
const BOARD: &[Key] = &[
    required("id", Kind::Text(values::board)),
    key("driver", Kind::Text(values::driver)),
    key("serial", Kind::Text(values::plain)),
    key("usb_serial", Kind::Text(values::plain)),
    key("port", Kind::Path),
    key("transport", Kind::Choice(&["serial", "ble", "hid"])),
    key("bluetooth", Kind::Text(values::plain)),
    key("unlock_file", Kind::Path),
    key("calibration_file", Kind::Path),
    key("clock", Kind::Section(CLOCK)),
    key("white", Kind::Player(PLAYER)),
    key("black", Kind::Player(PLAYER)),
    key("time_control", Kind::Text(values::time_control)),
    key("games", Kind::Number { min: 1, max: 64 }),
    key("start", Kind::Text(values::date_time)),
    key("white_clock", Kind::Choice(&["left", "right"])),
    key("chess960", Kind::Switch),
    key("profile", Kind::Text(values::profile)),
];

/// The keys of the section `[collect]`.
const COLLECT: &[Key] =
    &[key("enabled", Kind::Switch), key("dir", Kind::Path), key("standby", Kind::Switch), key("release_orphans", Kind::Switch)];

/// The keys of an output of the collector, `[[output]]`.
const OUTPUT: &[Key] = &[
    required("name", Kind::Text(values::id)),
    required("kind", Kind::Choice(&["files", "command", "lichess"])),
    key("audience", Kind::Choice(&["public", "live"])),
    key("profile", Kind::Choice(&["full", "relay"])),
    key("dir", Kind::Path),
    key("split", Kind::Switch),
    key("boards", Kind::Text(values::board_numbers)),
    key("command", Kind::Texts(values::argument)),
    key("url", Kind::Text(values::web_address)),
    key("token_file", Kind::Path),
    key("round", Kind::Text(values::lichess_round)),
    key("every", Kind::Number { min: 1, max: 3600 }),
    key("timeout", Kind::Number { min: 1, max: 600 }),
    key("heartbeat", Kind::Number { min: 0, max: 86_400 }),
    key("receiver_delays", Kind::Switch),
];

/// The keys of the section `[fleet]`.
const FLEET: &[Key] = &[
    key("broker", Kind::Section(FLEET_BROKER)),
    key("valid", Kind::Section(VALID)),
    key("net", Kind::Text(values::network)),
    key("relay", Kind::Text(values::host_and_port)),
    key("hall", Kind::Text(values::id)),
    key("ssh_key", Kind::Text(values::ssh_key)),
    key("packages", Kind::Text(values::package_folder)),
    key("spares", Kind::Texts(values::plain)),
    key("node", Kind::Named(&[required("boards", Kind::Texts(values::board))])),
    key("user", Kind::Named(&[required("role", Kind::Choice(&["screen", "overlay", "collector", "organiser"]))])),
];

/// The keys of the broker of a fleet, `broker = { name = "…", address = "…" }`.
const FLEET_BROKER: &[Key] = &[
    required("name", Kind::Text(values::machine)),
    required("address", Kind::Text(values::ip)),
    key("port", Kind::Number { min: 1, max: 65_535 }),
];

/// The keys of the time of certificates, `valid = { from = "…", days = 60 }`.
const VALID: &[Key] = &[required("from", Kind::Text(values::date)), required("days", Kind::Number { min: 1, max: 800 })];

/// The keys of a clock with its own link, `[board.clock]`.
const CLOCK: &[Key] = &[required("driver", Kind::Text(values::driver)), key("bluetooth", Kind::Text(values::plain))];

/// The keys of a player, `white = { name = "…" }`.
const PLAYER: &[Key] = &[
    key("name", Kind::Text(values::plain)),
    key("title", Kind::Text(values::title)),
    key("rating", Kind::Number { min: 1, max: 4000 }),
    key("federation", Kind::Text(values::federation)),
    key("fide_id", Kind::Number { min: 1, max: u32::MAX as i64 }),
];

impl Kind {
    /// The keys inside, if it is a table.
    pub(crate) fn keys(&self) -> Option<&'static [Key]> {
        match self {
            Kind::Section(keys) | Kind::Player(keys) | Kind::Named(keys) | Kind::Tables(_, keys) => Some(keys),
            _ => None,
        }
    }

    /// What may be written here, for an error message.
    pub(crate) fn wanted(&self, name: &str) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Number { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Text(_) => "text in quotes".to_owned(),
            Kind::Path => "a path in quotes".to_owned(),
            Kind::Choice(words) => format!("one of \"{}\"", words.join("\", \"")),
            Kind::Texts(_) => "a list of texts, [\"...\", \"...\"]".to_owned(),
            Kind::Paths => "a list of paths, [\"...\", \"...\"]".to_owned(),
            Kind::Section(_) => format!("a section, [{name}]"),
            Kind::Player(_) => format!("a name in quotes or a table, {name} = {{ name = \"...\", title = \"...\" }}"),
            Kind::Named(_) => format!("sections with a name, [{name}.NAME]"),
            Kind::Tables(..) => format!("tables, [[{name}]]"),
        }
    }
}

/// Returns every key in dotted form; a free name is `*`: `user.*.role`, `board.*.id`.
pub fn keys() -> Vec<String> {
    fn collect(prefix: &str, keys: &[Key], found: &mut Vec<String>) {
        for key in keys {
            let dotted = super::place::dotted(prefix, key.name);
            match &key.kind {
                Kind::Section(inner) => collect(&dotted, inner, found),
                Kind::Named(inner) | Kind::Tables(_, inner) => collect(&format!("{dotted}.*"), inner, found),
                _ => found.push(dotted),
            }
        }
    }
    let mut found = Vec::new();
    collect("", SECTIONS, &mut found);
    found
}
