//! Tells the person who calibrates a board what to do next, and determines when the calibration is complete.

use std::time::Duration;

use flagfall_protocols::calibration::Learned;
use flagfall_protocols::square::{Piece, Square};

use crate::system_clock::MonotonicTime;

/// A problem is reported when it has stayed the same for this time. Otherwise every man that is put down would cause a message.
const SETTLED: Duration = Duration::from_secs(2);
/// The longest time between two reports of a changing problem. A square that is read only now and then never settles.
const REPEAT_AFTER: Duration = Duration::from_secs(10);
/// A board that sends nothing for this time is reported.
const SILENT: Duration = Duration::from_secs(5);
/// The calibration is complete if no new spare man was recognised for this time.
const NO_MORE: Duration = Duration::from_secs(30);

/// The progress of a calibration, and the messages that were reported.
pub(super) struct Coach {
    /// It ends with so many spare men.
    wanted: Option<usize>,
    spares: &'static [(Square, Piece)],
    /// The problem at the last check, and since when.
    trouble: String,
    since: MonotonicTime,
    reported: String,
    /// When something was reported last, or when it began.
    spoke: MonotonicTime,
    men: usize,
    known: usize,
    /// The time at which it ends.
    end: Option<MonotonicTime>,
}

impl Coach {
    pub(super) fn new(now: MonotonicTime, wanted: Option<usize>, spares: &'static [(Square, Piece)]) -> Coach {
        let (trouble, reported) = (String::new(), String::new());
        Coach { wanted, spares, trouble, since: now, reported, spoke: now, men: 0, known: 0, end: None }
    }

    /// The first instructions.
    pub(super) fn begin(&self) -> [String; 2] {
        [
            "set up all men for a new game, White's on ranks 1 and 2 as the squares are lettered, queens on d1 and d8,"
                .to_owned(),
            "and take your hands away; what is missing is said here".to_owned(),
        ]
    }

    /// Returns the messages that are due now.
    pub(super) fn messages(&mut self, now: MonotonicTime, learned: &Learned) -> Vec<String> {
        let mut lines = Vec::new();
        if learned.men == 0 {
            self.report_trouble(now, learned, &mut lines);
            return lines;
        }
        if self.men == 0 {
            lines.push(format!("all {} men are known", learned.men));
        }
        // Another set of men begins again.
        self.known = self.known.min(learned.spares.len());
        for spare in &learned.spares[self.known..] {
            lines.push(format!("spare {spare} known"));
        }
        let more = self.wanted.is_none_or(|wanted| learned.spares.len() < wanted);
        if self.men == 0 && more && !self.spares.is_empty() {
            let places: Vec<String> = self.spares.iter().map(|(square, piece)| format!("{piece} on {square}")).collect();
            lines.push(format!(
                "now spare men, if there are any, one after another, each until it is named here: {}; no more for {} seconds, or \
                 Ctrl-C, ends",
                places.join(", "),
                NO_MORE.as_secs()
            ));
        }
        if !lines.is_empty() {
            self.end = Some(if more && !self.spares.is_empty() { now.after(NO_MORE) } else { now });
        }
        (self.men, self.known) = (learned.men, learned.spares.len());
        lines
    }

    fn report_trouble(&mut self, now: MonotonicTime, learned: &Learned, lines: &mut Vec<String>) {
        let trouble = trouble(learned);
        if trouble != self.trouble {
            (self.trouble, self.since) = (trouble, now);
        }
        let patience = if learned.heard { SETTLED } else { SILENT };
        let due = now.since(self.since) >= patience || (learned.heard && now.since(self.spoke) >= REPEAT_AFTER);
        if self.trouble != self.reported && due {
            lines.push(format!("not yet: {}", self.trouble));
            self.reported.clone_from(&self.trouble);
            self.spoke = now;
        }
    }

    /// When [`Coach::messages`] must be called again if nothing comes before.
    pub(super) fn due(&self) -> Option<MonotonicTime> {
        let trouble = (self.men == 0 && self.trouble != self.reported).then(|| self.since.after(SILENT));
        self.end.into_iter().chain(trouble).min()
    }

    pub(super) fn is_done(&self, now: MonotonicTime) -> bool {
        self.end.is_some_and(|end| end <= now)
    }
}

/// Why the men are not known.
pub(super) fn trouble(learned: &Learned) -> String {
    let Learned { unread, strange, twice, .. } = learned;
    if !learned.heard {
        return "nothing is heard of the board; is it switched on, and of this family?".to_owned();
    }
    if unread.len() == 32 && strange.is_empty() {
        return "no man is read on any square".to_owned();
    }
    let mut parts = Vec::new();
    for (begin, squares) in [
        ("no man is read for certain on ", unread),
        ("something is read where nothing may stand: ", strange),
        ("the same man is read on ", twice),
    ] {
        if !squares.is_empty() {
            let names: Vec<String> = squares.iter().map(Square::to_string).collect();
            parts.push(format!("{begin}{}", names.join(", ")));
        }
    }
    match parts.is_empty() {
        true => "it must stand a moment longer".to_owned(),
        false => parts.join("; "),
    }
}

/// What is known in the end.
pub(super) fn known(learned: &Learned) -> String {
    let names: Vec<String> = learned.spares.iter().map(Piece::to_string).collect();
    match names.as_slice() {
        [] => format!("{} men, no spare one: a queen from the box will be seen, but not which man it is", learned.men),
        names => format!("{} men and {} to spare: {}", learned.men, names.len(), names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocols::square::{Color, Role};

    use super::*;

    const QUEEN: Piece = Piece::new(Color::White, Role::Queen);
    static SPARES: [(Square, Piece); 1] = [(Square::wrapping(19), QUEEN)];

    fn at(millis: u64) -> MonotonicTime {
        MonotonicTime(millis * 1000)
    }

    fn missing(names: &[&str]) -> Learned {
        let unread = names.iter().map(|name| Square::parse(name).expect("a square")).collect();
        Learned { heard: true, unread, ..Learned::default() }
    }

    fn men(spares: usize) -> Learned {
        Learned { heard: true, men: 32, spares: vec![QUEEN; spares], calibration: Some(String::new()), ..Learned::default() }
    }

    #[test]
    fn a_problem_is_reported_once_and_when_it_stays() {
        let mut coach = Coach::new(at(0), None, &SPARES);
        assert!(coach.messages(at(100), &Learned::default()).is_empty());
        assert_eq!(coach.due(), Some(at(5100)));
        assert_eq!(coach.messages(at(5100), &Learned::default()).len(), 1);
        assert_eq!(coach.due(), None);
        // The men are put down one after the other.
        for (millis, names) in [(6000, &["a1", "b1", "c1"][..]), (7000, &["a1", "b1"]), (8500, &["a1"])] {
            assert!(coach.messages(at(millis), &missing(names)).is_empty());
        }
        assert!(coach.messages(at(10_400), &missing(&["a1"])).is_empty());
        assert_eq!(coach.messages(at(10_500), &missing(&["a1"])), ["not yet: no man is read for certain on a1"]);
        assert!(coach.messages(at(20_000), &missing(&["a1"])).is_empty() && !coach.is_done(at(99_000)));
        // A square that is read now and then.
        let reported = (20_000..60_000).step_by(250).filter(|millis| {
            let names: &[&str] = if millis % 500 == 0 { &["a1"] } else { &["a1", "b1"] };
            !coach.messages(at(*millis), &missing(names)).is_empty()
        });
        assert_eq!(reported.count(), 4);
        let two = Learned { strange: vec![Square::wrapping(0)], twice: vec![Square::wrapping(1)], ..missing(&["h8"]) };
        assert_eq!(
            trouble(&two),
            "no man is read for certain on h8; something is read where nothing may stand: a1; the same man is read on b1"
        );
    }

    #[test]
    fn it_is_done_when_no_spare_man_comes() {
        let mut coach = Coach::new(at(0), None, &SPARES);
        let said = coach.messages(at(1000), &men(0));
        assert!(said.len() == 2 && said[0] == "all 32 men are known" && said[1].contains("white queen on d3"), "{said:?}");
        assert_eq!((coach.due(), coach.is_done(at(30_999))), (Some(at(31_000)), false));
        assert_eq!(coach.messages(at(20_000), &men(1)), ["spare white queen known"]);
        assert!(coach.messages(at(40_000), &men(1)).is_empty());
        assert!(!coach.is_done(at(49_999)) && coach.is_done(at(50_000)));
    }

    #[test]
    fn it_is_done_with_as_many_as_are_wanted() {
        for (wanted, before, after) in [(0, 0, 0), (2, 1, 2), (1, 0, 3)] {
            let mut coach = Coach::new(at(0), Some(wanted), &SPARES);
            coach.messages(at(1000), &men(before));
            assert_eq!(coach.is_done(at(1000)), before >= wanted, "{wanted}");
            coach.messages(at(2000), &men(after));
            assert!(coach.is_done(at(2000)), "{wanted}");
        }
        assert!(known(&men(0)).starts_with("32 men, no spare one"));
        assert_eq!(known(&men(2)), "32 men and 2 to spare: white queen, white queen");
    }
}
