//! The times of made moves and of presses.

use fastrand::Rng;
use flagfall::wire::moves::{How, MoveBody};
use flagfall_game::input::Input;
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::lifts::readings_over_time;
use crate::invariants::played_game::{BLITZ, RAPID, Reports, config, game};
use crate::support::seeds::{campaign, ordinary};

/// The times at which the lever moved: away from White, away from Black.
fn lever_changes(reports: &Reports) -> [Vec<u64>; 2] {
    let (mut changes, mut up) = ([Vec::new(), Vec::new()], None);
    for (at, input) in reports {
        if let Input::Device { event: DeviceEvent::Clock(reading), .. } = input
            && let Some(was) = up.replace(reading.lever_up)
            && was != reading.lever_up
        {
            changes[usize::from(was == ClockSide::Right)].push(at.0);
        }
    }
    changes
}

/// With random presses a move that was begun before the press may be finished after it, until it is called illegal this much later
/// (`reconstruct/README.md#6.1`).
const CALLED: u64 = 1_500_000;

/// The delay of a slow line between the scan and the report of a change, in microseconds.
const LINE: u64 = 50_000;

/// The times at which the reading of a square changed, and the new reading.
fn changes(reports: &Reports) -> Vec<(u64, Square, Reading)> {
    let (mut board, mut changes) = (Placement::EMPTY, Vec::new());
    for (at, square, reading) in readings_over_time(reports) {
        if board.get(square) != reading {
            board.set(square, reading);
            changes.push((at.0, square, reading));
        }
    }
    changes
}

/// The time at which the first square of a move changed to its reading after the move. A man that is lifted again in the same report
/// was there before.
fn begin_of_move(mv: &MoveBody, made: u64, changes: &[(u64, Square, Reading)]) -> Option<u64> {
    let (uci, san) = (mv.uci.to_string(), mv.san.to_string());
    let [from, to] = [&uci[..2], &uci[2..4]].map(|name| Square::parse(name).expect("a square"));
    let of_rank = |file: u8| Square::wrapping(from.rank() * 8 + file);
    let (emptied, filled) = match (san.trim_end_matches(['+', '#']), san.contains('x')) {
        ("O-O", _) => (vec![from, of_rank(7)], vec![to, of_rank(5)]),
        ("O-O-O", _) => (vec![from, of_rank(0)], vec![to, of_rank(3)]),
        // The move may be a capture en passant.
        (_, true) => (vec![from, of_rank(to.file())], vec![to]),
        _ => (vec![from], vec![to]),
    };
    let last = |square, empty| {
        let is_last =
            |&&(at, of, reading): &&(u64, Square, Reading)| of == square && at <= made && (reading == Reading::Empty) == empty;
        changes.iter().rfind(is_last).map(|(at, ..)| *at)
    };
    let emptied = emptied.into_iter().filter_map(|square| last(square, true));
    let filled = filled.into_iter().filter_map(|square| last(square, false));
    emptied.chain(filled).min()
}

/// Checks invariant 9 for a whole list; with `clean` every press came after its move.
#[track_caller]
fn assert_in_order(list: &[MoveBody], reports: &Reports, clean: bool) {
    let timing = drivers::find("dgt").expect("registered").timing;
    let (scan, late) = (timing.scan.as_micros() as u64, timing.press_delay.as_micros() as u64);
    let (levers, changes) = (lever_changes(reports), changes(reports));
    let mut last = [0; 2];
    let mut last_pressed: [Option<(&MoveBody, u64)>; 2] = [None; 2];
    for mv in list {
        let [earliest, latest] = mv.made_at;
        assert!(earliest <= latest, "the times of the move are in the wrong order: {mv:?}");
        assert!(last[0] <= earliest && last[1] <= latest, "the move comes before the previous move, {last:?}: {mv:?}");
        last = mv.made_at;
        let Some(pressed) = mv.pressed_at else { continue };
        assert!(pressed[0] <= pressed[1] && pressed[1] - pressed[0] <= late, "pressed: {mv:?}");
        // A scan may report the last square after the press.
        let reported_by = pressed[1] + if clean { scan } else { CALLED };
        assert!(latest <= reported_by && (!clean || earliest <= pressed[1]), "the press comes before the move: {mv:?}");
        // A move that is finished after its press was begun before it.
        let unseen = latest - earliest > 2 * scan;
        let begun = begin_of_move(mv, latest, &changes);
        assert!(
            unseen || begun.is_none_or(|begun| begun <= pressed[1] + scan + LINE),
            "the press comes before the move began: {mv:?}"
        );
        if mv.how == Some(How::Repair) {
            continue;
        }
        let side = usize::from(mv.color == "black");
        assert!(levers[side].contains(&pressed[1]), "no lever was moved then: {mv:?}");
        if let Some((before, then)) = last_pressed[side] {
            assert!(then < pressed[1], "one press for two moves: {before:?} and {mv:?}");
            let between = levers[side].iter().filter(|&&at| then < at && at <= pressed[1]).count();
            assert!(between > 0 && latest > then.saturating_sub(late), "both lie between two presses: {before:?} and {mv:?}");
        }
        last_pressed[side] = Some((mv, pressed[1]));
    }
    for (side, levers) in levers.iter().enumerate() {
        let pressed = list.iter().filter(|mv| (mv.color == "black") == (side == 1) && mv.pressed_at.is_some()).count();
        assert!(pressed <= levers.len(), "{pressed} presses, {} lever changes", levers.len());
    }
}

/// Invariant 9, for clean games and for games that continue with noise.
#[test]
fn i09_made_before_pressed_and_one_press_for_one_move() {
    let (mut moves, mut pressed) = (0, 0);
    // A man is put on its square, its old square becomes empty, and in the same report the man is lifted again.
    let lifted_again = [1_795_539_601_000_084, 1_795_539_601_000_094];
    campaign("invariant 9: times", (91_000..91_009).chain(lifted_again), |seed| {
        let mut rng = Rng::with_seed(seed);
        let mut reports = game(&mut rng, if seed % 2 == 0 { BLITZ } else { RAPID }, 40).reports;
        if seed % 3 > 0 {
            reports.truncate(rng.usize(reports.len() / 3..reports.len()));
        }
        let mut checked = CheckedGame::new(config());
        reports.iter().for_each(|(at, input)| checked.feed(*at, input));
        if seed % 3 > 0 {
            let number = checked.game.number();
            let mut chaos = Chaos::after(rng.u64(..), &reports);
            for _ in 0..300 {
                for (at, input) in chaos.next(&checked.game) {
                    reports.push((at, input.clone()));
                    checked.feed(at, &input);
                }
                if checked.game.number() == number {
                    assert_in_order(&checked.state().moves, &reports, false);
                }
            }
        }
        checked.advance_to(Instant(reports.last().expect("events").0.0 + 5_000_000));
        let list = checked.state().moves;
        assert_in_order(&list, &reports, seed % 3 == 0);
        moves += list.len();
        pressed += list.iter().filter(|mv| mv.pressed_at.is_some()).count();
        reports.len() as u64
    });
    assert!(!ordinary() || (pressed * 2 > moves && pressed > 100), "{pressed} of {moves} moves were pressed");
}
