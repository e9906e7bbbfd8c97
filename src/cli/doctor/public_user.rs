//! Checks what the public user of the pages may do at the broker: everybody who can load a page has its password.

use std::net::SocketAddr;

use super::Finding;
use crate::config::{self, Config, Mqtt};
use crate::daemon::node_name;
use crate::mqtt::{Identity, Rights, Trial, try_rights};

/// The first levels of topics that the public may not read, with a filter below each.
const SECRET: [(&str, &str); 5] =
    [("live", "live/#"), ("arbiter", "arbiter/#"), ("node", "node/+/info"), ("device", "device/#"), ("cmd", "cmd/#")];
/// The last level of the topics of this check, which no program uses.
const LEAF: &str = "doctor";
const ALLOWED: &str =
    "Let it read public/#, meta/+ and node/+/status, and nothing else (the file acl of config/mosquitto shows how).";

/// Logs in as the public user, if there is one.
pub(super) fn check(config: &Config) -> Option<Finding> {
    let screens = &config.screens;
    let (user, file) = (screens.public_user.as_ref()?, screens.public_password_file.as_ref()?);
    let about = format!("public user {user}");
    let wrong =
        |found: String| Finding::problem(about.clone(), found, "Correct screens.public_password_file, and the files of [mqtt].");
    let password = match config::password(file) {
        Ok(password) => password,
        Err(why) => return Some(wrong(format!("{}: {why}", file.display()))),
    };
    // The broker in this program makes a login of its own for the node, so nobody can publish for the node there.
    let own = config.publishes_to_own_broker();
    let mqtt = if own { own_broker(config)? } else { config.mqtt.clone() };
    let node = node_name(config.node.name.as_deref());
    let identities = Identity::of_user(&mqtt, user, password)
        .and_then(|user| Ok((user, if own { None } else { Some(Identity::read(&mqtt, &node)?) })));
    let (identity, of_node) = match identities {
        Ok(identities) => identities,
        Err(error) => return Some(wrong(error.to_string())),
    };
    let client = format!("flagfall-doctor-{node}-public-{}", std::process::id());
    let trial = trial(config);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return Some(Finding::problem(about, error.to_string(), "Close other programs, or restart the machine.")),
    };
    Some(match runtime.block_on(try_rights(&identity, of_node.as_ref(), &client, &trial)) {
        Ok(rights) => judge(about, &config.mqtt.root, &trial, &rights),
        Err(cause) if identity.trouble(cause.as_ref()).bad_login => Finding::problem(
            about,
            "the broker refuses it: user name or password is wrong",
            "Make this user at the broker (mosquitto_passwd), or correct screens.public_password_file.",
        ),
        Err(_) => Finding::warning(about, "was not tried: the broker cannot be used", "Mend the broker first, then look again."),
    })
}

/// The broker in this program, without TLS; none if its address is none.
fn own_broker(config: &Config) -> Option<Mqtt> {
    let tcp: SocketAddr = config.broker.tcp.parse().ok()?;
    Some(Mqtt { host: tcp.ip().to_string(), port: Some(tcp.port()), root: config.mqtt.root.clone(), ..Mqtt::default() })
}

/// What is tried, on topics of the first board of this configuration.
fn trial(config: &Config) -> Trial {
    let board = config.board.first().map_or("none", |board| &board.id);
    let root = &config.mqtt.root;
    let topic = |audience: &&str| format!("{root}/1/{audience}/{}/{}/{board}/{LEAF}", config.event.id, config.event.round);
    let filters = SECRET.iter().map(|(_, filter)| *filter).chain(["public/#"]);
    Trial {
        filters: filters.map(|filter| format!("{root}/1/{filter}")).collect(),
        from_node: ["arbiter", "live", "public"].iter().map(topic).collect(),
        from_user: ["arbiter", "live", "public"].iter().map(topic).collect(),
    }
}

fn judge(about: String, root: &str, trial: &Trial, rights: &Rights) -> Finding {
    let root = format!("{root}/1/");
    let first = |topic: &String| topic.strip_prefix(&root).and_then(|rest| rest.split('/').next()).unwrap_or_default().to_owned();
    let names = |topics: Vec<String>| topics.iter().map(|name| format!("{name}/")).collect::<Vec<_>>().join(", ");
    let mut read: Vec<String> = rights.received.iter().map(first).filter(|name| name != "public").collect();
    read.dedup();
    let written: Vec<String> = rights.written.iter().map(first).collect();
    if !read.is_empty() || !written.is_empty() {
        let may = [("may read", read), ("may write", written)].into_iter().filter(|(_, names)| !names.is_empty());
        let may: Vec<String> = may.map(|(what, topics)| format!("{what} {}", names(topics))).collect();
        return Finding::problem(about, format!("{}: so may everybody who loads a page", may.join(" and ")), ALLOWED);
    }
    match trial.from_node.last() {
        Some(public) if rights.node_published && !rights.received.contains(public) => {
            Finding::warning(about, "is taken, but receives nothing below public/: televisions stay empty", ALLOWED)
        }
        _ if rights.node_published => {
            Finding::ok(about, "reads public/, and nothing that is live or for arbiters; it may not write")
        }
        _ => Finding::ok(about, "receives nothing that is live or for arbiters; it may not write"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn what_everybody_may_do_is_named() {
        let trial = trial(&Config::default());
        let topic = |audience: &str| trial.from_node.iter().find(|topic| topic.contains(audience)).cloned().expect("a topic");
        for (received, written, published, state, found) in [
            (vec!["public"], vec![], true, State::Ok, "reads public/, and nothing"),
            (vec![], vec![], false, State::Ok, "receives nothing that is live"),
            (vec![], vec![], true, State::Warning, "receives nothing below public/"),
            (vec!["arbiter", "live", "public"], vec![], true, State::Problem, "may read arbiter/, live/: so"),
            (vec!["public"], vec!["public"], true, State::Problem, "may write public/: so"),
            (vec!["live"], vec!["arbiter"], false, State::Problem, "may read live/ and may write arbiter/"),
        ] {
            let rights = Rights {
                received: received.iter().map(|audience| topic(audience)).collect(),
                written: written.iter().map(|audience| topic(audience)).collect(),
                node_published: published,
            };
            let finding = judge("it".to_owned(), "flagfall", &trial, &rights);
            assert!(finding.state == state && finding.found.contains(found), "{received:?}, {written:?}: {finding:?}");
        }
    }
}
