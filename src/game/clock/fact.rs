//! Defines the facts that two successive reports of a clock show.

use flagfall_protocols::square::Color;

/// One event at the chess clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockFact {
    /// The first report since the clock was connected: nothing can be compared with it.
    Baseline,
    /// A clock began to run while none did.
    Started { runs: Color },
    /// Both clocks stand.
    Stopped,
    /// A player pressed: his clock ran before, and now the other player's clock runs.
    Press {
        by: Color,
        /// The time that his display gained, milliseconds; negative if it lost time.
        rise_ms: i64,
        /// His flag sign appeared in the same report, so the order of press and fall is not known.
        flagged: bool,
    },
    /// The lever moved while both clocks stood. This is not a press.
    LeverMoved { up: Color },
    /// The times changed while both clocks stood: the arbiter set them.
    Corrected,
    /// The clock added the time of the next period.
    PeriodAdded { cause: PeriodCause },
    /// A display rose while its clock ran, and the reason is not known.
    RoseUnexplained { side: Color },
    /// The time runs off on the side whose lever is reported down. From now on the lever is read the other way round.
    LeverInverted,
    /// A display reached zero without a flag sign.
    ZeroWithoutSign { side: Color },
    /// The report contradicts the one before. It counts only when the next one confirms it.
    Doubted,
    /// A flag fell and is latched.
    Flag { side: Color },
}

/// The moment at which a clock adds the next period's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeriodCause {
    /// At this player's press, by the clock's own count of moves.
    Press(Color),
    /// To both players, when one display reached zero.
    Zero,
}

/// The facts of one report and of a doubted one before it: at most eight of each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    facts: [Option<ClockFact>; 16],
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
        self.facts[..self.len].iter().copied().flatten()
    }
}
