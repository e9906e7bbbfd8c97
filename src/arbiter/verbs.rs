//! Lists every command with the role that it needs, and with what its sender must know about the present state (its lock).
//!
//! | verb | least role | lock | |
//! | --- | --- | --- | --- |
//! | `resync` | operator | – | changes nothing |
//! | `bind-device` | operator | game | the device changes and the game does not; after a flag-fall: arbiter, since the device is evidence for it |
//! | `start-game` | operator | game, rev | while a game is played or a flag-fall has no ruling yet: arbiter, since the game loses its findings |
//! | `correct-move`, `take-back`, `set-position`, `swap-sides` | operator | game, rev | after a flag-fall: arbiter, since the finding depends on them |
//! | `acknowledge-alert` | arbiter | game | each game numbers its own alarms |
//! | `set-round-game` | arbiter | game | who may see a game; its moves may go on meanwhile |
//! | `claim`, `offer`, `resign`, `stop-clocks`, `restart-clocks` | arbiter | game | observations, which stay true whatever is moved later |
//! | `set-move-count`, `set-clock-record`, `set-flag-order` | arbiter | game, rev | records on which findings depend |
//! | `confirm`, `reject` | arbiter | game, finding | decisions about one revision of one finding; `reject` with a reason |
//! | `accept`, `penalty`, `declare-result` | arbiter | game, rev | decisions; so is a `claim` that is accepted or refused. Against the finding they need a reason |
//!
//! An operator looks after the devices and records the positions on the boards. A command that may be to the disadvantage of a
//! player needs an arbiter. A role applies to the boards of the user; the role of a chief applies to all boards.

use crate::config::Role;

/// What the sender must know about the present state. If it has changed meanwhile, the command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Nothing.
    None,
    /// `expect.game`.
    Game,
    /// `expect.game` and `expect.rev`.
    Rev,
    /// `expect.game` and `expect.finding`, its number and revision.
    Finding,
}

/// When an operator may no longer send a command, so that an arbiter is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Never: an operator may always send it.
    Always,
    /// While a game is played, or a flag fell and no result is known.
    Playing,
    /// Once a flag fell in the game.
    FlagFell,
}

/// The part of the program that carries out a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The game.
    Game,
    /// The daemon.
    Daemon,
}

/// One row of the table: a command and its conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verb {
    /// Its name, the last level of the topic.
    pub name: &'static str,
    /// The least role that may send it.
    pub role: Role,
    /// When an operator may no longer send it.
    pub until: Until,
    /// What must be locked.
    pub lock: Lock,
    /// Who carries it out.
    pub by: By,
}

const fn row(name: &'static str, role: Role, until: Until, lock: Lock, by: By) -> Verb {
    Verb { name, role, until, lock, by }
}

/// The table of all commands.
pub const VERBS: [Verb; 22] = [
    row("resync", Role::Operator, Until::Always, Lock::None, By::Daemon),
    row("bind-device", Role::Operator, Until::FlagFell, Lock::Game, By::Daemon),
    row("start-game", Role::Operator, Until::Playing, Lock::Rev, By::Game),
    row("correct-move", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("take-back", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("set-position", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("swap-sides", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("set-round-game", Role::Arbiter, Until::Always, Lock::Game, By::Daemon),
    row("acknowledge-alert", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("claim", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("set-move-count", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("set-clock-record", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("set-flag-order", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("stop-clocks", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("restart-clocks", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("declare-result", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("offer", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("accept", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("resign", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("penalty", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("confirm", Role::Arbiter, Until::Always, Lock::Finding, By::Game),
    row("reject", Role::Arbiter, Until::Always, Lock::Finding, By::Game),
];

/// What must be locked for this body: a claim that is accepted or refused is a decision.
pub fn required_lock(verb: &Verb, body: &serde_json::Value) -> Lock {
    let decided = |standing: &str| matches!(standing, "accepted" | "refused");
    match body.get("standing").and_then(serde_json::Value::as_str) {
        Some(standing) if verb.name == "claim" && decided(standing) => Lock::Rev,
        _ => verb.lock,
    }
}

/// Whether `observed_at` of this command is the time of an event or stands in a decision. All other commands are about the present.
pub fn uses_observed_at(name: &str) -> bool {
    let decides = matches!(name, "confirm" | "reject" | "declare-result" | "penalty" | "accept");
    decides || matches!(name, "claim" | "offer" | "resign")
}

/// Returns the row of the command with this name.
pub fn find(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}
