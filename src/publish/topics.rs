//! Every topic, one function each. The audience is the first level below the version: one prefix for an access rule.

/// Which board of which event a topic is about. Ids match `[a-z0-9-]{1,40}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// The event.
    pub event: String,
    /// The round.
    pub round: String,
    /// The board.
    pub board: String,
}

impl Default for Board {
    fn default() -> Board {
        Board { event: "replay".to_owned(), round: "1".to_owned(), board: "1".to_owned() }
    }
}

impl Board {
    fn topic(&self, audience: &str, rest: &str) -> String {
        format!("flagfall/1/{audience}/{}/{}/{}/{rest}", self.event, self.round, self.board)
    }

    /// `arbiter/…/state`: everything, retained.
    pub fn arbiter_state(&self) -> String {
        self.topic("arbiter", "state")
    }

    /// `arbiter/…/move`: one completed or otherwise sure move, an event.
    pub fn arbiter_move(&self) -> String {
        self.topic("arbiter", "move")
    }

    /// `arbiter/…/audit`: every finding, alarm, command and irregularity, an event.
    pub fn audit(&self) -> String {
        self.topic("arbiter", "audit")
    }

    /// `arbiter/…/alert/<id>`: one open alarm, retained, deleted when closed.
    pub fn alert(&self, id: u32) -> String {
        self.topic("arbiter", &format!("alert/{id}"))
    }

    /// `arbiter/…/ruling`: the last finding in full, retained.
    pub fn ruling(&self) -> String {
        self.topic("arbiter", "ruling")
    }

    /// `live/…/state`: position, made moves, times, result, retained.
    pub fn live_state(&self) -> String {
        self.topic("live", "state")
    }

    /// `live/…/clock`: the clock block alone, retained.
    pub fn live_clock(&self) -> String {
        self.topic("live", "clock")
    }

    /// `live/…/move`: one made move, an event.
    pub fn live_move(&self) -> String {
        self.topic("live", "move")
    }

    /// `live/…/revision`: from a ply on the game is another one, an event.
    pub fn live_revision(&self) -> String {
        self.topic("live", "revision")
    }
}
