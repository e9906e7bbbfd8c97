//! The learner: the set, spare queens one after another, and the squares that it reports while something is wrong.

use flagfall_protocols::calibration::Learned;
use flagfall_protocols::driver::{Driver, Input, Output};
use flagfall_protocols::drivers::certabo::message::{Tag, encode};
use flagfall_protocols::drivers::certabo::{Calibration, Learner};
use flagfall_protocols::drivers::find;
use flagfall_protocols::square::{Piece, Square};
use flagfall_protocols::time::Instant;

use super::{Numbers, at, initial, own, usual_table};

const WHITE: Tag = [3, 0, 84, 2, 2];
const BLACK: Tag = [3, 0, 84, 2, 1];

struct Lesson {
    learner: Learner,
    now: u64,
}

impl Lesson {
    fn new() -> Lesson {
        let mut learner = Learner::new();
        learner.handle(Instant::ZERO, Input::LinkUp);
        Lesson { learner, now: 0 }
    }

    /// Feeds these frames, four a second.
    fn frames(&mut self, numbers: impl IntoIterator<Item = Numbers>) -> Learned {
        for numbers in numbers {
            let mut text = Vec::new();
            encode(&mut text, &numbers.0, true, None);
            self.now += 250_000;
            self.learner.handle(Instant(self.now), Input::Bytes { channel: 0, bytes: &text });
            while let Some(output) = self.learner.poll() {
                assert!(!matches!(output, Output::Send { .. }), "it only listens");
            }
        }
        self.learner.learned().expect("it learns")
    }
}

fn squares(names: &str) -> Vec<Square> {
    names.split_whitespace().map(at).collect()
}

fn letters(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.letter()).collect()
}

#[test]
fn the_learner_learns_the_set_and_then_spare_queens() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut lesson = Lesson::new();
    assert_eq!(lesson.frames([initial(); 6]), Learned::default(), "not yet enough");
    // The eighth frame ends the seventh.
    let learned = lesson.frames([initial(); 2]);
    assert_eq!((learned.heard, learned.men, learned.spares.len()), (true, 32, 0));
    let table = |learned: &Learned| Calibration::parse(&learned.calibration.clone().expect("learned")).expect("a table");
    assert!(usual_table().entries().iter().all(|(tag, piece)| table(&learned).piece(tag) == Some(*piece)));
    // White's spare queen stands on d3. A known piece there, noise, or another square teaches nothing.
    let learned = lesson.frames((0..30).map(|_| initial().moved("g1", "d3").noisy(&mut rng)));
    assert_eq!(learned.spares, []);
    let learned = lesson.frames([initial().with("e5", WHITE); 20]);
    assert_eq!(learned.spares, []);
    let learned = lesson.frames([initial().with("d3", WHITE); 4]);
    assert_eq!(learned.spares, [], "four frames of seven");
    let learned = lesson.frames([initial().with("d3", WHITE); 4]);
    assert_eq!(letters(&learned.spares), "Q");
    // Another spare queen stands there, and Black's on d6; between them a hand moves over the board.
    let second = [3, 0, 84, 2, 3];
    let learned = lesson.frames([initial().with("d3", second); 8]);
    assert_eq!(letters(&learned.spares), "QQ");
    let learned = lesson.frames((0..20).map(|n| if n % 6 == 0 { initial() } else { initial().with("d6", BLACK) }));
    assert_eq!((letters(&learned.spares), learned.men), ("QQq".to_owned(), 32));
    let table = table(&learned);
    assert_eq!([WHITE, second, BLACK].map(|tag| table.piece(&tag).map(Piece::letter)), [Some('Q'), Some('Q'), Some('q')]);
    // A board whose cable was pulled still has the same set.
    lesson.learner.handle(Instant(lesson.now), Input::LinkDown);
    assert_eq!(lesson.learner.learned().map(|learned| learned.spares.len()), Some(3));
}

/// Spare queens may stand on d3 and d6 from the beginning.
#[test]
fn all_pieces_are_learned_at_once() {
    let learned = Lesson::new().frames([initial().with("d3", WHITE).with("d6", BLACK); 8]);
    assert_eq!((learned.men, letters(&learned.spares)), (32, "qQ".to_owned()));
    let text = learned.calibration.expect("learned");
    assert!(find("certabo").expect("registered").start_with(&text).is_ok() && text.len() < 1024, "{text}");
}

#[test]
fn another_set_starts_the_learner_again() {
    let mut other = initial();
    other.0.as_chunks_mut::<5>().0.iter_mut().filter(|tag| **tag != [0; 5]).for_each(|tag| tag[0] = 48);
    let mut lesson = Lesson::new();
    assert_eq!(lesson.frames([initial().with("d3", WHITE); 8]).spares.len(), 1);
    let learned = lesson.frames([other; 16]);
    assert_eq!((learned.men, learned.spares.len()), (32, 0));
    assert!(learned.calibration.expect("learned").split(',').all(|item| item[1..].starts_with("30")));
}

#[test]
fn the_learner_names_every_wrong_square() {
    let spare = BLACK;
    for (name, numbers, unread, strange, twice) in [
        ("men are missing", initial().without("b1").without("h7"), "b1 h7", "", ""),
        ("a pawn was moved", initial().moved("e2", "e4"), "e2", "e4", ""),
        ("a spare queen elsewhere", initial().with("e6", spare), "", "e6", ""),
        ("one tag on two squares", initial().with("b8", own(at("g8"))), "", "", "b8 g8"),
        ("a man on d3 and on its square", initial().with("d3", own(at("d1"))), "", "", "d3 d1"),
    ] {
        let learned = Lesson::new().frames([numbers; 20]);
        let sorted = |mut squares: Vec<Square>| {
            squares.sort_unstable_by_key(|square| square.index());
            squares
        };
        let found = [learned.unread, learned.strange, learned.twice].map(sorted);
        assert_eq!(found, [unread, strange, twice].map(|names| sorted(squares(names))), "{name}");
        assert_eq!((learned.heard, learned.men, learned.calibration), (true, 0, None), "{name}");
    }
    // A hand comes and goes: the square is neither surely empty nor surely occupied.
    let often = (0..14).map(|n| if n % 2 == 0 { initial() } else { initial().with("d3", WHITE).without("a1") });
    let learned = Lesson::new().frames(often);
    assert_eq!((learned.unread, learned.strange, learned.calibration), (squares("a1"), squares("d3"), None));
}

/// An ordinary session does not learn spare queens: d3 and d6 are ordinary squares for it.
#[test]
fn only_the_learner_learns_spare_queens() {
    let certabo = find("certabo").expect("registered");
    assert_eq!(certabo.start().learned(), None);
    assert!((certabo.calibrated.expect("it is").learn)().learned().is_some());
}
