//! An illegal move is pressed and answered, and the game goes on.

mod every_driver;

use std::collections::BTreeSet;
use std::fmt::Write;

use fastrand::Rng;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::input::Input;
use flagfall_game::laws::rulebook::{PROFILES, Rulebook};
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Color, Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup, Move, Piece, Position, Role, Setup};

use crate::games::hands::{Hands, Pace, between};
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{BLITZ, Reports, STARTED, device, listen};
use crate::support::seeds::campaign;

/// A move that is not sure is published to the live audience at most this long after its man stood on its square, in microseconds.
const LONGEST_WAIT: u64 = 30_000_000;

/// The kinds of boards, by their reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Board {
    Squares,
    Frames,
    Occupancy,
}

/// The moves of a game with an illegal one.
struct Truth {
    before: Vec<Move>,
    /// The position that the illegal move left.
    left: Chess,
    after: Vec<Move>,
    /// The men were put back before the opponent replied; `after` follows the moves of `before`.
    restored: bool,
}

/// A game in which hands and clock play on after an illegal move, as lines of an emulator's script.
struct Table<'a> {
    rng: &'a mut Rng,
    pace: Pace,
    now: f64,
    lines: Vec<(f64, String)>,
}

impl Table<'_> {
    fn move_on(&mut self, position: &mut Chess, mv: Move, think: f64) {
        let begin = self.now + think;
        let motions = Hands::make(self.rng, self.pace, position, mv);
        let slide =
            |(at, action): &(f64, String)| Some(at + action.strip_prefix("slide ")?.split(' ').nth(2)?.parse::<f64>().ok()?);
        let made = motions.iter().filter_map(slide).fold(motions.last().map_or(0.0, |(at, _)| *at), f64::max);
        self.lines.extend(motions.into_iter().map(|(at, action)| (begin + at, action)));
        self.now = begin + made + between(self.rng, self.pace.press);
        self.press(position.turn());
        position.play_unchecked(mv);
    }

    fn press(&mut self, by: shakmaty::Color) {
        self.lines.push((self.now, if by.is_white() { "press left" } else { "press right" }.to_owned()));
    }

    /// A hand moves a man from one square to another one, and takes off the man that stands there.
    fn put(&mut self, from: shakmaty::Square, to: shakmaty::Square, man: Piece, taken: bool) {
        self.now += between(self.rng, self.pace.think);
        if taken {
            self.lines.extend([(self.now, format!("lift {to}")), (self.now, "drop".to_owned())]);
            self.now += between(self.rng, self.pace.hand);
        }
        self.lines.extend([(self.now, format!("lift {from}")), (self.now, "drop".to_owned())]);
        self.now += between(self.rng, self.pace.hand);
        self.lines.push((self.now, format!("place {to} {}", man.char())));
    }
}

/// An illegal move of a man of this kind, and the position that it leaves; none if this position has none with which a game can
/// go on.
fn illegal_move(rng: &mut Rng, position: &Chess, role: Role) -> Option<(shakmaty::Square, shakmaty::Square, Chess)> {
    let us = position.turn();
    let legal: Vec<Move> = position.legal_moves().into_iter().collect();
    let centre = Role::King == role;
    let mut found = Vec::new();
    for from in position.board().by_piece(role.of(us)) {
        for to in shakmaty::Square::ALL {
            let stands = position.board().piece_at(to);
            let free = stands.is_none_or(|piece| piece.color != us && piece.role != Role::King);
            // Kings in the centre show a result, and a pawn on its last rank is another irregularity.
            let other = (centre && (3..=4).contains(&u32::from(to.rank())) && (3..=4).contains(&u32::from(to.file())))
                || (role == Role::Pawn && [0, 7].contains(&u32::from(to.rank())));
            let castles = |mv: &Move| mv.is_castle() && mv.from() == Some(from);
            if !free || other || legal.iter().any(|mv| castles(mv) || (mv.from() == Some(from) && mv.to() == to)) {
                continue;
            }
            let mut setup: Setup = position.to_setup(EnPassantMode::Legal);
            setup.board.discard_piece_at(from);
            setup.board.set_piece_at(to, role.of(us));
            setup.turn = us.other();
            setup.ep_square = None;
            let corner = |rook: shakmaty::Square| {
                let color = position.board().color_at(rook);
                rook != from && rook != to && !(role == Role::King && color == Some(us))
            };
            setup.castling_rights = setup.castling_rights.into_iter().filter(|&rook| corner(rook)).collect();
            if let Ok(left) = Chess::from_setup(setup, CastlingMode::Standard)
                && !left.is_game_over()
            {
                found.push((from, to, left));
            }
        }
    }
    rng.choice(found)
}

fn random_move(rng: &mut Rng, position: &Chess) -> Option<Move> {
    // Kings in the centre show a result, and an underpromotion is not seen on every board.
    let plain = |mv: &Move| mv.role() != Role::King && mv.promotion().is_none();
    let going_on = |mv: &Move| position.clone().play(*mv).is_ok_and(|after| !after.is_game_over());
    let moves: Vec<Move> = position.legal_moves().into_iter().filter(|mv| plain(mv) && going_on(mv)).collect();
    rng.choice(moves)
}

/// A game with an illegal move of a man of this kind: hands and presses as an emulator's script, and when it ends.
fn script(rng: &mut Rng, role: Role, restored: bool) -> Option<(Truth, String, Instant)> {
    let mut table = Table { rng, pace: BLITZ, now: STARTED, lines: Vec::new() };
    table.lines.push((table.now + 0.5, "run".to_owned()));
    table.now += 1.0;
    let mut position = Chess::default();
    let mut before = Vec::new();
    for _ in 0..table.rng.usize(2..24) {
        let mv = random_move(table.rng, &position)?;
        let think = between(table.rng, BLITZ.think);
        table.move_on(&mut position, mv, think);
        before.push(mv);
    }
    let (from, to, left) = illegal_move(table.rng, &position, role)?;
    let taken = position.board().piece_at(to);
    table.put(from, to, role.of(position.turn()), taken.is_some());
    table.now += between(table.rng, BLITZ.press);
    table.press(position.turn());
    let mut after = Vec::new();
    let mut on = left.clone();
    if restored {
        // The opponent complains, and the men are put back while his clock runs.
        table.now += 3.0 + 3.0 * table.rng.f64();
        table.lines.extend([(table.now, format!("lift {to}")), (table.now, "drop".to_owned())]);
        table.lines.push((table.now + 0.3, format!("place {from} {}", role.of(position.turn()).char())));
        table.now += 0.6;
        if let Some(taken) = taken {
            table.lines.push((table.now, format!("place {to} {}", taken.char())));
        }
        table.now += 2.0;
        table.press(position.turn().other());
        table.now += 1.0;
        on = position;
    }
    let mut think = 0.3 + 9.7 * table.rng.f64() * table.rng.f64();
    for _ in 0..20 {
        let Some(mv) = random_move(table.rng, &on) else { break };
        table.move_on(&mut on, mv, think);
        after.push(mv);
        think = between(table.rng, BLITZ.think);
    }
    if after.len() < 2 {
        return None;
    }
    let end = Instant(((table.now + 5.0) * 1e6) as u64);
    let mut lines = table.lines;
    lines.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut text = String::new();
    lines.iter().for_each(|(at, action)| writeln!(text, "{at:.6} {action}").expect("a string"));
    Some((Truth { before, left, after, restored }, text, end))
}

/// Such a game, and the reports of its board and clock.
fn game(rng: &mut Rng, role: Role, restored: bool) -> Option<(Truth, Reports)> {
    let (truth, text, end) = script(rng, role, restored)?;
    let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(3_600_000), ClockTime(2_000));
    let settings = Settings { clock: Some(clock), ..Settings::default() };
    let (events, _) = listen(settings, &text, end);
    let reports = events.into_iter().map(|(at, event)| (at, device(event))).collect();
    Some((truth, reports))
}

/// The same reports as a board of this kind makes them.
fn reported_by(board: Board, reports: Reports) -> Reports {
    let mut shown = Placement::EMPTY;
    let occupied = |reading: Reading| if reading == Reading::Empty { Reading::Empty } else { Reading::Occupied };
    let mut changed = Reports::new();
    for (at, input) in reports {
        let input = match input {
            Input::Device { event: DeviceEvent::Frame(frame), .. } => {
                shown = frame;
                let mut frame = frame;
                if board == Board::Occupancy {
                    Square::all().for_each(|square| frame.set(square, occupied(frame.get(square))));
                }
                device(DeviceEvent::Frame(frame))
            }
            Input::Device { event: DeviceEvent::Square { square, reading }, .. } => {
                shown.set(square, reading);
                match board {
                    Board::Squares => device(DeviceEvent::Square { square, reading }),
                    Board::Frames => device(DeviceEvent::Frame(shown)),
                    Board::Occupancy => device(DeviceEvent::Square { square, reading: occupied(reading) }),
                }
            }
            other => other,
        };
        changed.push((at, input));
    }
    changed
}

/// When each square last showed each man; `*` stands for a man that is not identified.
struct ShownMen {
    last: Vec<[Option<Instant>; 128]>,
    shown: Placement,
    /// Moves that were made and whose men were captured by the next move: a slow board may not have shown them.
    captured_at_once: Vec<String>,
}

impl ShownMen {
    fn new() -> ShownMen {
        ShownMen { last: vec![[None; 128]; 64], shown: Placement::EMPTY, captured_at_once: Vec::new() }
    }

    fn note(&mut self, at: Instant, input: &Input) {
        // What stood until now was last seen now.
        for square in Square::all() {
            if let Some(letter) = letter(self.shown.get(square)) {
                self.last[square.index()][letter] = Some(at);
            }
        }
        match input {
            Input::Device { event: DeviceEvent::Frame(frame), .. } => self.shown = *frame,
            Input::Device { event: DeviceEvent::Square { square, reading }, .. } => self.shown.set(*square, *reading),
            _ => {}
        }
        for square in Square::all() {
            if let Some(letter) = letter(self.shown.get(square)) {
                self.last[square.index()][letter] = Some(at);
            }
        }
    }

    /// True if the board showed the man of this move of `color` on its square at `since` or later, or if it was captured there before the
    /// board could show it.
    fn shows(&self, uci: &str, san: &str, color: Color, since: Instant) -> bool {
        if self.captured_at_once.iter().any(|made| made == uci) {
            return true;
        }
        let role = match san.as_bytes()[0] {
            _ if san.contains('=') => uci.as_bytes()[4].to_ascii_uppercase(),
            b'O' => b'K',
            first @ (b'K' | b'Q' | b'R' | b'B' | b'N') => first,
            _ => b'P',
        };
        let to = match san.trim_end_matches(['+', '#']) {
            "O-O" => format!("g{}", &uci[1..2]),
            "O-O-O" => format!("c{}", &uci[1..2]),
            _ => uci[2..4].to_owned(),
        };
        let man = if color == Color::White { role } else { role.to_ascii_lowercase() };
        let square = Square::parse(&to).expect("a square").index();
        [man, b'*'].iter().any(|&letter| self.last[square][usize::from(letter)].is_some_and(|last| last >= since))
    }
}

fn letter(reading: Reading) -> Option<usize> {
    match reading {
        Reading::Piece(piece) => Some(piece.letter() as usize),
        Reading::Occupied => Some(usize::from(b'*')),
        _ => None,
    }
}

/// Checks that the board showed the man of every reported move on its square. A move that was published before, perhaps long ago,
/// may be repeated: `published` has all moves of the live audience, also those that were taken back. A move that is proved late
/// may also have been made long ago.
fn check_reported(checked: &CheckedGame, now: Instant, shown: &ShownMen, published: &mut BTreeSet<String>, context: &str) {
    for effect in &checked.out {
        let lives = match effect {
            Effect::Move(mv) => {
                let stood = shown.shows(&mv.uci.to_string(), &mv.san.to_string(), mv.color, mv.made.earliest);
                assert!(stood, "{context}: {} ({}) became sure, board {}", mv.san, mv.uci, shown.shown);
                continue;
            }
            Effect::LiveMove { audience: Audience::Live, played: mv } => std::slice::from_ref(mv),
            Effect::LiveRevision { audience: Audience::Live, moves, .. } => moves,
            _ => continue,
        };
        for mv in lives {
            let sure = checked.game.moves().nth(mv.ply as usize - 1).filter(|sure| sure.uci == mv.uci);
            let recently = Instant(now.0.saturating_sub(LONGEST_WAIT));
            let since = sure.map_or(recently, |sure| sure.made.earliest.min(recently));
            // The number of a ply does not say who made it, because plies are counted anew in each segment.
            let by = |color| shown.shows(&mv.uci.to_string(), &mv.san.to_string(), color, since);
            let stood = !published.insert(mv.uci.to_string()) || by(Color::White) || by(Color::Black);
            assert!(stood, "{context}: {} ({}) was published, board {}", mv.san, mv.uci, shown.shown);
        }
    }
}

fn uci(moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| UciMove::from_standard(mv).to_string()).collect()
}

/// Invariant 15: an illegal move of each kind of man is pressed and answered, at every board that identifies men and under all rules.
#[test]
fn i15_nothing_is_reported_that_the_board_contradicts() {
    // Three moves are played before the illegal move is known.
    let three_moves_later = 1_795_555_649_003_097;
    // The illegal move captures, and its man goes on before it is called illegal, to a square that it could have reached at once.
    let goes_on = 1_005_262;
    let seeds = (150_000..150_108).chain([three_moves_later, goes_on]);
    campaign("invariant 15: illegal moves", seeds, |seed| play_on(seed, &[Board::Squares, Board::Frames]));
}

/// The same where men are not identified.
#[test]
fn i15_nothing_is_reported_that_occupied_squares_contradict() {
    // Two moves that were published while they were tentative become sure at once, and the first one is another move.
    let first_was_another = 1_795_478_400_000_261;
    let seeds = (151_000..151_024).chain([first_was_another]);
    campaign("invariant 15: men not identified", seeds, |seed| play_on(seed, &[Board::Occupancy]));
}

fn play_on(seed: u64, boards: &[Board]) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let role = Role::ALL[seed as usize % 6];
    let profile = PROFILES[rng.usize(0..PROFILES.len())];
    let board = boards[rng.usize(0..boards.len())];
    let restored = rng.u8(0..4) == 0;
    let (truth, reports) = std::iter::repeat_with(|| game(&mut rng, role, restored)).flatten().next().expect("a game");
    let reports = reported_by(board, reports);
    let rulebook = Rulebook::parse(profile.name()).expect("a rulebook");
    let time_control = Some(TimeControl::parse("3600+2").expect("a time control"));
    let mut checked = CheckedGame::new(GameConfig { time_control, rulebook, ..GameConfig::default() });
    let context = format!("{role:?}, {}, {board:?}, restored {restored}", profile.name());
    let (mut shown, mut published) = (ShownMen::new(), BTreeSet::new());
    for (at, input) in &reports {
        shown.note(*at, input);
        checked.feed(*at, input);
        check_reported(&checked, *at, &shown, &mut published, &context);
    }
    let end = Instant(reports.last().expect("reports").0.0 + 5_000_000);
    checked.advance_to(end);
    check_reported(&checked, end, &shown, &mut published, &context);
    compare(&checked, &truth, profile.rules().illegal_deadline, board, &context);
    reports.len() as u64
}

fn compare(checked: &CheckedGame, truth: &Truth, stands: bool, board: Board, context: &str) {
    let state = checked.state();
    let made = |moves: &[flagfall::wire::moves::MoveBody]| moves.iter().map(|mv| mv.uci.to_string()).collect::<Vec<String>>();
    let (before, after) = (uci(&truth.before), uci(&truth.after));
    let alarms: Vec<_> = checked.game.alarms().iter().map(|alarm| (alarm.kind, alarm.opened)).collect();
    let mut moves = made(&state.moves);
    moves.extend(made(&state.pending));
    // Where men are not identified, an illegal capture cannot be told from a lifted man.
    if board == Board::Occupancy {
        return;
    }
    if truth.restored {
        let whole: Vec<String> = before.iter().chain(&after).cloned().collect();
        assert_eq!(moves, whole, "{context}: {alarms:?}");
        return;
    }
    if stands {
        let left = shakmaty::fen::Fen::from_position(&truth.left, EnPassantMode::Legal).to_string();
        let board_of = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
        assert_eq!(board_of(&state.initial_fen), board_of(&left), "{context}: {alarms:?}");
        assert_eq!(moves, after, "{context}: {alarms:?}");
        let segments: Vec<Vec<String>> = state.segments.iter().map(|segment| made(&segment.moves)).collect();
        assert_eq!(segments, [before], "{context}");
    } else {
        assert_eq!(moves, before, "{context}: {alarms:?}");
        let unruled = state.after_illegal_move.expect("what was played after the illegal move");
        assert_eq!(made(&unruled.moves), after, "{context}: {alarms:?}");
    }
}
