//! Shows the messages of the demonstration while its games are played, and checks whether all of them arrive.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::interval;

#[cfg(feature = "screens")]
use super::browser::Opening;
use super::check::Check;
use super::logins::ARBITER;
#[cfg(feature = "outputs")]
use super::pgn_file::PgnFile;
use super::simulated_hall::SimulatedHall;
use super::subscriber::{self, Login, SubscriberEvent};
use super::terminal::Terminal;
use super::view::View;
use crate::random;
use crate::system_clock::{self, MonotonicTime};

/// The time between two drawings of the screen.
const PICTURE: Duration = Duration::from_millis(250);
/// The time limit for the last messages, in addition to the public delay.
const ARRIVE_WITHIN: Duration = Duration::from_secs(20);
/// The time between two rounds of games: a visitor can rule meanwhile.
const BETWEEN_GAMES: Duration = Duration::from_secs(60);

/// What happens after the games.
enum NextGames {
    /// The next ones begin at this moment.
    Begin(MonotonicTime),
    /// The men are put back.
    SetUp,
    /// The next ones are played.
    Played,
}

/// The screen, and the check of what arrives.
pub(super) struct Show {
    /// The last state of each board for arbiters: its game and `rev`.
    pub(super) locks: BTreeMap<String, Value>,
    pub(super) view: View,
    pub(super) check: Check,
    /// The picture; none without a terminal.
    pub(super) terminal: Option<Terminal>,
    /// The opener of the browser.
    #[cfg(feature = "screens")]
    pub(super) opening: Option<Opening>,
    /// The file with the games; none before the collector has been started.
    #[cfg(feature = "outputs")]
    pub(super) pgn: Option<PgnFile>,
}

impl Show {
    /// Shows messages until everything has arrived or the time for it is over. Returns what is missing.
    pub(super) async fn until_all_arrived(
        &mut self,
        hall: &SimulatedHall,
        news_receiver: &mut mpsc::Receiver<SubscriberEvent>,
        delay: Duration,
    ) -> Result<Vec<String>> {
        let mut ticks = interval(PICTURE);
        let mut over: Option<MonotonicTime> = None;
        let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                news = news_receiver.recv() => match news {
                    Some(SubscriberEvent::Message(topic, payload)) => self.handle_message(&topic, &payload)?,
                    Some(SubscriberEvent::Subscribed) => {}
                    None => break,
                },
                _ = ticks.tick() => {
                    self.draw()?;
                    if over.is_none() && hall.done() {
                        over = Some(system_clock::monotonic());
                    }
                    if over.is_some() && self.missing().is_empty() {
                        break;
                    }
                    if over.is_some_and(|over| system_clock::monotonic().since(over) > delay + ARRIVE_WITHIN) {
                        break;
                    }
                }
                _ = &mut interrupted => break,
            }
        }
        self.draw()?;
        Ok(self.missing())
    }

    /// What has not arrived. The file is looked at when all messages are there.
    fn missing(&self) -> Vec<String> {
        let missing = self.check.missing();
        #[cfg(feature = "outputs")]
        if missing.is_empty() {
            return self.pgn.iter().filter_map(PgnFile::missing).collect();
        }
        missing
    }

    /// Plays new games, a minute after the last ones, until Ctrl-C.
    pub(super) async fn play_on(
        &mut self,
        hall: &SimulatedHall,
        news_receiver: &mut mpsc::Receiver<SubscriberEvent>,
        arbiter: &Login,
    ) -> Result<()> {
        let mut ticks = interval(PICTURE);
        let mut next = self.wait_for_new_games()?;
        let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                news = news_receiver.recv() => match news {
                    Some(SubscriberEvent::Message(topic, payload)) => self.handle_message(&topic, &payload)?,
                    Some(SubscriberEvent::Subscribed) => {}
                    None => return Ok(()),
                },
                _ = ticks.tick() => {
                    self.draw()?;
                    let now = system_clock::monotonic();
                    next = match next {
                        NextGames::Begin(at) if now >= at => {
                            hall.set_up_again()?;
                            if let Some(terminal) = &mut self.terminal {
                                terminal.note("");
                            }
                            NextGames::SetUp
                        }
                        NextGames::SetUp if hall.done() => {
                            self.start_games(arbiter).await?;
                            hall.play()?;
                            NextGames::Played
                        }
                        NextGames::Played if hall.done() => self.wait_for_new_games()?,
                        waiting => waiting,
                    };
                }
                _ = &mut interrupted => return Ok(()),
            }
        }
    }

    /// Says when new games begin.
    fn wait_for_new_games(&mut self) -> Result<NextGames> {
        self.note(match self.terminal {
            Some(_) => "New games begin in a minute.",
            None => "All games are over and everything arrived. New games begin in a minute. Ctrl-C ends.",
        })?;
        Ok(NextGames::Begin(system_clock::monotonic().after(BETWEEN_GAMES)))
    }

    /// An arbiter begins a new game at each board: an old one may still wait for a ruling.
    async fn start_games(&self, arbiter: &Login) -> Result<()> {
        for (board, lock) in &self.locks {
            let id = random::hex(random::UNGUESSABLE).context("an id")?;
            let command =
                json!({ "v": "1.0", "type": "cmd.start-game", "id": id, "expect": lock, "reason": "demonstration", "body": {} });
            subscriber::publish(arbiter, format!("flagfall/1/cmd/{ARBITER}/demo/1/{board}/start-game"), command.to_string())
                .await?;
        }
        Ok(())
    }

    pub(super) fn handle_message(&mut self, topic: &str, payload: &[u8]) -> Result<()> {
        self.note_lock(topic, payload);
        self.check.handle_message(topic, payload);
        match self.view.handle_message(topic, payload) {
            Some(line) if self.terminal.is_none() => self.line(&line),
            _ => Ok(()),
        }
    }

    fn note_lock(&mut self, topic: &str, payload: &[u8]) {
        let board = topic.strip_prefix("flagfall/1/arbiter/demo/1/").and_then(|rest| rest.strip_suffix("/state"));
        if let (Some(board), Ok(state)) = (board, serde_json::from_slice::<Value>(payload)) {
            self.locks.insert(board.to_owned(), json!({ "game": state["game"], "rev": state["rev"] }));
        }
    }

    fn draw(&mut self) -> Result<()> {
        #[cfg(feature = "screens")]
        if let Some(trouble) = self.opening.as_mut().and_then(Opening::trouble) {
            self.opening = None;
            self.note(&trouble)?;
        }
        if let Some(terminal) = &self.terminal {
            terminal.draw(&self.view.counts(), &self.view.frame())?;
        }
        Ok(())
    }

    /// Says something about the run: in the picture, or as a line.
    pub(super) fn note(&mut self, text: &str) -> Result<()> {
        match &mut self.terminal {
            Some(terminal) => terminal.note(text),
            None => self.line(text)?,
        }
        Ok(())
    }

    pub(super) fn line(&self, text: &str) -> Result<()> {
        let mut out = stdout().lock();
        writeln!(out, "{text}")?;
        Ok(out.flush()?)
    }
}
