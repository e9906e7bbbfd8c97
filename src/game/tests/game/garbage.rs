//! Arbitrary inputs: nothing panics, nothing grows without limit, the same inputs give the same effects, and inputs without
//! news change nothing.

use std::time::Duration;

use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::Effect;
use flagfall_game::game::Game;
use flagfall_game::input::{Command, Input};
use flagfall_game::laws::claim::{Ground, Standing};
use flagfall_game::laws::finding::FindingKey;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::winnable::Answer;
use flagfall_game::pair::Pair;
use flagfall_protocols::event::{Battery, ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent, LogEntry};
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Square};
use flagfall_protocols::time::{ClockTime, Instant};

use crate::desk::state::State;
use crate::desk::{Desk, TIMING};
use crate::seeds::campaign;

/// The steps of four runs.
const STEPS: usize = 100_000;

/// splitmix64: a seed always gives the same numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

fn reading(random: &mut Random) -> Reading {
    match random.below(20) {
        0..=7 => Reading::Empty,
        8 => Reading::Unreadable,
        9 => Reading::Occupied,
        _ => Piece::from_letter(random.pick(&['P', 'N', 'B', 'R', 'Q', 'K', 'p', 'n', 'b', 'r', 'q', 'k']))
            .map_or(Reading::Empty, Reading::Piece),
    }
}

/// A board; sometimes it is a sensible one.
fn placement(random: &mut Random) -> Placement {
    let known = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "RNBKQBNR/PPPPPPPP/8/8/8/8/pppppppp/rnbkqbnr",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR",
        "4k3/P7/8/8/8/8/8/4K3",
        "8/8/8/3k4/4K3/8/8/8",
        "8/8/8/8/8/8/8/8",
    ];
    let mut placement = Placement::parse(random.pick(&known)).expect("a placement");
    for _ in 0..random.pick(&[0, 0, 1, 2, 40]) {
        placement.set(Square::wrapping(random.next() as u8), reading(random));
    }
    placement
}

fn face(random: &mut Random, was: ClockFace) -> ClockFace {
    let millis = match random.below(12) {
        0 => 0,
        1 => was.time.0 + 30_000,
        2 => was.time.0.saturating_add(1_800_000).min(35_999_000),
        3 => random.below(36_000) as u32 * 1000,
        4..=8 => was.time.0.saturating_sub(1000),
        _ => was.time.0,
    };
    ClockFace {
        time: ClockTime(millis.min(35_999_000)),
        flag_blocked: random.one_in(200),
        flag_shown: random.one_in(40),
        adds_time: false,
    }
}

fn clock(random: &mut Random, was: &ClockReading) -> ClockReading {
    let lever_up = if random.one_in(4) { was.lever_up.other() } else { was.lever_up };
    ClockReading {
        left: face(random, was.left),
        right: face(random, was.right),
        running: !random.one_in(8),
        lever_up,
        turn: random.pick(&[Some(lever_up), None]),
        battery_low: false,
        baseline: random.one_in(100),
        resolution_ms: 1000,
        late: Duration::ZERO,
    }
}

fn command(random: &mut Random) -> Command {
    let fen = random.pick(&[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/P7/8/8/8/8/8/4K3 w - - 149 4294967295",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "k7/8/8/8/8/8/8/8 w - - 0 1",
        "not a FEN",
        "é",
        "",
    ]);
    let number = |random: &mut Random| random.pick(&[0, 1, 2, 39, 40, 9_999, u32::MAX]);
    match random.below(30) {
        0 => Command::StartGame { fen: random.pick(&[None, Some(fen.to_owned())]) },
        1 => Command::SetPosition { fen: fen.to_owned() },
        2 => Command::TakeBack { plies: number(random) },
        3 => Command::CorrectMove {
            plies: number(random),
            uci: random.pick(&["e2e4", "g8f6", "0000", "e7e8q", "x", "P@e4"]).to_owned(),
        },
        4 | 5 => Command::SetMoveCount { completed: Pair { white: number(random), black: number(random) } },
        6 | 7 => Command::SetClockRecord {
            time_control: random.pick(&[
                None,
                Some("40/300+5:300".to_owned()),
                Some("300".to_owned()),
                Some("nonsense".to_owned()),
            ]),
            additional_time: random.pick(&[None, Some(5), Some(u32::MAX)]),
            flag_taken_back: random.pick(&[None, Some(Color::White), Some(Color::Black)]),
        },
        8 => Command::StopClocks,
        9 => Command::RestartClocks,
        10 => Command::SwapSides,
        11..=14 => Command::Claim {
            flag: random.pick(&[Color::White, Color::Black]),
            period: random.pick(&[None, None, Some(0), Some(1), Some(2), Some(u32::MAX)]),
            observed_at: random.pick(&[None, Some(0), Some(u64::MAX)]),
        },
        15 | 16 => Command::DeclareResult {
            result: random.pick(&[GameResult::WhiteWins, GameResult::Draw, GameResult::Open, GameResult::Open]),
        },
        17 => Command::Confirm { finding: finding(random) },
        18 => Command::Reject { finding: finding(random) },
        19 => entered(random),
        _ => Command::AcknowledgeAlert { alarm: random.below(300) as u32 },
    }
}

/// A finding that may exist.
fn finding(random: &mut Random) -> FindingKey {
    FindingKey { id: random.pick(&[0, 1, 2, 3, u32::MAX]), revision: random.pick(&[0, 1, 2, 3, 4, u32::MAX]) }
}

fn entered(random: &mut Random) -> Command {
    let side = random.pick(&[Color::White, Color::Black]);
    match random.below(8) {
        0 | 1 => Command::Offer { side },
        2 => Command::Accept { side },
        3 => Command::Resign { side },
        4 | 5 => Command::ClaimOn {
            side,
            ground: random.pick(&[Ground::Repetition, Ground::FiftyMoves, Ground::AdditionalTime, Ground::NormalMeans]),
            standing: random.pick(&[Standing::Lodged, Standing::Lodged, Standing::Accepted, Standing::Refused]),
            uci: random.pick(&[None, None, Some("g1f3"), Some("e7e8q"), Some("0000"), Some("é")]).map(str::to_owned),
        },
        _ => Command::Penalty {
            side,
            seconds: random.pick(&[None, Some(Pair { white: 0, black: 120 }), Some(Pair { white: i32::MIN, black: i32::MAX })]),
            alarm: random.pick(&[None, Some(0), Some(1), Some(2), Some(u32::MAX)]),
            counts: random.pick(&[None, Some(true), Some(false)]),
        },
    }
}

fn answer(random: &mut Random) -> Answer {
    let line = random.pick(&[
        None,
        Some(vec![]),
        Some(vec!["e2e4".to_owned()]),
        Some(vec!["f2f3".to_owned(), "e7e5".to_owned(), "g2g4".to_owned(), "d8h4".to_owned()]),
    ]);
    Answer { id: random.pick(&[0, 1, 2, 64, 65, u32::MAX]), line, ..Answer::default() }
}

/// The inputs of one run: mostly squares and clocks, and sometimes a move of the game.
struct Source {
    random: Random,
    clock: ClockReading,
    /// For a radio: the delay of reports and the strength of its signal.
    radio: Option<Random>,
}

impl Source {
    fn new(seed: u64) -> Source {
        Source { random: Random(seed), clock: Desk::new("").clock, radio: None }
    }

    /// The squares of a legal move in the position that the game knows.
    fn sensible(&mut self, game: &Game) -> Vec<Input> {
        use shakmaty::{Chess, Position, fen::Fen};
        let state = State::of(game);
        let fen: Fen = state.fen.parse().expect("its own FEN");
        let Ok(position) = fen.into_position::<Chess>(shakmaty::CastlingMode::Standard) else { return Vec::new() };
        let moves = position.legal_moves();
        if moves.is_empty() {
            return Vec::new();
        }
        let mut after = position.clone();
        after.play_unchecked(moves[self.random.below(moves.len() as u64) as usize]);
        let after = Placement::parse(&after.board().board_fen().to_string()).expect("a placement");
        let after = if state.rotated { after.rotated() } else { after };
        self.clock.lever_up = self.clock.lever_up.other();
        [DeviceEvent::Frame(after), DeviceEvent::Clock(self.clock)].map(device).to_vec()
    }

    fn inputs(&mut self, game: &Game) -> Vec<Input> {
        let mut late = Duration::ZERO;
        if let Some(radio) = &mut self.radio {
            if radio.one_in(50) {
                return vec![Input::Signal { clock: radio.one_in(2), weak: radio.one_in(2) }];
            }
            late = if radio.one_in(8) { Duration::from_millis(radio.below(20_000)) } else { Duration::ZERO };
        }
        let random = &mut self.random;
        let event = match random.below(100) {
            0..=49 => DeviceEvent::Square { square: Square::wrapping(random.next() as u8), reading: reading(random) },
            50..=54 => DeviceEvent::Frame(placement(random)),
            55..=84 => {
                self.clock = clock(random, &self.clock);
                DeviceEvent::Clock(ClockReading { late, ..self.clock })
            }
            85 => DeviceEvent::ClockAbsent,
            86 => DeviceEvent::Silent,
            87 => DeviceEvent::Responding,
            88 => random.pick(&[DeviceEvent::Battery(Battery::default()), DeviceEvent::Log(LogEntry::End)]),
            89 => return vec![Input::Link { up: random.one_in(2) }],
            90 => return vec![Input::Command(command(random))],
            91 => return vec![Input::Answer(answer(random))],
            92 => return vec![random.pick(&[Input::Deadline, Input::Bound])],
            _ => return self.sensible(game),
        };
        vec![device(event)]
    }
}

fn device(event: DeviceEvent) -> Input {
    Input::Device { event, source: ByteRange::default() }
}

fn game(control: Option<&str>) -> Game {
    let time_control = control.map(|control| TimeControl::parse(control).expect("a time control"));
    Game::new(GameConfig { time_control, ..GameConfig::default() }, TIMING)
}

/// The size of the stored data, counted roughly. The moves are those of the game.
fn kept(game: &Game) -> usize {
    let state = State::of(game);
    let lists = [game.alarms().len(), game.findings().len(), state.flags.len(), state.pending.len(), state.hints.len()];
    assert!(lists[0] <= 256 && lists[1] <= 33 && lists[2] <= 32 && lists[3] <= 16 && lists[4] <= 8, "{lists:?}");
    assert!(state.moves.len() <= game.live_plies().max(state.moves.len()));
    lists.iter().sum()
}

fn run(seed: u64, steps: usize) {
    run_from(Source::new(seed), seed, steps);
}

fn run_from(mut source: Source, seed: u64, steps: usize) {
    let control = [None, Some("300"), Some("2/300+5:300+5"), Some("1/60:1/60:1/60:60")][(seed % 4) as usize];
    let (mut one, mut two) = (game(control), game(control));
    let (mut now, mut effects) = (Instant(0), 0);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for step in 0..steps {
        for input in source.inputs(&one) {
            if !source.random.one_in(10) {
                now = now.after(Duration::from_millis(source.random.pick(&[0, 1, 50, 250, 400, 1000, 1000, 7000])));
            }
            for game in [(&mut one, &mut first), (&mut two, &mut second)] {
                let (game, out) = game;
                let mut woken = 0;
                while let Some(due) = game.deadline().filter(|&due| due < now) {
                    game.step(due, &Input::Deadline, out);
                    woken += 1;
                    assert!(woken < 100, "seed {seed}, step {step}: the game wakes itself for ever");
                }
                game.step(now, &input, out);
            }
            assert_eq!(first, second, "seed {seed}, step {step}: {input:?}");
            effects += first.len();
            first.clear();
            second.clear();
        }
        if step % 500 == 0 {
            kept(&one);
            assert_eq!(State::of(&one), State::of(&two), "seed {seed}, step {step}");
        }
    }
    assert!(effects > steps / 10 && one.number() > 1, "seed {seed}: {effects} effects, {} games", one.number());
}

#[test]
fn nothing_panics_and_everything_repeats() {
    campaign("any input to a game", 0..1, |seed| {
        run(seed, STEPS / 4);
        STEPS as u64 / 4
    });
}

#[test]
fn a_late_and_weak_radio_does_not_panic_either() {
    campaign("any input to a game with a radio", 0..1, |seed| {
        run_from(Source { radio: Some(Random(seed + 1_000)), ..Source::new(seed) }, seed, STEPS / 8);
        STEPS as u64 / 8
    });
}

/// A repeated report, or a frame instead of squares, changes only the age of the times.
#[test]
fn equal_readings_change_nothing() {
    let mut desk = Desk::started("300");
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"] {
        desk.play(uci);
        let (standing, before) = (desk.standing(), desk.state());
        desk.out.clear();
        for square in Square::all() {
            desk.square(square, standing.get(square));
        }
        desk.frame(standing).report().frame(standing).report();
        assert!(desk.out.iter().all(|effect| matches!(effect, Effect::Clock)), "{uci}: {:?}", desk.out);
        let mut after = desk.state();
        after.clock.read = before.clock.read;
        assert_eq!(after, before, "{uci}");
    }
    desk.clock.lever_up = ClockSide::Right;
    desk.fall(ClockSide::Right).wait(0.5);
    desk.out.clear();
    desk.report();
    assert!(desk.out.iter().all(|effect| matches!(effect, Effect::Clock)), "after a flag: {:?}", desk.out);
}
