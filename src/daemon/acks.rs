//! Acknowledgements on their way into the journal: a few at once, since each is a record.

use std::time::Duration;

use flagfall_protocols::trace::Audience;

use crate::wall::Mono;

/// An acknowledgement is recorded at most so much later. After a power cut so much is sent again.
const EVERY: Duration = Duration::from_secs(1);

/// The last number of each audience that the broker has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Acks {
    news: [Option<u64>; 3],
    due: Option<Mono>,
}

impl Acks {
    /// The broker has everything up to `number`.
    pub(super) fn note(&mut self, audience: Audience, number: u64, now: Mono) {
        self.news[audience as usize] = Some(number);
        self.due.get_or_insert(now.after(EVERY));
    }

    /// When [`Acks::take`] gives something.
    pub(super) fn due(&self) -> Option<Mono> {
        self.due
    }

    /// What is to be recorded now.
    pub(super) fn take(&mut self, now: Mono, all: bool) -> Vec<(Audience, u64)> {
        if self.due.is_none_or(|due| due > now && !all) {
            return Vec::new();
        }
        self.due = None;
        let news = std::mem::take(&mut self.news);
        Audience::ALL.into_iter().zip(news).filter_map(|(audience, number)| Some((audience, number?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_each_audience_is_recorded_once_a_second() {
        let mut acks = Acks::default();
        acks.note(Audience::Live, 1, Mono(0));
        acks.note(Audience::Live, 7, Mono(900_000));
        acks.note(Audience::Arbiter, 3, Mono(900_000));
        assert_eq!(acks.take(Mono(999_999), false), []);
        assert_eq!(acks.take(Mono(1_000_000), false), [(Audience::Arbiter, 3), (Audience::Live, 7)]);
        assert_eq!((acks.due(), acks.take(Mono(9_000_000), true).len()), (None, 0));
    }
}
