//! Hands and a clock that play one game, and what the game of the daemon makes of it.

use std::fmt::Write;

use fastrand::Rng;
use flagfall::wire::moves::MoveBody;
use flagfall_game::effect::Effect;
use flagfall_game::input::{Command, Input};
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Move, Piece, Position, Square};

use crate::games::hands::{Hands, Pace, between};
use crate::invariants::checked_game::CheckedGame;
use crate::invariants::played_game::{Reports, STARTED, config, device, listen, position};

/// A wrong sure move is silent if no alarm is open this long after it, in microseconds.
const SILENT_AFTER: u64 = 15_000_000;

/// A board with its clock, and the hands of both players.
pub(crate) struct Table<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) pace: Pace,
    /// Seconds since the beginning.
    pub(crate) now: f64,
    pub(crate) position: Chess,
    pub(crate) moves: Vec<Move>,
    lines: Vec<(f64, String)>,
    settings: Settings,
    start: Option<(Instant, Command)>,
}

impl<'a> Table<'a> {
    /// A game from `fen`, or from the initial position; the clock of the side to move runs.
    pub(crate) fn new(rng: &'a mut Rng, pace: Pace, fen: Option<&str>) -> Table<'a> {
        let position = fen.map_or_else(Chess::default, position);
        let placement = Placement::parse(&position.board().board_fen().to_string()).expect("a placement");
        let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(3_600_000), ClockTime(2_000));
        let settings = Settings { clock: Some(clock), placement, ..Settings::default() };
        let now = STARTED + rng.f64();
        let start = fen.map(|fen| (Instant((now * 1e6) as u64), Command::StartGame { fen: Some(fen.to_owned()) }));
        let mut table = Table { rng, pace, now, position, moves: Vec::new(), lines: Vec::new(), settings, start };
        table.now += 0.5;
        if table.position.turn().is_black() {
            table.press(Color::White);
            table.now += 0.5;
        }
        table.act("run".to_owned());
        table.now += 0.5;
        table
    }

    pub(crate) fn act(&mut self, action: String) {
        self.lines.push((self.now, action));
    }

    pub(crate) fn wait(&mut self, range: [f64; 2]) {
        self.now += between(self.rng, range);
    }

    /// Takes a man off the board.
    pub(crate) fn lift(&mut self, square: Square) {
        self.act(format!("lift {square}"));
        self.act("drop".to_owned());
    }

    pub(crate) fn place(&mut self, square: Square, man: Piece) {
        self.act(format!("place {square} {}", man.char()));
    }

    pub(crate) fn press(&mut self, by: Color) {
        self.act(if by.is_white() { "press left" } else { "press right" }.to_owned());
    }

    /// The hands make this move in any manner and do not press.
    pub(crate) fn make(&mut self, mv: Move) {
        let motions = Hands::make(self.rng, self.pace, &self.position, mv);
        let slide =
            |(at, action): &(f64, String)| Some(at + action.strip_prefix("slide ")?.split(' ').nth(2)?.parse::<f64>().ok()?);
        let made = motions.iter().filter_map(slide).fold(motions.last().map_or(0.0, |(at, _)| *at), f64::max);
        let begin = self.now;
        self.lines.extend(motions.into_iter().map(|(at, action)| (begin + at, action)));
        self.now += made;
        self.made(mv);
    }

    /// The hands have made this move.
    pub(crate) fn made(&mut self, mv: Move) {
        self.moves.push(mv);
        self.position.play_unchecked(mv);
    }

    /// The hands make this move after a while, and press.
    pub(crate) fn play(&mut self, mv: Move) {
        self.wait(self.pace.think);
        self.make(mv);
        self.wait(self.pace.press);
        self.press(self.position.turn().other());
    }

    /// A random move that goes on with the game and after which no king stands in the centre.
    pub(crate) fn random_move(&mut self, prefer: impl Fn(&Move) -> bool) -> Option<Move> {
        let plain = |mv: &Move| mv.role() != shakmaty::Role::King && mv.promotion().is_none();
        let goes_on = |mv: &Move| self.position.clone().play(*mv).is_ok_and(|after| !after.is_game_over());
        let moves: Vec<Move> = self.position.legal_moves().into_iter().filter(|mv| plain(mv) && goes_on(mv)).collect();
        let preferred: Vec<Move> = moves.iter().copied().filter(prefer).collect();
        if !preferred.is_empty() && self.rng.u8(0..4) > 0 { self.rng.choice(preferred) } else { self.rng.choice(moves) }
    }

    /// Plays so many random moves, fewer when there is none that goes on with the game.
    pub(crate) fn play_on(&mut self, moves: usize) {
        for _ in 0..moves {
            let Some(mv) = self.random_move(|_| false) else { break };
            self.play(mv);
        }
    }

    /// Plays the hands' motions, and four seconds more.
    pub(crate) fn end(self) -> Told {
        let mut lines = self.lines;
        lines.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut text = String::new();
        lines.iter().for_each(|(at, action)| writeln!(text, "{at:.6} {action}").expect("a string"));
        let end = Instant(((self.now + 4.0) * 1e6) as u64);
        let (events, _) = listen(self.settings, &text, end);
        let mut reports: Reports = events.into_iter().map(|(at, event)| (at, device(event))).collect();
        if let Some((at, command)) = &self.start {
            let place = reports.partition_point(|(stamp, _)| stamp <= at);
            reports.insert(place, (*at, Input::Command(command.clone())));
        }
        let moves: Vec<String> = self.moves.iter().map(|&mv| UciMove::from_standard(mv).to_string()).collect();
        let mut checked = CheckedGame::new(config());
        let mut told = Vec::new();
        for (at, input) in &reports {
            checked.feed(*at, input);
            note(&checked, *at, &mut told);
        }
        checked.advance_to(end);
        note(&checked, end, &mut told);
        Told { moves, checked, told, script: text, inputs: reports.len() as u64 }
    }
}

fn note(checked: &CheckedGame, at: Instant, told: &mut Vec<(Instant, u32, String)>) {
    for effect in &checked.out {
        if let Effect::Move(played) = effect {
            let body = MoveBody::from(*played);
            told.push((at, body.ply, body.uci.to_string()));
        }
    }
}

/// What was played, and what was told.
pub(crate) struct Told {
    pub(crate) moves: Vec<String>,
    pub(crate) checked: CheckedGame,
    /// When each move was told, its ply, and its name.
    told: Vec<(Instant, u32, String)>,
    script: String,
    pub(crate) inputs: u64,
}

impl Told {
    /// Whether the sure moves are what was played.
    pub(crate) fn exact(&self) -> bool {
        self.checked.moves() == self.moves
    }

    /// Checks that no wrong move was told without an alarm that is open within fifteen seconds.
    #[track_caller]
    pub(crate) fn assert_none_silent(&self) {
        for (at, ply, uci) in &self.told {
            if self.moves.get(*ply as usize - 1) == Some(uci) {
                continue;
            }
            let open = self
                .checked
                .game
                .alarms()
                .iter()
                .any(|alarm| alarm.opened.0 <= at.0 + SILENT_AFTER && alarm.closed.is_none_or(|closed| closed >= *at));
            assert!(open, "ply {ply} was told as {uci} at {at:?} without an alarm\n{}", self.report());
        }
    }

    /// Checks that the moves were told as they were played, whatever became of the game later.
    #[track_caller]
    pub(crate) fn assert_told(&self) {
        let told: Vec<&str> = self.told.iter().map(|(_, _, uci)| uci.as_str()).collect();
        assert!(told == self.moves, "{}", self.report());
    }

    #[track_caller]
    pub(crate) fn assert_exact(&self) {
        assert!(self.exact(), "not exact\n{}", self.report());
    }

    fn report(&self) -> String {
        let state = self.checked.state();
        let pending: Vec<String> = state.pending.iter().map(|mv| mv.uci.to_string()).collect();
        let alarms: Vec<_> = self.checked.game.alarms().iter().map(|alarm| (alarm.kind, alarm.opened.0, alarm.squares)).collect();
        let list: Vec<_> = self.checked.list.iter().map(|mv| (mv.uci.to_string(), mv.how)).collect();
        format!(
            "played {:?}\ntold {list:?}\npending {pending:?}\nalarms {alarms:?}\nboard {}\n{}",
            self.moves, state.board, self.script
        )
    }
}
