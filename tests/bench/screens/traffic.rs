//! Two hundred boards at which blitz is played: every half second a clock of each, every three seconds a half-move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::v5::Client;
use rumqttc::v5::mqttbytes::QoS;
use serde_json::Value;

use crate::game::Game;
use crate::stage::made_up::topic;
use crate::support::schemas::validate;
use crate::support::waiting::{pause, thread};

/// The time between two clocks of a board.
const ROUND: Duration = Duration::from_millis(500);
/// A board makes a half-move in so many of these rounds.
const ROUNDS_A_MOVE: usize = 6;

/// The messages of all boards, until it is dropped.
pub(crate) struct Traffic {
    ends: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
    began: MonotonicTime,
    thread: Option<JoinHandle<()>>,
}

impl Traffic {
    /// Publishes the states of all boards, and goes on from there on a thread of its own.
    pub(crate) fn start(client: Client, boards: usize) -> Traffic {
        let mut games: Vec<Game> = (1..=boards).map(Game::new).collect();
        for game in &mut games {
            // What the public and commentators of a hall see at the moment at which a page is opened.
            for audience in ["public", "live"] {
                for (leaf, message) in [("state", game.state()), ("clock", game.clock())] {
                    let topic = format!("flagfall/1/{}", topic(audience, &game.board, leaf));
                    validate(&topic, message.to_string()).unwrap_or_else(|problem| panic!("{problem}"));
                    client.publish(topic, QoS::AtMostOnce, true, message.to_string()).expect("the client runs");
                }
            }
        }
        let (ends, sent) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let work = {
            let (ends, sent) = (Arc::clone(&ends), Arc::clone(&sent));
            move || play(&client, &mut games, &ends, &sent)
        };
        Traffic { ends, sent, began: monotonic(), thread: Some(thread("traffic", work)) }
    }

    /// The messages in a second since the beginning.
    pub(crate) fn rate(&self) -> f64 {
        self.sent.load(Ordering::Relaxed) as f64 / monotonic().since(self.began).as_secs_f64()
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn play(client: &Client, games: &mut [Game], ends: &AtomicBool, sent: &AtomicU64) {
    let send = |game: &Game, leaf: &str, message: &Value| {
        let is_state = leaf != "move";
        let topic = format!("flagfall/1/{}", topic("live", &game.board, leaf));
        if client.publish(topic, QoS::AtMostOnce, is_state, message.to_string()).is_ok() {
            sent.fetch_add(1, Ordering::Relaxed);
        }
    };
    let step = ROUND / games.len() as u32;
    let mut due = monotonic();
    for round in 0.. {
        for (number, game) in games.iter_mut().enumerate() {
            if ends.load(Ordering::Relaxed) {
                return;
            }
            // What is late is sent at once, so that the rate holds on a busy machine.
            due = due.after(step);
            let now = monotonic();
            if due > now {
                pause(due.since(now));
            }
            if (round + number) % ROUNDS_A_MOVE == 0 {
                game.play();
                if let Some(message) = game.last_move() {
                    send(game, "move", &message);
                }
                let message = game.state();
                send(game, "state", &message);
            }
            let message = game.clock();
            send(game, "clock", &message);
        }
    }
}
