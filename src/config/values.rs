//! Checks single values, such as ids, names, addresses and time controls.

use std::net::{IpAddr, SocketAddr};

use flagfall_game::AUTOMATIC;
use flagfall_game::clock::control::TimeControl;
use flagfall_protocols::drivers::{self, DRIVERS};

use super::nearest::nearest;
use super::output::{PLACEHOLDERS, board_ranges};
use super::types::{Guidelines, rulebook};
use crate::system_clock::Utc;

/// The largest length of a text, in bytes.
const LONGEST_TEXT: usize = 200;

/// A value as an error message shows it: no control characters, not too long.
pub(crate) fn shown(text: &str) -> String {
    let mut cut: String = text.chars().take(60).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}

/// Fails with what is wrong unless the value fits.
fn must(fits: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if fits { Ok(()) } else { Err(why()) }
}

/// An id in topics.
pub(crate) fn id(text: &str) -> Result<(), String> {
    id_of(text, 40, "an id")
}

/// The id of a board. The topic of a round's games as PGN stands beside the boards' topics.
pub(crate) fn board(text: &str) -> Result<(), String> {
    if text == "pgn" {
        return Err("\"pgn\" is the topic of all games of a round: give the board another id".to_owned());
    }
    id(text)
}

/// The name of a node. It is shorter than other ids, since the name of its collector is made of it.
pub(crate) fn node(text: &str) -> Result<(), String> {
    id_of(text, 32, "the name of a node")
}

fn id_of(text: &str, longest: usize, what: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    must((1..=longest).contains(&text.len()) && text.bytes().all(fit), || {
        format!("{} is not {what}: 1 to {longest} of the letters a-z, digits and -", shown(text))
    })
}

/// A user's name: one level of a topic.
pub(crate) fn user(text: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_alphanumeric() || b"-_".contains(&c);
    if text.eq_ignore_ascii_case(AUTOMATIC) {
        return Err(format!("{} is the name of automatic decisions, not a user name", shown(text)));
    }
    must((1..=64).contains(&text.len()) && text.bytes().all(fit), || {
        format!("{} is not a user name: 1 to 64 of the letters A-Z a-z, digits and - _", shown(text))
    })
}

/// Numbers of boards.
pub(crate) fn board_numbers(text: &str) -> Result<(), String> {
    match board_ranges(text) {
        Some(_) => Ok(()),
        None => Err(format!("{} are not numbers of boards such as \"1-50,60\"", shown(text))),
    }
}

/// One argument of a command. Braces stand around the names of what is put there.
pub(crate) fn argument(text: &str) -> Result<(), String> {
    plain(text)?;
    let mut rest = text;
    while let Some((_, inner)) = rest.split_once('{') {
        let name = inner.split_once('}').map(|(name, _)| name);
        let Some(name) = name.filter(|name| PLACEHOLDERS.contains(name)) else {
            let known = PLACEHOLDERS.map(|name| format!("{{{name}}}")).join(", ");
            return Err(format!("{}: after {{ only these are known: {known}", shown(text)));
        };
        rest = &inner[name.len()..];
    }
    Ok(())
}

/// First level of topics.
pub(crate) fn topic_level(text: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_alphanumeric() || b"-_.".contains(&c);
    must((1..=40).contains(&text.len()) && text.bytes().all(fit), || {
        format!("{} is not one level of a topic: 1 to 40 of the letters A-Z a-z, digits and - _ .", shown(text))
    })
}

/// A time control in PGN notation.
pub(crate) fn time_control(text: &str) -> Result<(), String> {
    match TimeControl::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{}: {error}; for example \"5400+30\" is 90 minutes and 30 seconds a move", shown(text))),
    }
}

/// A time for people with its date.
pub(crate) fn date_time(text: &str) -> Result<(), String> {
    match Utc::parse_with_offset(text) {
        Some(_) => Ok(()),
        None => Err(format!("{} is no time such as 2026-11-24T14:00:00+01:00", shown(text))),
    }
}

/// The rules that are played.
pub(crate) fn profile(text: &str) -> Result<(), String> {
    rulebook(text, Guidelines::None).map(drop).map_err(|error| error.to_string())
}

/// The name of a driver.
pub(crate) fn driver(text: &str) -> Result<(), String> {
    if drivers::find(text).is_some() {
        return Ok(());
    }
    let names = || DRIVERS.iter().map(|driver| driver.name);
    let hint = match nearest(text, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
    };
    Err(format!("no driver is called {}; {hint}", shown(text)))
}

/// The system's name of a Bluetooth adapter.
pub(crate) fn adapter(text: &str) -> Result<(), String> {
    let number = text.strip_prefix("hci").unwrap_or_default();
    must((1..=3).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit()), || {
        format!("{} is not the name of a Bluetooth adapter such as \"hci0\"", shown(text))
    })
}

/// A text for people, or a serial number.
pub(crate) fn plain(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty: leave the key out instead".to_owned());
    }
    // Line and paragraph separators; the last two are no letters, and YAML refuses them.
    let strange = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
    must(text.len() <= LONGEST_TEXT && !text.chars().any(strange), || {
        format!("{}: at most {LONGEST_TEXT} bytes, on one line", shown(text))
    })
}

/// A title of a player.
pub(crate) fn title(text: &str) -> Result<(), String> {
    must((1..=5).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_alphabetic()), || {
        format!("{} is not a title such as \"GM\" or \"WFM\"", shown(text))
    })
}

/// A federation of players, as FIDE writes it.
pub(crate) fn federation(text: &str) -> Result<(), String> {
    must(text.len() == 3 && text.bytes().all(|c| c.is_ascii_uppercase()), || {
        format!("{} is not a federation such as \"NED\": three letters A-Z", shown(text))
    })
}

/// Name or address of a machine, without a port.
pub(crate) fn host(text: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_alphanumeric() || b"-_.:%".contains(&c);
    if text.contains("://") || text.contains('/') {
        return Err(format!("{}: only the name or address, without `mqtt://`", shown(text)));
    }
    if text.matches(':').count() == 1 {
        return Err(format!("{}: the port has a key of its own, mqtt.port", shown(text)));
    }
    must((1..=253).contains(&text.len()) && text.bytes().all(fit), || {
        format!("{} is not the name or address of a machine", shown(text))
    })
}

/// The name of a machine, as certificates have it.
pub(crate) fn machine(text: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-.".contains(&c);
    must((1..=253).contains(&text.len()) && text.bytes().all(fit) && text.parse::<IpAddr>().is_err(), || {
        format!("{} is not the name of a machine such as \"hall.local\"", shown(text))
    })
}

/// The address of a machine.
pub(crate) fn ip(text: &str) -> Result<(), String> {
    match text.parse::<IpAddr>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{} is not an address such as \"192.168.1.10\"", shown(text))),
    }
}

/// A network.
pub(crate) fn network(text: &str) -> Result<(), String> {
    match super::fleet::network(text) {
        Some(_) => Ok(()),
        None => Err(format!("{} is not a network such as \"192.168.1.0/24\"", shown(text))),
    }
}

/// The name or address of a machine, with a port.
pub(crate) fn host_and_port(text: &str) -> Result<(), String> {
    let fits = |(name, port): (&str, &str)| host(name).is_ok() && port.parse::<u16>().is_ok_and(|port| port > 0);
    must(text.rsplit_once(':').is_some_and(fits), || {
        format!("{} is not a machine with its port such as \"relay.example.org:8883\"", shown(text))
    })
}

/// A public key of SSH, on one line.
pub(crate) fn ssh_key(text: &str) -> Result<(), String> {
    let fit = |c: char| c.is_ascii_graphic() && !"'\"\\#".contains(c) || c == ' ';
    let known = ["ssh-ed25519 ", "ssh-rsa ", "ecdsa-sha2-", "sk-"].iter().any(|start| text.starts_with(start));
    must(known && text.len() <= 2000 && text.chars().all(fit), || {
        format!("{} is not a public key such as \"ssh-ed25519 AAAA… name\"", shown(text))
    })
}

/// A day.
pub(crate) fn date(text: &str) -> Result<(), String> {
    let same = |time: Utc| time.to_string().starts_with(text);
    // Texts of this length are in the order of the days.
    must(
        text.len() == 10
            && ("2000-01-01".."3000-01-01").contains(&text)
            && Utc::parse(&format!("{text}T00:00:00Z")).is_some_and(same),
        || format!("{} is not a day such as \"2026-01-01\"", shown(text)),
    )
}

/// Address and port to listen at.
pub(crate) fn address(text: &str) -> Result<(), String> {
    match text.parse::<SocketAddr>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("{} is not an address and port such as \"127.0.0.1:1883\"", shown(text))),
    }
}

/// An address of this machine and a port to listen at, which no other machine can reach.
pub(crate) fn loopback(text: &str) -> Result<(), String> {
    address(text)?;
    must(text.parse::<SocketAddr>().is_ok_and(|address| address.ip().is_loopback()), || {
        format!("{} can be reached from other machines: only 127.0.0.1 and [::1] are allowed", shown(text))
    })
}

/// The origin of web pages, as browsers send it.
pub(crate) fn origin(text: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"-._:[]".contains(&c);
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    must((1..=LONGEST_TEXT).contains(&host.len()) && host.bytes().all(fit), || {
        format!(
            "{} is not an origin such as \"https://lichess.org\": http:// or https://, a host in small letters, perhaps a port, no path",
            shown(text)
        )
    })
}

/// The address of a WebSocket, as pages use it. Only one on this machine may be without TLS.
pub(crate) fn websocket(text: &str) -> Result<(), String> {
    let as_web = text.strip_prefix("wss://").map(|rest| format!("https://{rest}"));
    let as_web = as_web.or_else(|| text.strip_prefix("ws://").map(|rest| format!("http://{rest}")));
    must(as_web.is_some_and(|web| web_address(&web).is_ok()), || format!("{}: must begin with wss://", shown(text)))
}

/// The address of a web service. Only one on this machine may be without TLS.
pub(crate) fn web_address(text: &str) -> Result<(), String> {
    // Before an `@` the address would name a user, and not the machine.
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'@');
    let host = |rest: &str| rest.split(['/', ':', '?', '#']).next().unwrap_or_default().to_owned();
    match text.split_once("://") {
        Some(("https", rest)) if plain && !host(rest).is_empty() => Ok(()),
        Some(("http", rest)) if plain && ["127.0.0.1", "localhost"].contains(&host(rest).as_str()) => Ok(()),
        _ => Err(format!("{}: must begin with https://", shown(text))),
    }
}

/// The address of a folder with signed packages.
pub(crate) fn package_folder(text: &str) -> Result<(), String> {
    let fit = |c: u8| c.is_ascii_alphanumeric() || b"-._:/[]~%".contains(&c);
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    must((1..=LONGEST_TEXT).contains(&host.len()) && !host.starts_with('/') && host.bytes().all(fit), || {
        format!("{} is not the address of a folder such as \"http://192.168.1.10:8000\"", shown(text))
    })
}

/// The id of a round at lichess, or none.
pub(crate) fn lichess_round(text: &str) -> Result<(), String> {
    if text.is_empty() || text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(format!("{}: must be the 8 letters and digits at the end of the round's address", shown(text)))
}

/// An address and port to listen at, or an empty text.
pub(crate) fn address_or_none(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { address(text) }
}

/// A topic filter of MQTT.
pub(crate) fn filter(text: &str) -> Result<(), String> {
    let levels: Vec<&str> = text.split('/').collect();
    let last = levels.len() - 1;
    let fits = |(index, level): (usize, &&str)| match *level {
        "+" => true,
        "#" => index == last,
        level => !level.contains(['+', '#']) && !level.chars().any(char::is_control),
    };
    must((1..=LONGEST_TEXT).contains(&text.len()) && levels.iter().enumerate().all(fits), || {
        format!("{} is not a topic filter: + and # stand for whole levels, # only at the end", shown(text))
    })
}
