//! What two reports of a clock, one after the other, tell.

use flagfall_protocols::square::Color;

/// One thing that happened to the chessclock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockFact {
    /// The first report since the clock was connected: nothing can be compared with it.
    Baseline,
    /// A clock began to run while none did.
    Started { runs: Color },
    /// Both clocks stand.
    Stopped,
    /// A player pressed: his clock ran and the other one's runs now.
    Press {
        by: Color,
        /// What his display gained, milliseconds; negative if it lost.
        rise_ms: i64,
        /// His flag sign appeared in the same report: which came first is not known.
        flagged: bool,
    },
    /// The lever moved while both clocks stood: not a press.
    LeverMoved { up: Color },
    /// The times changed while both clocks stood: set by the arbiter.
    Corrected,
    /// The clock added the time of the next period.
    PeriodAdded { cause: PeriodCause },
    /// A display rose while its clock ran, for no reason that is known.
    RoseUnexplained { side: Color },
    /// The times fall on the side whose lever is said to be down: from here on it is read the other way round.
    LeverInverted,
    /// A display reached zero without a flag sign.
    ZeroWithoutSign { side: Color },
    /// A flag fell and is latched.
    Flag { side: Color },
}

/// When a clock adds the next period's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeriodCause {
    /// At this player's press, by the clock's own count of moves.
    Press(Color),
    /// To both players, when one display reached zero.
    Zero,
}

/// The facts of one report: at most eight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    facts: [Option<ClockFact>; 8],
    len: usize,
}

impl Facts {
    pub(crate) fn push(&mut self, fact: ClockFact) {
        // One report yields at most two presses, two flags, two zeros, a period and a stop.
        debug_assert!(self.len < self.facts.len());
        if let Some(slot) = self.facts.get_mut(self.len) {
            *slot = Some(fact);
            self.len += 1;
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = ClockFact> {
        self.facts.into_iter().flatten()
    }
}
