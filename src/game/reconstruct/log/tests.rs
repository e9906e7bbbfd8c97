//! Logs that were written by hand, and logs of random games with changes in every permitted order.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::event::{ClockSide, LogEntry};
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::ClockTime;
use shakmaty::{Chess, Move, Position};

use super::hand::{Writer, make, overwritten};
use super::{Known, LogDownload, MOST_ENTRIES, Replay, Step, moves_of};
use crate::men::{self, Men};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::search::chance::Chance;
use crate::reconstruct::search::tests::{after, words};
use crate::reconstruct::setup::initial_men;

/// A log in words: `e2-` empties a square, `Pe4` shows a man, and with a `~` before it the log calls the change quick. `L` and `R` are
/// presses of a side; `up`, `start`, `turned` and `empty` are marks.
fn download(text: &str) -> LogDownload {
    let mut log = LogDownload::default();
    let mut seconds = 3000;
    for word in text.split_whitespace() {
        let (word, quick) = word.strip_prefix('~').map_or((word, false), |word| (word, true));
        let square = |name: &str| Square::parse(name).expect(name);
        log.take(match word {
            "L" | "R" => {
                seconds -= 5;
                let side = if word == "L" { ClockSide::Left } else { ClockSide::Right };
                LogEntry::Press { side, time: ClockTime::hms(0, 0, seconds) }
            }
            "up" => LogEntry::PowerUp,
            "start" => LogEntry::InitialPosition { rotated: false },
            "turned" => LogEntry::InitialPosition { rotated: true },
            "empty" => LogEntry::EmptyBoard,
            "garbage" => LogEntry::Other(0x7c),
            _ if word.ends_with('-') => LogEntry::Square { square: square(&word[..2]), reading: Reading::Empty, quick },
            _ => {
                let piece = flagfall_protocols::square::Piece::from_letter(word.chars().next().expect("a word")).expect(word);
                LogEntry::Square { square: square(&word[1..]), reading: Reading::Piece(piece), quick }
            }
        });
    }
    log.take(LogEntry::End);
    log
}

fn known<'a>(men: &'a Men) -> Known<'a> {
    Known { men, rotated: false, last_press: None }
}

fn men_of(position: &Chess) -> Men {
    men::of_board(position.board())
}

/// The moves of a log after the initial position, up to the board after `played`.
fn moves_in_log(log: &str, played: &str) -> Option<String> {
    let from = Node::new(Chess::default());
    let replay = download(log).replay(&known(&from.men))?;
    moves_of(&replay, &from, &men_of(&after(&from.position, played)), ClockSide::Left).map(|moves| words(&moves))
}

#[test]
fn logs_by_hand() {
    let table: &[(&str, &str)] = &[
        ("start e2- Pe4 L e7- pe5 R", "e2e4 e7e5"),
        // The new square is reported before the old one, and the last move was not pressed.
        ("start Pe4 e2- L pe5 e7-", "e2e4 e7e5"),
        // A man is seen on its way, and another one is lifted and put back.
        ("start Pe3 e2- e3- Pe4 L g8- ng8 e7- pe5 R", "e2e4 e7e5"),
        // The board did not hear a press.
        ("start e2- Pe4 e7- pe5 R g1- Nf3 L", "e2e4 e7e5 g1f3"),
        // Some entries have no meaning.
        ("start garbage e2- Pe4 garbage L", "e2e4"),
        // The log begins with another game.
        ("start e2- Pe4 L e7- pe5 R e4- Pe2 e5- pe7 start d2- Pd4 L", "d2d4"),
        // The reply begins before the old square was seen empty: no board shows White's move alone.
        ("start Pe4 e7- e2- pe5 L R g1- Nf3 L", "e2e4 e7e5 g1f3"),
        // The rook is moved first.
        (
            "start e2- Pe4 L e7- pe5 R g1- Nf3 L b8- nc6 R f1- Bc4 L f8- bc5 R h1- Rf1 e1- Kg1 L",
            "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1",
        ),
        ("start", ""),
        // A press without a move.
        ("start L", ""),
    ];
    for &(log, played) in table {
        assert_eq!(moves_in_log(log, played).as_deref(), Some(played), "{log}");
    }
}

#[test]
fn a_doubtful_log_gives_no_moves() {
    // A man that jumped, and a log that ends in another position.
    for (log, played) in [
        ("start e2- Pe5 L", "e2e4"),
        ("start e2- Pe4 L", "e2e3"),
        ("start e2- Pe4 L", "e2e4 e7e5"),
        // Four moves and back without a press: the log does not show whether they were played.
        ("start g1- Nf3 g8- nf6 f3- Ng1 f6- ng8 e2- Pe4 L", "e2e4"),
        // The bishop was on its way when White pressed, and arrived in a scan before the queen's: it has not moved twice.
        ("start e2- Pe4 L e7- pe5 R f1- ~Be2 L ~Bc4 ~e2- qe7 ~d8-", "e2e4 e7e5 f1c4 d8e7"),
        // The initial position never stood.
        ("empty e2- Pe4 L", "e2e4"),
        ("Pe2 e2- Pe4 L e7- pe5", "e2e4 e7e5"),
    ] {
        assert_eq!(moves_in_log(log, played), None, "{log}");
    }
    let unfinished = LogDownload::default();
    assert_eq!(unfinished.replay(&known(&initial_men())), None);
}

#[test]
fn a_position_that_came_back_needs_the_press() {
    let men = initial_men();
    let log = download("start L R g1- Nf3 L g8- nf6 R f3- Ng1 L f6- ng8 R e2- Pe4 L");
    assert_eq!(log.replay(&known(&men)), None);
    let press = |seconds: u32| Some((ClockSide::Right, ClockTime::hms(0, 0, seconds)));
    let steps = |seconds: u32| log.replay(&Known { last_press: press(seconds), ..known(&men) }).map(|replay| replay.steps.len());
    assert_eq!(steps(2990), Some(15), "after the first press");
    assert_eq!(steps(2970), Some(3), "after the last");
}

#[test]
fn a_board_turned_round_and_its_power_up() {
    // White sits beside the right-hand connector: e2 is the board's own d7.
    let men = initial_men();
    let log = download("turned d7- Pd5 R");
    let replay = log.replay(&Known { men: &men, rotated: true, last_press: None }).expect("the position stood");
    let from = Node::new(Chess::default());
    let target = men_of(&after(&from.position, "e2e4"));
    let moves = moves_of(&replay, &from, &target, ClockSide::Right).expect("one move");
    assert_eq!(words(&moves), "e2e4");
    // After a power-up the men are listed in any order, and changes before it were not seen.
    let mut writer = Writer::new(false);
    let mut chance = Chance::new(3);
    writer.power_up(&mut chance, &men);
    writer.power_up(&mut chance, &target);
    let mut log = LogDownload::default();
    writer.entries.into_iter().chain([LogEntry::End]).for_each(|entry| _ = log.take(entry));
    let replay = log.replay(&known(&men)).expect("the position stood");
    assert_eq!(replay.steps.len(), 2);
    assert_eq!(moves_of(&replay, &from, &target, ClockSide::Left).map(|moves| words(&moves)).as_deref(), Some("e2e4"));
}

#[test]
fn a_download_is_bounded_and_a_new_one_begins_after_the_end() {
    let mut log = LogDownload::default();
    for _ in 0..MOST_ENTRIES + 5 {
        assert!(!log.take(LogEntry::Other(0)));
    }
    assert_eq!(log.entries.len(), MOST_ENTRIES);
    assert!(log.take(LogEntry::End));
    assert!(!log.take(LogEntry::Downloaded));
    assert_eq!(log.entries.len(), 1);
    // Marks that contradict each other again and again stay within the bounds.
    let mut log = LogDownload::default();
    for index in 0..MOST_ENTRIES {
        log.take(if index % 2 == 0 { LogEntry::EmptyBoard } else { LogEntry::InitialPosition { rotated: false } });
    }
    log.take(LogEntry::End);
    assert_eq!(log.replay(&known(&initial_men())), None);
}

/// How a random game is written to the log.
#[derive(Clone, Copy)]
struct Manner {
    /// How many of a thousand presses the board does not hear.
    lost: usize,
    /// How many of a hundred moves begin before the move before was seen whole.
    hasty: usize,
}

/// Writes one game with a gap. Returns the moves of the gap, and the moves that the log shows.
fn gap(seed: u64, manner: Manner) -> (Vec<Move>, Option<Vec<Move>>) {
    let mut chance = Chance::new(seed);
    let mut writer = Writer::new(chance.below(2) == 0);
    let mut position = Chess::default();
    if chance.below(2) == 0 {
        writer.entries.push(LogEntry::InitialPosition { rotated: writer.rotated });
    } else {
        writer.power_up(&mut chance, &men_of(&position));
    }
    let before = chance.below(60);
    let length = chance.below(30);
    let moves = chance.play(&position, before + length);
    let before = before.min(moves.len());
    let mut from = None;
    let mut ahead = Vec::new();
    for (ply, &mv) in moves.iter().enumerate() {
        if ply == before {
            from = Some((Node::new(position.clone()), writer.last_press()));
        }
        let begun = !ahead.is_empty();
        let mut changes = if begun { core::mem::take(&mut ahead) } else { make(&mut chance, &position, mv) };
        if chance.below(4) == 0 {
            changes = overwritten(&changes);
        }
        if !begun && chance.below(10) == 0 {
            adjust(&mut chance, &mut writer, &position);
        }
        let white = position.turn().is_white();
        position.play_unchecked(mv);
        let hasty = ply > before && chance.below(100) < manner.hasty;
        let last = if hasty { changes.pop() } else { None };
        changes.into_iter().for_each(|change| writer.change(change));
        if let (Some(last), Some(&reply)) = (last, moves.get(ply + 1)) {
            // The first change of the reply is seen before the last change of the move.
            let reply = make(&mut chance, &position, reply);
            if reply[0].0 != last.0 {
                writer.change(reply[0]);
                ahead = reply[1..].to_vec();
            }
        }
        last.into_iter().for_each(|change| writer.change(change));
        let last_move = ply + 1 == moves.len() && chance.below(2) == 0;
        if ply < before || !last_move && chance.below(1000) >= manner.lost {
            writer.press(white);
        }
    }
    let (from, last_press) = from.unwrap_or_else(|| (Node::new(position.clone()), writer.last_press()));
    let last_press = last_press.filter(|_| chance.below(2) == 0);
    let (rotated, white) = (writer.rotated, writer.white());
    let mut log = LogDownload::default();
    writer.entries.into_iter().chain([LogEntry::End]).for_each(|entry| _ = log.take(entry));
    let replay = log.replay(&Known { men: &from.men, rotated, last_press });
    let said = replay.and_then(|replay| moves_of(&replay, &from, &men_of(&position), white));
    (moves[before..].to_vec(), said)
}

/// Lifts a man and puts it back.
fn adjust(chance: &mut Chance, writer: &mut Writer, position: &Chess) {
    let men = men_of(position);
    let standing: Vec<usize> = (0..64).filter(|&square| men[square] != men::EMPTY).collect();
    let square = standing[chance.below(standing.len())];
    let at = shakmaty::Square::new(square as u32);
    writer.change((at, men::EMPTY));
    writer.change((at, men[square]));
}

/// How many of `rounds` gaps have no solution. The test fails at a wrong solution.
fn count_unsolved(rounds: u64, manner: Manner) -> u64 {
    let mut untold = 0;
    for seed in 0..rounds {
        let (played, said) = gap(seed, manner);
        match said {
            Some(said) => assert_eq!(words(&said), words(&played), "seed {seed}"),
            None => untold += 1,
        }
    }
    untold
}

#[test]
fn random_games_are_read_exactly() {
    let untold = count_unsolved(400, Manner { lost: 0, hasty: 0 });
    assert!(untold <= 10, "{untold}");
}

#[test]
fn lost_presses_never_give_a_wrong_game() {
    let untold = count_unsolved(400, Manner { lost: 50, hasty: 0 });
    assert!(untold <= 20, "{untold}");
}

#[test]
fn hasty_replies_never_give_a_wrong_game() {
    let untold = count_unsolved(200, Manner { lost: 50, hasty: 10 });
    assert!(untold <= 200, "{untold}");
}

#[test]
#[ignore = "prints figures"]
#[expect(clippy::print_stdout, reason = "figures are for the reader")]
fn share_of_unsolved_gaps() {
    extern crate std;
    for (lost, hasty) in [(0, 0), (50, 0), (200, 0), (0, 10), (50, 10)] {
        let untold = count_unsolved(10_000, Manner { lost, hasty });
        std::println!("{lost} of 1000 presses lost, {hasty} of 100 replies hasty: {untold} of 10000 gaps untold, none wrong");
    }
}

#[test]
fn odd_logs_give_no_moves_and_no_harm() {
    for seed in 0..200 {
        let mut chance = Chance::new(seed);
        let mut log = LogDownload::default();
        for _ in 0..400 {
            let square = Square::wrapping(chance.below(64) as u8);
            let reading = men::piece(chance.below(14) as u8).map_or(Reading::Empty, Reading::Piece);
            log.take(match chance.below(30) {
                0 => LogEntry::PowerUp,
                1 => LogEntry::InitialPosition { rotated: chance.below(2) == 0 },
                2 => LogEntry::EmptyBoard,
                3 => LogEntry::StartMark,
                4 => LogEntry::FourRows,
                5 => LogEntry::Other(chance.below(256) as u8),
                6..10 => LogEntry::Press { side: ClockSide::Left, time: ClockTime::hms(0, 0, chance.below(9) as u32) },
                10..14 => LogEntry::Press { side: ClockSide::Right, time: ClockTime::hms(0, 0, chance.below(9) as u32) },
                _ => LogEntry::Square { square, reading, quick: chance.below(2) == 0 },
            });
        }
        log.take(LogEntry::End);
        let from = Node::new(Chess::default());
        let replay = log.replay(&known(&from.men)).unwrap_or(Replay { steps: Vec::new() });
        assert!(replay.steps.len() <= 2 * MOST_ENTRIES);
        let target = men_of(&after(&from.position, "e2e4"));
        assert_eq!(moves_of(&replay, &from, &target, ClockSide::Left), None, "seed {seed}");
        // Steps in the wrong order, which no board writes.
        let steps = replay.steps.into_iter().rev().collect();
        assert!(moves_of(&Replay { steps }, &from, &target, ClockSide::Left).is_none_or(|moves| !moves.is_empty()));
        let press = Step::Press { side: ClockSide::Left, time: ClockTime::hms(0, 0, 1) };
        assert_eq!(moves_of(&Replay { steps: alloc::vec![press; 300] }, &from, &from.men, ClockSide::Left), None);
    }
}
