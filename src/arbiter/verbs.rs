//! Says who may send which command, and what must be locked.
//!
//! | verb | least role | lock | |
//! | --- | --- | --- | --- |
//! | `resync` | operator | – | changes nothing |
//! | `identify` | operator | – | not during a game |
//! | `bind-device` | operator | game | the board is another one, the game is not; once a flag fell: arbiter, since the board is its witness |
//! | `start-game` | operator | game, rev | while a game is played or a flag awaits its ruling: arbiter, since its findings go |
//! | `correct-move`, `take-back`, `set-position`, `swap-sides` | operator | game, rev | once a flag fell: arbiter, since the finding rests on them |
//! | `acknowledge-alert` | arbiter | game | numbers of alarms are the game's |
//! | `claim`, `offer`, `resign`, `stop-clocks`, `restart-clocks` | arbiter | game | observations: true whatever has been moved since |
//! | `set-move-count`, `set-clock-record` | arbiter | game, rev | records that findings rest on |
//! | `confirm`, `reject` | arbiter | game, finding | decisions about one revision of one finding; `reject` with a reason |
//! | `accept`, `penalty`, `declare-result` | arbiter | game, rev | decisions; so is a `claim` that is accepted or refused |
//!
//! An operator attends to the devices and records what stands on the boards. A command that may cost a player something needs an
//! arbiter. Roles hold on a user's own boards, a chief's role on all.

use crate::config::Role;

/// What the sender must prove to know.
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

/// When an operator's right ends and an arbiter is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// It never ends.
    Always,
    /// While a game is played, or a flag fell and no result is known.
    Playing,
    /// Once a flag fell in the game.
    FlagFell,
}

/// Who carries it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The game.
    Game,
    /// The daemon.
    Daemon,
    /// Not supported yet.
    Nobody,
}

/// One row of the table.
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

/// The table.
pub const VERBS: [Verb; 21] = [
    row("resync", Role::Operator, Until::Always, Lock::None, By::Daemon),
    row("identify", Role::Operator, Until::Always, Lock::None, By::Nobody),
    row("bind-device", Role::Operator, Until::FlagFell, Lock::Game, By::Daemon),
    row("start-game", Role::Operator, Until::Playing, Lock::Rev, By::Game),
    row("correct-move", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("take-back", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("set-position", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("swap-sides", Role::Operator, Until::FlagFell, Lock::Rev, By::Game),
    row("acknowledge-alert", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("claim", Role::Arbiter, Until::Always, Lock::Game, By::Game),
    row("set-move-count", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
    row("set-clock-record", Role::Arbiter, Until::Always, Lock::Rev, By::Game),
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

/// The row of that name.
pub fn find(name: &str) -> Option<&'static Verb> {
    VERBS.iter().find(|verb| verb.name == name)
}
