//! Boards that show which squares are occupied, but not by which men, without a clock (`reconstruct/README.md#3.4` and
//! `reconstruct/README.md#3.5`).

use std::time::Duration;

use flagfall_game::alarm::{AlarmKind, AlarmStatus};
use flagfall_game::audit::AuditEntry;
use flagfall_game::config::GameConfig;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game::Game;
use flagfall_game::input::{Command, Input};
use flagfall_game::played::Cause;
use flagfall_protocols::driver::Timing;
use flagfall_protocols::event::{ByteRange, DeviceEvent};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

const TIMING: Timing = Timing { scan: Duration::from_millis(50), press_delay: Duration::ZERO, in_turn: false };
/// In this position the queen can capture on d5 and on h5.
const TWO_CAPTURES: &str = "4k3/p7/8/3p3p/8/8/P7/3QK3 w - - 0 1";

struct Table {
    game: Game,
    now: Instant,
    out: Vec<Effect>,
}

impl Table {
    /// A game from this position, or from the initial one.
    fn new(fen: Option<&str>) -> Table {
        let placement = fen.map_or(Placement::initial(), |fen| Placement::parse(fen.split(' ').next().unwrap()).unwrap());
        let mut shown = Placement::EMPTY;
        for square in Square::all().filter(|&square| placement.get(square) != Reading::Empty) {
            shown.set(square, Reading::Occupied);
        }
        let mut table = Table { game: Game::new(GameConfig::default(), TIMING), now: Instant(1_000_000), out: Vec::new() };
        table.event(DeviceEvent::Frame(shown));
        if let Some(fen) = fen {
            let start = Input::Command(Command::StartGame { fen: Some(fen.to_owned()) });
            table.game.step(table.now, &start, &mut table.out);
        }
        table
    }

    fn event(&mut self, event: DeviceEvent) {
        self.game.step(self.now, &Input::Device { event, source: ByteRange::default() }, &mut self.out);
    }

    /// Reports squares: `e2:0` is empty, `e4:1` is occupied. A `|` waits a third of a second, or the stated number of
    /// seconds.
    fn tell(&mut self, text: &str) -> &mut Table {
        for part in text.split('|').map(str::trim) {
            let (pause, word) = part.split_once(' ').map_or((0.3, part), |(pause, word)| (pause.parse().unwrap(), word));
            self.wait(pause);
            let (square, shown) = word.split_once(':').unwrap();
            let reading = if shown == "0" { Reading::Empty } else { Reading::Occupied };
            self.event(DeviceEvent::Square { square: Square::parse(square).unwrap(), reading });
        }
        self
    }

    fn wait(&mut self, seconds: f64) -> &mut Table {
        let until = Instant(self.now.0 + (seconds * 1e6) as u64);
        while let Some(due) = self.game.deadline().filter(|&due| due < until) {
            self.game.step(due, &Input::Deadline, &mut self.out);
        }
        self.now = until;
        self
    }

    /// Returns the sure moves, four seconds later: a man that could have gone on has then rested for long enough.
    fn sans(&mut self) -> String {
        self.wait(4.0);
        self.game.moves().map(|played| played.san.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn alarm(&self, kind: AlarmKind) -> Option<AlarmStatus> {
        self.game.alarms().iter().rfind(|alarm| alarm.kind == kind).map(|alarm| alarm.status)
    }
}

#[test]
fn a_game_begins_and_moves_need_no_clock() {
    let mut table = Table::new(None);
    assert_eq!(table.tell("e2:0 | e4:1 | 4 e7:0 | e5:1 | 4 g1:0 | f3:1").sans(), "e4 e5 Nf3");
    assert_eq!(table.tell("e8:0 | e8:1 | f3:0 | 1 f3:1").sans(), "e4 e5 Nf3", "the men are straightened");
    let mut turned = Table::new(None);
    assert_eq!(turned.tell("d7:0 | d5:1 | 4 d2:0 | d4:1").sans(), "e4 e5", "White is the side that moves first");
    assert!(turned.game.is_rotated());
}

#[test]
fn the_captured_square_was_touched() {
    assert_eq!(Table::new(Some(TWO_CAPTURES)).tell("d1:0 | d5:0 | 0.2 d5:1").sans(), "Qxd5");
    assert_eq!(Table::new(Some(TWO_CAPTURES)).tell("h5:0 | 0.8 d1:0 | h5:1").sans(), "Qxh5+");
    let mut late = Table::new(Some(TWO_CAPTURES));
    assert_eq!(late.tell("d1:0 | 4 h5:0 | h5:1 | 2 e8:0 | e7:1").sans(), "", "a man that is straightened later proves nothing");
    assert_eq!(late.alarm(AlarmKind::Ambiguous), Some(AlarmStatus::Open));
    assert_eq!(late.game.open_moves(), ["d1d5", "d1h5"]);
    // Any man that stands on h5 moves as a queen.
    assert_eq!(late.tell("2 h5:0 | g5:1").sans(), "Qxh5+ Ke7 Qg5+");
    assert_eq!(late.alarm(AlarmKind::Ambiguous), Some(AlarmStatus::Cured));
}

#[test]
fn a_captured_man_is_mostly_pushed_off() {
    // The knight could have gone to b4, too, but then b5 would have been lifted before it got there.
    let mut table = Table::new(Some("4k3/8/8/1p6/5n2/3N4/8/4K3 w - - 0 1"));
    assert_eq!(table.tell("d3:0 | 1.2 b5:0 | b4:1").sans(), "Nxf4 b4");
    assert_eq!(table.alarm(AlarmKind::Ambiguous), None);
}

#[test]
fn players_preferences_are_no_proof() {
    // A queen that could have captured a rook without danger has taken the pawn.
    let mut table = Table::new(Some("1k6/p7/8/3p3r/8/8/P7/3QK3 w - - 0 1"));
    assert_eq!(table.tell("d1:0 | 1.2 a7:0 | a6:1").sans(), "");
    assert_eq!(table.game.open_moves(), ["d1h5", "d1d5"]);
    assert_eq!(table.alarm(AlarmKind::Ambiguous), Some(AlarmStatus::Open));
    assert_eq!(table.tell("2 d5:0 | d4:1").sans(), "Qxd5 a6 Qd4");
    assert_eq!(table.alarm(AlarmKind::Ambiguous), Some(AlarmStatus::Cured));
}

#[test]
fn men_that_go_and_come_back_have_moved() {
    let mut table = Table::new(Some(TWO_CAPTURES));
    assert_eq!(table.tell("d1:0 | d2:1 | 1.2 e8:0 | f8:1 | 1.2 d2:0 | d1:1 | 1.2 f8:0 | e8:1").sans(), "Qd2 Kf8 Qd1 Ke8");
}

/// The causes of all revisions so far.
fn revisions(table: &Table) -> Vec<Cause> {
    let revision = |effect: &Effect| match effect {
        Effect::Audit(AuditEntry::Revision(revision)) => Some(revision.cause),
        _ => None,
    };
    table.out.iter().filter_map(revision).collect()
}

#[test]
fn a_man_that_pauses_in_its_slide_has_not_arrived() {
    let mut table = Table::new(None);
    table.tell("e2:0 | e4:1 | 4 e7:0 | e5:1 | 4 f1:0 | e2:1").wait(2.5);
    assert_eq!(table.game.moves().len(), 2, "the bishop may go on");
    assert_eq!(table.tell("e2:0 | c4:1").sans(), "e4 e5 Bc4");
    assert_eq!(revisions(&table), []);
    // The pawn cannot go on, and a reply proves every move.
    let mut proved = Table::new(None);
    proved.tell("e2:0 | e4:1").wait(2.5);
    assert_eq!(proved.game.moves().len(), 1);
    proved.tell("e7:0 | e6:1 | 1.0 d2:0 | d3:1").wait(1.6);
    assert_eq!(proved.game.moves().len(), 2);
}

#[test]
fn a_man_that_rested_on_its_way_goes_on() {
    let mut table = Table::new(None);
    assert_eq!(table.tell("e2:0 | e4:1 | 4 e7:0 | e5:1 | 4 f1:0 | e2:1").sans(), "e4 e5 Be2");
    // A man in a hand has not gone on: it may come back.
    table.tell("e2:0").wait(4.0);
    assert_eq!(revisions(&table), []);
    assert_eq!(table.tell("c4:1").sans(), "e4 e5 Bc4");
    assert_eq!(revisions(&table).len(), 1);
    assert_eq!(table.tell("d7:0 | d6:1").sans(), "e4 e5 Bc4 d6");
    assert_eq!(table.alarm(AlarmKind::PositionDiffers), None);
}

#[test]
fn a_piece_in_the_hand_is_no_capture() {
    let mut table = Table::new(Some(TWO_CAPTURES));
    assert_eq!(table.tell("d1:0").wait(9.0).sans(), "");
    assert_eq!(table.tell("d2:1").sans(), "Qd2");
}

/// The sensor of the king failed for a moment, or he was straightened, long before he captures.
#[test]
fn a_man_that_came_back_captures_later() {
    for off in ["h1:0 | 0.1 h1:1", "h1:0 | 0.7 h1:1"] {
        let mut table = Table::new(Some("4k3/8/8/8/8/8/7p/7K w - - 0 1"));
        assert_eq!(table.tell(off).sans(), "", "{off}");
        assert_eq!(table.wait(20.0).tell("h1:0").wait(6.0).sans(), "Kxh2", "{off}");
    }
}

#[test]
fn a_pawn_becomes_a_queen_unless_it_moves_otherwise() {
    const PAWN: &str = "8/4P3/8/8/k6p/8/8/4K3 w - - 0 1";
    let mut queen = Table::new(Some(PAWN));
    assert_eq!(queen.tell("e7:0 | 0.8 e8:1").sans(), "e8=Q+");
    assert_eq!(queen.alarm(AlarmKind::PromotionUnconfirmed), Some(AlarmStatus::Open));
    assert_eq!(
        queen.tell("a4:0 | b4:1 | 3 e8:0 | e7:1 | 3 b4:0 | c4:1 | 3 e7:0 | h4:0 | h4:1").sans(),
        "e8=Q+ Kb4 Qe7+ Kc4 Qxh4+"
    );
    assert_eq!(queen.alarm(AlarmKind::PromotionUnconfirmed), Some(AlarmStatus::Cured));
    let mut knight = Table::new(Some(PAWN));
    assert_eq!(knight.tell("e7:0 | 0.8 e8:1 | 3 a4:0 | b4:1 | 3 e8:0 | f6:1").sans(), "e8=N Kb4 Nf6");
    let revised =
        |effect: &Effect| matches!(effect, Effect::Audit(AuditEntry::Revision(revision)) if revision.cause == Cause::Promotion);
    assert_eq!(knight.out.iter().filter(|effect| revised(effect)).count(), 1);
    assert_eq!(knight.alarm(AlarmKind::PromotionUnconfirmed), Some(AlarmStatus::Cured));
}

/// Nothing shows that the bishop which goes from c1 to a5 over its own pawns is an illegal move. Black and White play on, and soon no
/// reading explains the board. Then no move is told, although the best reading of all is that the bishop on b7 has captured on h1.
#[test]
fn after_an_illegal_move_no_capture_is_told_that_nobody_made() {
    let mut table = Table::new(Some("rn1qkb1r/1b1ppppp/p7/1pp5/8/N1P3PP/PP1PPn2/R1BQKBNR b KQkq - 0 8"));
    table.tell(
        "2 b7:0 | d5:1 | 1.9 c1:0 | a5:1 | 4 f2:0 | 2.85 h3:0 | 0.1 h1:0 | 0.25 h3:1 | 2.2 h8:0 | 0.15 g8:1 | \
         2.4 h5:1 | 0.35 h3:0 | 0.95 b5:0 | 0.15 b4:1 | 2.5 d1:0 | 0.35 b1:1 | 2.45 d5:0 | e4:1 | 2.65 a3:0 | \
         0.1 b5:1 | 0.8 d8:0 | 0.2 c7:1 | 0.9 d4:1 | 0.35 b5:0 | 2.8 h7:0 | h6:1 | 2.2 g5:1 | 0 h5:0 | 0.4 f5:1 | \
         0 g5:0 | 2.1 b6:1 | 0 c7:0 | 0.25 b6:0 | 2.55 a2:0 | 0.4 a3:1 | 2.9 b4:0 | 2.4 d4:0 | 0.4 e6:1 | \
         2.85 f6:1 | 0.2 f7:0 | 2.05 e5:1",
    );
    table.wait(5.0);
    let told = |effect: &Effect| match effect {
        Effect::LiveMove { audience: Audience::Live, played: mv } => vec![mv.uci.to_string()],
        Effect::LiveRevision { audience: Audience::Live, moves, .. } => moves.iter().map(|mv| mv.uci.to_string()).collect(),
        _ => Vec::new(),
    };
    assert!(table.out.iter().flat_map(told).all(|uci| uci == "b7d5"), "{:?}", table.out);
    assert_eq!(table.alarm(AlarmKind::PositionDiffers), Some(AlarmStatus::Open));
}

/// The squares that perfect sensors report during these moves, if every captured man is pushed off, and the position after them.
fn reports(fen: &str, moves: &str) -> (String, Fen) {
    let mut position: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
    let mut changes: Vec<String> = Vec::new();
    for uci in moves.split(' ') {
        let before = position.board().occupied();
        let mv = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(mv);
        let after = position.board().occupied();
        changes.extend((before & !after).into_iter().map(|square| format!("{square}:0")));
        changes.extend((after & !before).into_iter().map(|square| format!("{square}:1")));
    }
    (changes.join(" | 1 "), Fen::from_position(&position, EnPassantMode::Legal))
}

/// Two legal games with the same reports: an exchange on one of two squares. The position after both is the same, so nothing that is
/// played later shows which was played. No decoder can be right in both games.
#[test]
fn an_exchange_on_one_of_two_squares_is_named_for_ever() {
    const PAWNS: &str = "4k3/8/8/2p5/1P1P4/2P5/8/4K3 b - - 0 1";
    const EXCHANGES: [&str; 4] = ["c3b4", "c3d4", "c5b4", "c5d4"];
    let on_d4 = reports(PAWNS, "c5d4 c3d4");
    assert_eq!(on_d4, reports(PAWNS, "c5b4 c3b4"));
    let mut table = Table::new(Some(PAWNS));
    table.tell(&on_d4.0);
    let named = |table: &Table| {
        let mut open = table.game.open_moves();
        open.sort();
        (open, table.alarm(AlarmKind::Ambiguous))
    };
    let expected = (EXCHANGES.map(str::to_owned).to_vec(), Some(AlarmStatus::Open));
    // The kings walk round, each on two ranks.
    let white = ["e1", "f1", "g1", "h1", "h2", "g2", "f2", "e2", "d2", "d1"];
    let black = ["e8", "f8", "g8", "h8", "h7", "g7", "f7", "e7", "d7", "d8"];
    for step in 0..8 {
        for king in [black, white] {
            table.tell(&format!("3 {}:0 | {}:1", king[step % king.len()], king[(step + 1) % king.len()]));
        }
        if step == 1 {
            table.wait(4.0);
            assert_eq!((table.game.moves().len(), named(&table)), (0, expected.clone()), "neither is believed");
        }
    }
    table.wait(4.0);
    assert_eq!(table.game.moves().len(), 18, "the game goes on");
    let sure: Vec<String> = table.game.moves().take(2).map(|played| played.uci.to_string()).collect();
    assert!(sure == ["c5d4", "c3d4"] || sure == ["c5b4", "c3b4"], "one of them is chosen: {sure:?}");
    assert_eq!(named(&table), expected, "and it stays open which was played");
}

/// Two legal games with the same reports: the promoted man does not move. A queen is recorded, and it stays open what stands there.
#[test]
fn a_promoted_man_that_never_moves_stays_unconfirmed() {
    const PAWN: &str = "8/4P3/8/8/k6p/8/8/4K3 w - - 0 1";
    let [(queen, _), (knight, _)] = ["e7e8q", "e7e8n"].map(|promotion| reports(PAWN, &format!("{promotion} a4b4 e1f2 b4c3")));
    assert_eq!(queen, knight);
    let mut table = Table::new(Some(PAWN));
    assert_eq!(table.tell(&queen).wait(10.0).sans(), "e8=Q+ Kb4 Kf2 Kc3");
    assert_eq!(table.game.unconfirmed_promotions(), ["e7e8q"]);
    assert_eq!(table.alarm(AlarmKind::PromotionUnconfirmed), Some(AlarmStatus::Open));
}
