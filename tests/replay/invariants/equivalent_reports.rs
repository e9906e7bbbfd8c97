//! Other reports of the same game: repeated, in another order within a scan, from the other side of the board, in frames.

use std::time::Duration;

use fastrand::Rng;
use flagfall_game::effect::Effect;
use flagfall_game::input::Input;
use flagfall_protocols::drivers;
use flagfall_protocols::event::{ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::Instant;

use crate::invariants::chaos::Chaos;
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::clean::of_kind;
use crate::invariants::played_game::{BLITZ, Played, RAPID, Reports, config, device, game};
use crate::support::seeds::{campaign, ordinary};

/// A whole random game, or a short game with a rare move.
fn any_game(rng: &mut Rng, seed: u64) -> Played {
    match seed % 3 {
        0 => game(rng, BLITZ, 70),
        1 => of_kind(rng, RAPID, rng.clone().usize(0..24)),
        _ => of_kind(rng, BLITZ, rng.clone().usize(0..24)),
    }
}

/// Some repeated readings of board and clock.
fn nothing_new(rng: &mut Rng, board: &Placement, clock: Option<ClockReading>) -> Vec<DeviceEvent> {
    let square = Square::wrapping(rng.u8(..));
    match rng.u8(0..4) {
        0 => vec![DeviceEvent::Frame(*board)],
        1 => Square::all().map(|square| DeviceEvent::Square { square, reading: board.get(square) }).collect(),
        2 => clock.map(|clock| DeviceEvent::Clock(ClockReading { baseline: false, ..clock })).into_iter().collect(),
        _ => vec![DeviceEvent::Square { square, reading: board.get(square) }],
    }
}

fn note(event: &DeviceEvent, board: &mut Placement) {
    match event {
        DeviceEvent::Frame(frame) => *board = *frame,
        DeviceEvent::Square { square, reading } => board.set(*square, *reading),
        _ => {}
    }
}

/// Shows the first difference, because the whole texts are too long to read.
#[track_caller]
fn same(one: &str, other: &str, when: &str) {
    let differ = one.bytes().zip(other.bytes()).position(|(one, other)| one != other);
    let at = differ.unwrap_or(one.len().min(other.len()));
    let around =
        |text: &str| String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(90)..text.len().min(at + 90)]).into_owned();
    assert!(one == other, "{when}: {:?}, but was {:?}", around(other), around(one));
}

/// Invariant 2.
#[test]
fn i02_reports_without_news_change_nothing() {
    campaign("invariant 2: nothing new", 21_000..21_009, |seed| {
        let mut rng = Rng::with_seed(seed);
        let reports = any_game(&mut rng, seed).reports;
        let plain = CheckedGame::after_inputs(&reports);
        let (mut checked, mut board, mut clock, mut known) = (CheckedGame::new(config()), Placement::EMPTY, None, false);
        for (index, (at, input)) in reports.iter().enumerate() {
            checked.feed(*at, input);
            let Input::Device { event, .. } = input else { continue };
            note(event, &mut board);
            known |= matches!(event, DeviceEvent::Frame(_));
            if let DeviceEvent::Clock(reading) = event {
                clock = Some(*reading);
            }
            if !known || rng.u8(0..3) > 0 {
                continue;
            }
            // The repetitions come at the same moment, or at any time before the next report.
            let next = reports.get(index + 1).map_or(at.0 + 1, |(next, _)| next.0.max(at.0 + 1));
            let then = Instant(if rng.bool() { at.0 } else { rng.u64(at.0..next) });
            checked.advance_to(Instant(then.0.saturating_sub(1)));
            let before = checked.digest();
            for event in nothing_new(&mut rng, &board, clock) {
                checked.feed(then, &device(event));
                assert!(
                    checked.out.iter().all(|effect| matches!(effect, Effect::Clock)),
                    "{then:?} {event:?}: {:?}",
                    checked.out
                );
            }
            same(&before, &checked.digest(), &format!("at {then:?}"));
        }
        checked.advance_to(Instant(reports.last().expect("events").0.0 + 5_000_000));
        same(&plain.digest(), &checked.digest(), "at the end");
        assert_eq!(checked.list, plain.list);
        reports.len() as u64
    });
}

/// Reports of squares within one scan change places; the reports of one square keep their order, and the stamps stay in place.
fn shuffled(reports: &Reports, rng: &mut Rng) -> Reports {
    let square = |input: &Input| match input {
        Input::Device { event: DeviceEvent::Square { square, .. }, .. } => Some(square.index()),
        _ => None,
    };
    let (mut reports, mut begin) = (reports.clone(), 0);
    while begin < reports.len() {
        let first = reports[begin].0.0;
        let same = |(at, input): &&(Instant, Input)| at.0 < first + 225_000 && square(input).is_some();
        let count = reports[begin..].iter().take_while(same).count();
        let mut inputs: Vec<Input> = reports[begin..begin + count].iter().map(|(_, input)| input.clone()).collect();
        let of_one: Vec<Option<usize>> = inputs.iter().map(square).collect();
        rng.shuffle(&mut inputs);
        // The reports of each square stay in their order.
        for index in of_one.iter().flatten() {
            let places: Vec<usize> = (0..count).filter(|&place| square(&inputs[place]) == Some(*index)).collect();
            let news = (0..count).filter(|&place| of_one[place] == Some(*index));
            let news: Vec<Input> = news.map(|place| reports[begin + place].1.clone()).collect();
            places.into_iter().zip(news).for_each(|(place, input)| inputs[place] = input);
        }
        reports[begin..].iter_mut().zip(inputs).for_each(|(to, input)| to.1 = input);
        begin += count.max(1);
    }
    reports
}

/// Invariant 4.
#[test]
fn i04_squares_of_one_scan_in_any_order_give_the_same_list() {
    let mut changed = 0;
    campaign("invariant 4: squares of a scan", 41_000..41_015, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = any_game(&mut rng, seed);
        for way in 0..if seed % 3 == 0 { 2 } else { 6 } {
            let other = shuffled(&played.reports, &mut rng);
            changed += usize::from(other != played.reports);
            assert_eq!(CheckedGame::after_inputs(&other).moves(), played.moves, "way {way}");
        }
        played.reports.len() as u64
    });
    assert!(!ordinary() || changed > 10, "only {changed} games were changed");
}

/// The report with White on the other side of board and clock.
fn turned(input: &Input) -> Input {
    let Input::Device { event, source } = input else { return input.clone() };
    let event = match *event {
        DeviceEvent::Square { square, reading } => DeviceEvent::Square { square: square.rotated(), reading },
        DeviceEvent::Frame(frame) => DeviceEvent::Frame(frame.rotated()),
        DeviceEvent::Clock(reading) => DeviceEvent::Clock(ClockReading {
            left: reading.right,
            right: reading.left,
            lever_up: reading.lever_up.other(),
            turn: reading.turn.map(ClockSide::other),
            ..reading
        }),
        other => other,
    };
    Input::Device { event, source: *source }
}

/// Invariant 5, for clean games and for games that end in noise; the side of the clock is configured, or follows from the board. The
/// times of reports depend on the order of squares in a scan, which is another one on a turned board: so the board here sends frames,
/// or its scan takes no time.
#[test]
fn i05_a_turned_board_gives_the_same_output() {
    campaign("invariant 5: a turned board", 51_000..51_012, |seed| {
        let mut rng = Rng::with_seed(seed);
        let mut reports = game(&mut rng, BLITZ, 40).reports;
        if seed % 2 == 1 {
            let cut = rng.usize(reports.len() / 3..reports.len());
            reports.truncate(cut);
            let mut chaos = Chaos::after(rng.u64(..), &reports);
            let mut checked = CheckedGame::after_inputs(&reports);
            for _ in 0..150 {
                reports.extend(chaos.next(&checked.game).into_iter().inspect(|(at, input)| checked.feed(*at, input)));
            }
        }
        let side = if seed % 3 == 0 { None } else { Some(ClockSide::Left) };
        let mut timing = drivers::find("dgt").expect("registered").timing;
        if seed % 4 < 2 {
            reports = framed(&reports, false);
        } else {
            timing.scan = Duration::from_millis(149);
        }
        let mut settings = config();
        settings.white_clock = side;
        let mut one = CheckedGame::with_timing(settings.clone(), timing);
        settings.white_clock = side.map(ClockSide::other);
        let mut other = CheckedGame::with_timing(settings, timing);
        for (index, (at, input)) in reports.iter().enumerate() {
            one.feed(*at, input);
            other.feed(*at, &turned(input));
            assert_eq!(one.out, other.out, "input {index}, {input:?}");
        }
        let [mut here, mut there] = [one.state(), other.state()];
        assert!(here.rotated != there.rotated, "one of the boards is turned");
        (here.rotated, there.rotated) = (false, false);
        assert_eq!(here, there);
        assert!(!here.moves.is_empty() || here.game_no > 1, "moves were made");
        reports.len() as u64
    });
}

/// Every report of a square becomes a frame of the whole board: one frame for each, or one for all within a twenty-fifth of a second.
fn framed(reports: &Reports, together: bool) -> Reports {
    let (mut board, mut framed, mut due) = (Placement::EMPTY, Reports::new(), None);
    for (at, input) in reports {
        if let Some(when) = due.take_if(|due: &mut Instant| *due <= *at) {
            framed.push((when, device(DeviceEvent::Frame(board))));
        }
        match input {
            Input::Device { event: event @ DeviceEvent::Square { .. }, .. } => {
                note(event, &mut board);
                if together {
                    due.get_or_insert(Instant((at.0 / 41_000 + 1) * 41_000));
                } else {
                    framed.push((*at, device(DeviceEvent::Frame(board))));
                }
            }
            Input::Device { event, .. } => {
                note(event, &mut board);
                framed.push((*at, input.clone()));
            }
            _ => framed.push((*at, input.clone())),
        }
    }
    framed.extend(due.map(|when| (when, device(DeviceEvent::Frame(board)))));
    framed
}

/// Every frame except the first becomes reports of the squares that it changes.
fn unframed(reports: &Reports) -> Reports {
    let (mut board, mut squares) = (None::<Placement>, Reports::new());
    for (at, input) in reports {
        match (input, &mut board) {
            (Input::Device { event: DeviceEvent::Frame(frame), .. }, Some(board)) => {
                let news = Square::all().filter(|&square| board.get(square) != frame.get(square));
                let news = news.map(|square| DeviceEvent::Square { square, reading: frame.get(square) });
                squares.extend(news.map(|event| (*at, device(event))));
                *board = *frame;
            }
            (Input::Device { event: DeviceEvent::Frame(frame), .. }, none) => {
                *none = Some(*frame);
                squares.push((*at, input.clone()));
            }
            _ => squares.push((*at, input.clone())),
        }
    }
    squares
}

/// Invariant 6.
#[test]
fn i06_frames_and_the_same_squares_give_the_same_list() {
    campaign("invariant 6: frames and squares", 61_000..61_015, |seed| {
        let mut rng = Rng::with_seed(seed);
        let played = any_game(&mut rng, seed);
        let frames = framed(&played.reports, false);
        assert_eq!(CheckedGame::after_inputs(&frames).moves(), played.moves, "a frame for each square");
        let frames = framed(&played.reports, true);
        assert_eq!(CheckedGame::after_inputs(&frames).moves(), played.moves, "a frame for all squares of a scan");
        assert_eq!(CheckedGame::after_inputs(&unframed(&frames)).moves(), played.moves, "reports of the squares of those frames");
        played.reports.len() as u64
    });
}
