//! From a board, a clock and the arbiter's desk to findings: what the tables are told of a game.

use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::driver::Timing;
use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::Color::{self, Black, White};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::Position;

use crate::clock::control::TimeControl;
use crate::desk::{Entered, Entry, Ground, Standing};
use crate::effect::Effect;
use crate::game::{Game, GameConfig};
use crate::input::{Command, Input, Side};
use crate::interval::Interval;
use crate::laws::claims::Checked;
use crate::laws::finding::{Kind, Outcome, Recommended};
use crate::laws::rulebook::Rulebook;

const KINGS_AND_PAWNS: &str = "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1";
const BLACK_BARE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

struct Table {
    game: Game,
    now: Instant,
    out: Vec<Effect>,
    clock: ClockReading,
}

impl Table {
    /// A game from this position; White's clock runs.
    fn new(rulebook: &str, control: &str, fen: &str) -> Table {
        let config = GameConfig {
            time_control: Some(TimeControl::parse(control).expect("a time control")),
            rulebook: Rulebook::parse(rulebook).expect("a rulebook"),
            ..GameConfig::default()
        };
        let timing = Timing { scan: Duration::from_millis(250), press_delay: Duration::from_millis(500) };
        let face = ClockFace { time: ClockTime(300_000), ..ClockFace::default() };
        let clock = ClockReading {
            left: face,
            right: face,
            running: false,
            lever_up: ClockSide::Left,
            turn: Some(ClockSide::Left),
            battery_low: false,
            baseline: true,
            resolution_ms: 1000,
        };
        let mut table = Table { game: Game::new(config, timing), now: Instant(1_000_000), out: Vec::new(), clock };
        table.command(Command::StartGame { fen: Some(fen.to_string()) }).stand();
        table.report();
        table.clock.baseline = false;
        table.clock.running = true;
        table.report();
        table
    }

    fn feed(&mut self, input: Input) -> &mut Table {
        while let Some(due) = self.game.deadline().filter(|&due| due < self.now) {
            self.game.step(due, &Input::Deadline, &mut self.out);
        }
        self.game.step(self.now, &input, &mut self.out);
        self
    }

    fn command(&mut self, command: Command) -> &mut Table {
        self.feed(Input::Command(command))
    }

    /// The men stand as the game knows them.
    fn stand(&mut self) -> &mut Table {
        let board = self.game.decoder.record.node().position.board().board_fen().to_string();
        self.device(DeviceEvent::Frame(Placement::parse(&board).expect("a placement")))
    }

    fn device(&mut self, event: DeviceEvent) -> &mut Table {
        self.feed(Input::Device { event, source: ByteRange::default() })
    }

    fn report(&mut self) -> &mut Table {
        let reading = self.clock;
        self.device(DeviceEvent::Clock(reading))
    }

    /// Time passes; the clock that runs reports it.
    fn wait(&mut self, seconds: u64) -> &mut Table {
        for _ in 0..seconds {
            self.now = self.now.after(Duration::from_secs(1));
            if self.clock.running {
                let face = if self.clock.lever_up == ClockSide::Left { &mut self.clock.left } else { &mut self.clock.right };
                face.time.0 = face.time.0.saturating_sub(1000);
                self.report();
            }
        }
        self.feed(Input::Deadline)
    }

    fn press(&mut self) -> &mut Table {
        self.clock.lever_up = self.clock.lever_up.other();
        self.clock.turn = Some(self.clock.lever_up);
        self.report()
    }

    /// A move is entered, stands on the board, and is pressed for.
    fn play(&mut self, moves: &str) -> &mut Table {
        for uci in moves.split(' ') {
            let plies = self.game.decoder.record.moves().len() as u32;
            self.wait(1).command(Command::CorrectMove { plies, uci: uci.to_string() }).stand().wait(1);
            // The press belongs to a move that is known; the clock merely goes over.
            self.clock.running = false;
            self.report();
            self.clock.lever_up = self.clock.lever_up.other();
            self.report();
            self.clock.running = true;
            self.report();
        }
        self.wait(1)
    }

    fn flag(&mut self, side: Color) -> &mut Table {
        let face = if side == White { &mut self.clock.left } else { &mut self.clock.right };
        face.time = ClockTime(1000);
        self.wait(0).report().wait(0);
        self.now = self.now.after(Duration::from_secs(1));
        let face = if side == White { &mut self.clock.left } else { &mut self.clock.right };
        face.time = ClockTime(0);
        face.flag_shown = true;
        self.report()
    }

    fn enter(&mut self, side: Color, what: Entered) -> &mut Table {
        self.wait(1);
        let at = Interval { earliest: self.now, latest: self.now };
        self.game.desk.enter(Entry { side, what, happened: at, entered: self.now }).expect("room");
        self.game.arbiter_dirty = true;
        self.feed(Input::Deadline)
    }

    fn claim(&mut self, side: Color, ground: Ground, standing: Standing) -> &mut Table {
        self.enter(side, Entered::Claim { ground, standing })
    }

    /// Row, outcome and unknown inputs of every finding.
    fn findings(&self) -> Vec<(&'static str, Outcome, Vec<&'static str>)> {
        self.game.findings().iter().map(|it| (it.row, it.outcome, it.unknown.clone())).collect()
    }

    fn row(&self) -> (&'static str, Outcome) {
        let last = self.game.deciding_finding().expect("a finding");
        (last.row, last.outcome)
    }
}

#[test]
fn a_resignation_is_a_finding_without_a_flag() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").enter(White, Entered::Resignation);
    assert_eq!(table.findings(), [("4", Outcome::Draw, vec![])], "Black cannot mate (5.1.2)");
    let finding = &table.game.findings()[0];
    assert_eq!((finding.kind, finding.flag, finding.expired_at, finding.path), (Kind::Resignation, None, None, None));
    assert_eq!(finding.evidence, [alloc::format!("entered@{}", table.now.0)]);
    assert!(finding.ended_at.is_some() && finding.profile == "fide-2023-standard");
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").enter(Black, Entered::Resignation);
    assert_eq!(table.findings(), [("4", Outcome::Undecided, vec!["winnable"])], "asked first");
    assert!(table.out.iter().any(|effect| matches!(effect, Effect::Ask(ask) if ask.side == "white")));
}

/// Scenario 102.
#[test]
fn an_agreement_before_the_flag_is_observed() {
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.play("e2e4 e8d8").enter(White, Entered::Offer);
    assert!(table.game.findings().is_empty(), "an offer is nothing to find");
    table.flag(White).enter(Black, Entered::Agreement);
    assert_eq!(table.findings(), [("5", Outcome::Draw, vec![])]);
    assert!(table.game.findings()[0].contested && table.game.findings()[0].conditional);
    let mut early = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    early.play("e2e4").enter(Black, Entered::Agreement);
    assert_eq!(early.findings(), [("5", Outcome::Undecided, vec!["agreement_before_both_moved"])]);
}

#[test]
fn a_claim_accepted_or_refused() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").claim(White, Ground::FiftyMoves, Standing::Lodged);
    assert!(table.game.findings().is_empty());
    table.claim(White, Ground::FiftyMoves, Standing::Accepted);
    assert_eq!(table.findings(), [("6", Outcome::Draw, vec![])]);
    assert_eq!(table.game.findings()[0].kind, Kind::Claim);
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").claim(White, Ground::Repetition, Standing::Refused).flag(White);
    assert_eq!(table.findings(), [("15", Outcome::Draw, vec![])], "the claimant's own flag");
}

#[test]
fn time_that_hands_added_after_a_refused_claim() {
    let refused = |added: bool| {
        let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
        table.play("e2e4 e8e7").claim(Black, Ground::Repetition, Standing::Refused);
        table.clock.running = false;
        table.report().wait(1);
        if added {
            table.clock.left.time.0 += 120_000;
        }
        table.report();
        table.clock.running = true;
        table.report().flag(White);
        table.findings()
    };
    assert_eq!(refused(true), [("15", Outcome::Draw, vec![])]);
    assert_eq!(refused(false), [("6a", Outcome::Undecided, vec!["penalty_time"])]);
}

/// Scenario 100.
#[test]
fn the_second_illegal_move_and_then_the_flag() {
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.wait(2).press().wait(4).press().wait(1);
    assert_eq!(table.findings(), [("7b", Outcome::GameGoesOn, vec![])]);
    let finding = &table.game.findings()[0];
    let add = Recommended::AddTime { side: "black", seconds: 120 };
    assert_eq!((finding.kind, &*finding.recommended), (Kind::IllegalMove, &[Recommended::RestorePosition, add][..]));
    let first = table.game.alarms()[0].id;
    table.enter(White, Entered::IllegalMove { alarm: first, counts: true });
    assert!(table.game.findings().is_empty(), "ruled on");
    table.wait(2).press().wait(4);
    assert_eq!(table.row(), ("7a", Outcome::Undecided));
    let second = table.game.alarms().last().expect("an alarm").id;
    table.enter(White, Entered::IllegalMove { alarm: second, counts: true });
    assert_eq!(table.findings(), [("7a", Outcome::Undecided, vec!["winnable"])], "can Black mate?");
    table.enter(White, Entered::IllegalMove { alarm: second, counts: false });
    assert!(table.game.findings().is_empty(), "the later entry holds");
}

#[test]
fn the_second_illegal_move_against_a_bare_king_draws() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    for _ in 0..2 {
        table.wait(2).press().wait(4).press().wait(2);
        let alarm = table.game.last_alarm();
        table.enter(White, Entered::IllegalMove { alarm, counts: true });
    }
    assert_eq!(table.findings(), [("7a", Outcome::Draw, vec![])]);
    table.flag(Black);
    assert_eq!(table.row(), ("7a", Outcome::Draw), "before the fall");
}

#[test]
fn an_arbiters_own_observation_counts_as_well() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    for _ in 0..2 {
        table.enter(White, Entered::IllegalMove { alarm: 0, counts: true });
    }
    assert_eq!(table.findings(), [("7a", Outcome::Draw, vec![])], "two hands, twice (7.5.4)");
    let last = *table.game.desk.entries().last().expect("an entry");
    table.game.desk.enter(Entry { what: Entered::IllegalMove { alarm: 0, counts: false }, ..last }).expect("room");
    table.wait(1);
    assert!(table.game.findings().is_empty(), "taken back");
}

#[test]
fn a_pawn_that_is_not_replaced_becomes_a_queen() {
    // As a queen it leaves Black in check with no mate against White possible; as a pawn it could still be blocked.
    let mut table = Table::new("fide-2023-standard", "300", "8/P7/8/8/8/8/k7/7K w - - 0 1");
    table.wait(1).device(DeviceEvent::Frame(Placement::parse("P7/8/8/8/8/8/k7/7K").expect("a placement")));
    table.wait(1).press().wait(4);
    let facts = table.game.facts(&[]);
    assert_eq!(facts.illegal.len(), 1);
    let fen = |index: usize| facts.illegal[0].positions[index].position.board().board_fen().to_string();
    assert_eq!((facts.illegal[0].positions.len(), fen(0).as_str()), (1, "Q7/8/8/8/8/8/k7/7K"));
}

#[test]
fn flags_by_us_rules_wait_for_a_claim() {
    let mut table = Table::new("us-chess", "300", BLACK_BARE);
    table.play("e2e4 e8e7").flag(White);
    assert_eq!(table.findings(), [("3", Outcome::GameGoesOn, vec![])]);
    table.command(Command::Claim { flag: Side::White, period: None, observed_at: None });
    assert_eq!(table.findings(), [("7", Outcome::Draw, vec![])]);
    assert_eq!((table.game.findings()[0].id, table.game.findings()[0].revision), (1, 2));
}

#[test]
fn flags_in_the_club_wait_for_both_clocks() {
    let mut table = Table::new("club-speed", "300", BLACK_BARE);
    table.play("e2e4 e8e7").flag(White).command(Command::Claim { flag: Side::White, period: None, observed_at: None });
    assert_eq!(table.findings(), [("1", Outcome::GameGoesOn, vec![])], "the clock runs");
    table.clock.running = false;
    table.report();
    assert_eq!(table.findings(), [("3", Outcome::BlackWins, vec![])]);
    assert_eq!(table.game.findings()[0].configurable, ["no-article-6.9"]);
}

#[test]
fn a_board_that_was_lost() {
    let mut before = Table::new("fide-2023-standard", "300", BLACK_BARE);
    before.play("e2e4 e8e7").device(DeviceEvent::Silent).wait(2).flag(White);
    assert_eq!(before.findings(), [("15", Outcome::Undecided, vec!["moves_missing"])]);
    let mut after = Table::new("fide-2023-standard", "300", BLACK_BARE);
    after.play("e2e4 e8e7").flag(White).wait(2).device(DeviceEvent::Silent).wait(2);
    assert_eq!(after.findings(), [("15", Outcome::Draw, vec![])], "what was established before it stands");
    after.command(Command::Claim { flag: Side::White, period: None, observed_at: None });
    assert_eq!(after.findings(), [("15", Outcome::Undecided, vec!["moves_missing"])], "and then a mate may have been made");
}

#[test]
fn a_resignation_while_the_board_is_not_seen() {
    let mut table = Table::new("fide-2023-standard", "300", BLACK_BARE);
    table.play("e2e4 e8e7").device(DeviceEvent::Silent).wait(2).enter(White, Entered::Resignation);
    assert_eq!(table.findings(), [("4", Outcome::Undecided, vec!["position"])]);
}

#[test]
fn a_rook_from_a_pawn_may_be_a_queen_in_the_club() {
    let mut table = Table::new("club-speed+article-6.9", "300", "8/P7/8/8/8/k7/8/7K w - - 0 1");
    table.play("a7a8r a3b3 a8c8 b3b4").flag(Black);
    let finding = &table.game.findings()[0];
    assert!(finding.unknown.contains(&"rook_or_queen"), "{finding:?}");
    let facts = table.game.facts(&table.game.clock.flags().iter().copied().collect::<Vec<_>>());
    let boards: Vec<_> = facts.flags[0].positions.iter().map(|it| it.position.board().board_fen().to_string()).collect();
    assert_eq!(boards, ["2R5/8/8/8/1k6/8/8/7K", "2Q5/8/8/8/1k6/8/8/7K"]);
    let mut fide = Table::new("fide-2023-standard", "300", "8/P7/8/8/8/k7/8/7K w - - 0 1");
    fide.play("a7a8r a3b3").flag(Black);
    assert!(!fide.game.findings()[0].unknown.contains(&"rook_or_queen"), "an inverted rook is a rook");
}

#[test]
fn automatic_draws_are_the_profiles() {
    let shuffle = "e1e2 e8e7 e2e1 e7e8";
    let four_times = [shuffle; 4].join(" ");
    let ending = |rulebook: &str| {
        let mut table = Table::new(rulebook, "300", "4k3/4p3/8/8/8/8/8/4K2R w - - 0 1");
        table.play("h1g1 e7e6").play(&four_times);
        table.game.ending.map(|(ending, ..)| ending)
    };
    let fivefold = Some(crate::reconstruct::record::Ending::FivefoldRepetition);
    assert_eq!((ending("fide-2023-standard"), ending("fide-print-old"), ending("us-chess")), (fivefold, None, None));
}

#[test]
fn the_next_move_completes_the_one_before_or_not() {
    for (rulebook, completed) in [("fide-2023-standard", Some(1)), ("fide-print-old", Some(0)), ("club-speed", Some(0))] {
        let mut table = Table::new(rulebook, "40/300:300", KINGS_AND_PAWNS);
        for placement in ["4k3/4p3/8/8/4P3/8/8/4K3", "4k3/8/4p3/8/4P3/8/8/4K3", "4k3/8/4p3/8/4P3/8/4K3/8"] {
            table.wait(2).device(DeviceEvent::Frame(Placement::parse(placement).expect("a placement")));
        }
        table.wait(2).flag(White);
        assert_eq!(table.game.findings()[0].completed, completed, "{rulebook}");
    }
}

#[test]
fn claims_are_checked_against_the_record() {
    let check = |table: &Table, side, ground, intended| table.game.check_claim(side, ground, intended).expect("a legal move");
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.play("e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1");
    assert_eq!(check(&table, Black, Ground::Repetition, None), Checked::Incorrect);
    assert_eq!(check(&table, White, Ground::Repetition, None), Checked::NotHisMove);
    assert_eq!(check(&table, Black, Ground::Repetition, Some("d8e8")), Checked::Correct, "about to appear (9.2.1)");
    assert_eq!(check(&table, Black, Ground::Repetition, Some("d8c8")), Checked::Incorrect);
    assert_eq!(check(&table, Black, Ground::FiftyMoves, None), Checked::Incorrect);
    table.play("d8e8");
    assert_eq!(check(&table, White, Ground::Repetition, None), Checked::Correct, "has appeared (9.2.2)");
    assert!(table.game.check_claim(White, Ground::Repetition, Some("e1e5")).is_err());
    assert!(table.game.check_claim(White, Ground::Repetition, Some("?")).is_err());
    assert!(table.game.check_claim(White, Ground::NormalMeans, None).is_err());
    let late = Table::new("fide-2023-standard", "300", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 100 90");
    assert_eq!(check(&late, White, Ground::FiftyMoves, None), Checked::Correct);
    let nearly = Table::new("fide-2023-standard", "300", "4k3/4p3/8/8/8/8/4P3/4K3 w - - 99 90");
    assert_eq!(check(&nearly, White, Ground::FiftyMoves, Some("e1d1")), Checked::Correct, "about to be (9.3.1)");
    assert_eq!(check(&nearly, White, Ground::FiftyMoves, Some("e2e4")), Checked::Incorrect);
    let mut joined = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    joined.command(Command::SetPosition { fen: "4k3/4p3/8/8/8/8/4P3/3K4 w - - 7 20".to_string() });
    joined.play("d1e1");
    joined.game.completed_before.white = None;
    assert_eq!(check(&joined, Black, Ground::Repetition, None), Checked::HistoryUnknown);
    joined.play("e7e5");
    assert_eq!(check(&joined, White, Ground::Repetition, None), Checked::Incorrect, "a pawn move: nothing before it counts");
}

#[test]
fn a_finding_that_no_longer_holds_is_gone_and_its_number_with_it() {
    let mut table = Table::new("fide-2023-standard", "300", KINGS_AND_PAWNS);
    table.wait(2).press().wait(4).press().wait(1);
    assert_eq!(table.game.findings()[0].id, 1);
    let alarm = table.game.last_alarm();
    table.command(Command::AcknowledgeAlert { alarm });
    assert!(table.game.findings().is_empty() && table.game.ruling().is_none());
    assert!(table.out.iter().rev().any(|effect| matches!(effect, Effect::Ruling)));
    table.wait(2).press().wait(4);
    assert_eq!(table.game.findings()[0].id, 2);
}

#[test]
fn a_dead_position_with_men_enough() {
    // The last way through is closed: nobody can pass any more (5.2.2).
    let fen = "8/4k3/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3/8 w - - 0 1";
    let dead = |rulebook: &str| {
        let mut table = Table::new(rulebook, "300", fen);
        table.play("e2e3");
        let alarms: Vec<_> = table.game.alarms().iter().map(|alarm| alarm.kind).collect();
        (table.game.ending.map(|(ending, ..)| ending), alarms.contains(&crate::alarm::AlarmKind::DeadPosition))
    };
    let ending = Some(crate::reconstruct::record::Ending::DeadPosition);
    assert_eq!(dead("fide-2023-standard"), (ending, true));
    assert_eq!(dead("us-chess"), (ending, true), "14D4");
    assert_eq!(dead("material-only"), (None, false));
}
