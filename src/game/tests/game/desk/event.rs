//! A desk under the rules of an event: its arbiters sign their commands, and a worker answers the questions.

use flagfall_game::audit::AuditEntry;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::{GameConfig, Rulings};
use flagfall_game::decision::{Decision, Ruling};
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::{Author, Command, Input};
use flagfall_game::laws::answering::answer;
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::finding::FindingKey;
use flagfall_game::laws::outcome::Outcome;
use flagfall_game::laws::rulebook::Rulebook;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::{Desk, TIMING};

/// In this position both sides can mate.
pub(crate) const OPEN: &str = "r3k3/4p3/8/8/8/8/4P3/R3K3 w - - 0 1";
/// In this position Black cannot mate, so White's flag makes a draw.
pub(crate) const BLACK_BARE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

/// The FIDE rules whose flags an arbiter may call.
pub(crate) const FIDE: [&str; 6] = [
    "fide-2023-standard",
    "fide-2023-rapid",
    "fide-2023-rapid-supervised",
    "fide-2023-blitz",
    "fide-2023-blitz-supervised",
    "fide-print-old",
];

/// The settings of the event's regulations.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    pub(crate) rulebook: &'a str,
    pub(crate) control: &'a str,
    pub(crate) rulings: Rulings,
    pub(crate) observer: bool,
}

/// Arbiters decide, and the device observes nothing.
pub(crate) const PLAIN: Event<'static> =
    Event { rulebook: "fide-2023-standard", control: "300", rulings: Rulings::Advise, observer: false };

/// The device observes, and certain findings are decided.
pub(crate) const AUTOMATIC: Event<'static> = Event { rulings: Rulings::Automatic, observer: true, ..PLAIN };

impl Event<'_> {
    /// A game from this position; White's clock runs.
    pub(crate) fn desk(&self, fen: &str) -> Desk {
        let config = GameConfig {
            time_control: Some(TimeControl::parse(self.control).expect("a time control")),
            rulebook: Rulebook::parse(self.rulebook).expect("a rulebook"),
            rulings: self.rulings,
            observer: self.observer,
            ..GameConfig::default()
        };
        let mut desk = Desk::new(self.control);
        desk.game = Game::new(config, TIMING);
        desk.start();
        desk.with_position(fen)
    }
}

impl Desk {
    /// Sends a command of this arbiter, for something seen now.
    pub(crate) fn sign(&mut self, name: &str, command: Command) -> &mut Desk {
        self.sign_at(name, None, command)
    }

    /// Sends a command of this arbiter, for something seen at this time.
    pub(crate) fn sign_at(&mut self, name: &str, observed_at: Option<Instant>, command: Command) -> &mut Desk {
        let author = Author {
            name: Some(name.to_owned()),
            command: Some(format!("{name}-{}", self.now.0)),
            reason: Some(format!("{name} says so")),
            observed_at,
        };
        self.feed(Input::Signed { command: Box::new(command), author: Box::new(author) })
    }

    /// The worker answers every open question.
    pub(crate) fn settle(&mut self) -> &mut Desk {
        let asked = |effect: &Effect| if let Effect::Ask(ask) = effect { Some(ask.clone()) } else { None };
        let asks: Vec<_> = self.out.iter().filter_map(asked).collect();
        for ask in asks {
            self.feed(Input::Answer(answer(&ask).answer));
        }
        self
    }

    /// The flag of this side falls, and the clock shows it.
    pub(crate) fn flag(&mut self, side: ClockSide) -> &mut Desk {
        self.fall(side).wait(0.5).settle()
    }

    /// Somebody calls the flag of this side.
    pub(crate) fn call(&mut self, flag: Color) -> &mut Desk {
        self.sign("anna", Command::Claim { flag, period: None, observed_at: None }).settle()
    }

    /// The finding that decides; the test fails if there is none.
    pub(crate) fn found(&self) -> Finding {
        self.state().finding.expect("a finding")
    }

    /// The row and the outcome of this finding.
    pub(crate) fn row(&self) -> (&'static str, Outcome) {
        let found = self.found();
        (found.row, found.outcome)
    }

    /// The key of the finding as an arbiter sees it now.
    pub(crate) fn key(&self) -> FindingKey {
        let Finding { id, revision, .. } = self.found();
        FindingKey { id, revision }
    }

    /// The decision in force on the ruling that is shown.
    pub(crate) fn ruled(&self) -> Option<Decision> {
        match self.game.ruling()?.1 {
            Ruling::Finding { decision, .. } => decision.map(|decision| *decision),
            Ruling::Decision { decision } => Some(*decision),
        }
    }

    /// The decisions in the arbiters' record.
    pub(crate) fn audited(&self) -> Vec<Decision> {
        let decision = |effect: &Effect| match effect {
            Effect::Audit(AuditEntry::Decision(decision)) => Some((**decision).clone()),
            _ => None,
        };
        self.out.iter().filter_map(decision).collect()
    }
}
