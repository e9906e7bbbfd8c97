//! Reads and publishes the messages of an event with the organiser's login.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use flagfall_protocols::trace::Audience;

use crate::config::{self, Config};
use crate::event::model::EventFile;
use crate::mqtt::{ExchangeError, Identity, follow_retained, publish_retained, read_retained, request};
use crate::outputs::moves_parts::whole_state;
use crate::random;
use crate::wire::meta;
use crate::wire::topics::{self, is_id};

/// Why the game of a board cannot be written.
pub(super) const INCOMPLETE: &str = "the broker does not have all its moves, or this login may not read `moves/+`";

/// The login of the organiser.
#[derive(Args)]
pub(super) struct Login {
    /// A configuration file with the broker and the organiser's login in its section [mqtt]; a later one lies over the earlier
    /// ones. Without any: /etc/flagfall/flagfall.toml, then /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

/// A broker that can be used.
pub(super) struct Broker {
    identity: Identity,
    client: String,
    /// The first level of every topic.
    pub(super) root: String,
    runtime: tokio::runtime::Runtime,
}

impl Login {
    /// Reads the configuration.
    pub(super) fn config(&self) -> Result<Config> {
        Ok(config::load_default(&self.config)?.config)
    }

    /// Reads the login.
    pub(super) fn broker(&self) -> Result<Broker> {
        let Config { mqtt, .. } = self.config()?;
        let identity = Identity::read(&mqtt, "organiser")?;
        let client = format!("flagfall-event-{}", random::hex(random::UNGUESSABLE).context("a client id")?);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Broker { identity, client, root: mqtt.root, runtime })
    }
}

impl Broker {
    /// Returns the retained messages on these filters.
    pub(super) fn read(&self, filters: &[String]) -> Result<Vec<(String, Vec<u8>)>, ExchangeError> {
        self.runtime.block_on(read_retained(&self.identity, &self.client, filters))
    }

    /// Returns the states of the boards of a round by the ids of the boards, each with all its moves (`wire/README.md#2.2`).
    pub(super) fn read_states(
        &self,
        audience: Audience,
        event: &str,
        round: u32,
    ) -> Result<BTreeMap<String, Vec<u8>>, ExchangeError> {
        let below = format!("{}/1/{}/{event}/{round}/", self.root, audience.name());
        let read = self.read(&["state", "moves/+"].map(|leaf| format!("{below}+/{leaf}")))?;
        let all: BTreeMap<&str, &[u8]> = read.iter().map(|(topic, payload)| (topic.as_str(), payload.as_slice())).collect();
        let state = |(topic, payload): (&&str, &&[u8])| {
            let board = topic.strip_prefix(&below)?.strip_suffix("/state").filter(|board| is_id(board) && !payload.is_empty())?;
            let part = |number| all.get(format!("{below}{board}/moves/{number}").as_str()).copied();
            Some((board.to_owned(), whole_state(payload, part)))
        };
        Ok(all.iter().filter_map(state).collect())
    }

    /// The user of the login; without a login a broker lets everybody be anybody.
    pub(super) fn user(&self) -> String {
        self.identity.user().map_or_else(|| "organiser".to_owned(), |(user, _)| user)
    }

    /// A name that nobody else has.
    pub(super) fn client(&self) -> &str {
        &self.client
    }

    /// Publishes a command, and returns what `read` makes of the messages on the topic `answers`; none if nobody answers in time.
    pub(super) fn request<T>(
        &self,
        topic: &str,
        payload: &str,
        answers: &str,
        read: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, ExchangeError> {
        self.runtime.block_on(request(&self.identity, &self.client, (topic, payload), answers, read))
    }

    /// Calls `note` with every message on these filters, retained ones first, until `end` is ready.
    pub(super) fn follow<T>(&self, filters: &[String], note: impl FnMut(&str, &[u8]), end: impl Future<Output = T>) -> T {
        self.runtime.block_on(async {
            tokio::select! {
                () = follow_retained(&self.identity, &self.client, filters, note) => std::future::pending().await,
                end = end => end,
            }
        })
    }

    /// Publishes all of the event and writes its file with the new number. Refuses if somebody else has published meanwhile.
    pub(super) fn publish(&self, file: &mut EventFile, path: &std::path::Path) -> Result<()> {
        let topic = topics::meta_event(&self.root, &file.id);
        let known = self.read(&[topic.clone(), format!("{topic}/+")]).context("the messages that are there")?;
        let revs = known.iter().filter_map(|(_, payload)| serde_json::from_slice::<meta::Meta<serde_json::Value>>(payload).ok());
        if let Some(rev) = revs.map(|meta| meta.rev).max().filter(|rev| *rev > file.rev) {
            bail!(
                "the broker has publication {rev} of {}, but this file has {}: somebody published from another file. \
                 `flagfall event fetch {}` makes the file again from what is published",
                file.id,
                file.rev,
                file.id
            );
        }
        let messages = file.publish(&self.root)?;
        // If the publication fails now, its number is used up, and the next one has a higher number.
        file.write(path)?;
        let messages: Vec<(String, String)> = messages.into_iter().map(|sent| (sent.topic, sent.payload)).collect();
        let published = self.runtime.block_on(publish_retained(&self.identity, &self.client, &messages));
        published.context("not everything is published; the file is written, so `flagfall event publish` tries again")
    }
}
