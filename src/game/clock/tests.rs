//! Pairs and longer rows of clock reports, and their facts: the table of `dgt/clock.md#5.2`, "From message to meaning".

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide};
use flagfall_protocols::square::Color::{self, Black, White};
use flagfall_protocols::time::{ClockTime, Instant};

use super::control::TimeControl;
use super::fact::{ClockFact, PeriodCause};
use super::flag::FlagPath;
use super::{Chessclock, FlagFall};

/// Reads a report written as `WHITE BLACK STATE`. Times are in seconds; `f` after a time means the flag sign, `x` means
/// blocked. The state is `w` or `b` for the side whose clock runs, or a capital if the clock stands with that lever up. `~`
/// before the text makes a baseline.
fn report(text: &str) -> ClockReading {
    let baseline = text.starts_with('~');
    let words: Vec<&str> = text.trim_start_matches('~').split(' ').collect();
    let face = |word: &str| ClockFace {
        time: ClockTime(word.trim_end_matches(['f', 'x']).parse::<u32>().expect("seconds") * 1000),
        flag_shown: word.contains('f'),
        flag_blocked: word.contains('x'),
        adds_time: false,
    };
    let lever_up = if words[2].eq_ignore_ascii_case("w") { ClockSide::Left } else { ClockSide::Right };
    ClockReading {
        left: face(words[0]),
        right: face(words[1]),
        running: ["w", "b"].contains(&words[2]),
        lever_up,
        turn: Some(lever_up),
        battery_low: false,
        baseline,
        resolution_ms: 1000,
        late: Duration::ZERO,
    }
}

fn name(fact: ClockFact) -> String {
    match fact {
        ClockFact::Baseline => "baseline".into(),
        ClockFact::Started { runs } => format!("started {runs:?}"),
        ClockFact::Stopped => "stopped".into(),
        ClockFact::Press { by, rise_ms, flagged } => {
            format!("press {by:?} {}{}", rise_ms / 1000, if flagged { " flagged" } else { "" })
        }
        ClockFact::LeverMoved { up } => format!("lever {up:?}"),
        ClockFact::Corrected => "corrected".into(),
        ClockFact::PeriodAdded { cause: PeriodCause::Press(by) } => format!("period by press {by:?}"),
        ClockFact::PeriodAdded { cause: PeriodCause::Zero } => "period at zero".into(),
        ClockFact::RoseUnexplained { side } => format!("rose {side:?}"),
        ClockFact::LeverInverted => "inverted".into(),
        ClockFact::ZeroWithoutSign { side } => format!("zero {side:?}"),
        ClockFact::Flag { side } => format!("flag {side:?}"),
        ClockFact::Doubted => "doubted".into(),
    }
}

/// Reads reports that come one second apart. Returns the facts of the last report, and the clock.
fn read_reports(control: &str, reports: &[&str]) -> (Vec<String>, Chessclock) {
    let control = (!control.is_empty()).then(|| TimeControl::parse(control).expect("a time control"));
    let mut clock = Chessclock::new(Duration::from_millis(500));
    let mut facts = Vec::new();
    for (second, text) in (1..).zip(reports) {
        let read = clock.read(Instant(second * 1_000_000), &report(text), ByteRange::default(), control.as_ref());
        facts = read.iter().map(name).collect();
    }
    (facts, clock)
}

fn falls(clock: &Chessclock) -> Vec<(Color, FlagPath, usize, bool)> {
    clock.flags().iter().map(|fall: &FlagFall| (fall.side, fall.path, fall.period, fall.blocked)).collect()
}

const TWO: &str = "40/120+5:60+5";

#[test]
fn facts_of_successive_reports() {
    let rows: &[(&str, &str, &[&str], &[&str])] = &[
        // Name, control, reports, and the facts of the last report.
        ("first report: nothing to compare with", "", &["~300 300 W"], &["baseline"]),
        ("seconds run off", "", &["~300 300 w", "299 300 w"], &[]),
        ("the same again", "", &["~300 300 w", "300 300 w"], &[]),
        ("bit 0x10: fell, final", "300+5", &["~1 16 w", "0x 16 W"], &["stopped", "flag White"]),
        ("bit 0x40 running, not zero", "300", &["~2 16 w", "1f 16 w"], &["flag White"]),
        ("bit 0x40 running at zero", "300", &["~1 16 w", "0f 16 w"], &["flag White"]),
        ("sign and own press in one report", "300+5", &["~1 16 w", "5f 16 b"], &["press White 4 flagged", "flag White"]),
        ("both up by the next period, sign", TWO, &["~1 16 w", "60f 76 w"], &["flag White", "period at zero"]),
        ("both up by the next period, no sign", TWO, &["~1 16 w", "60 76 w"], &["flag White", "period at zero"]),
        (
            "both up, and a press in the same report",
            TWO,
            &["~1 16 w", "65f 76 b"],
            &["press White 64 flagged", "flag White", "period at zero"],
        ),
        ("period at the press of the required move", TWO, &["~9 16 w", "74 16 b"], &["press White 65", "period by press White"]),
        ("zero of one side, sign of the other long up", "300", &["~5 2 w", "0f 2 w", "0f 2 b", "0f 0 b"], &["flag Black"]),
        ("two signs in one report", "300", &["~1 1 w", "0f 0f w"], &["flag White", "flag Black"]),
        ("sign and bare zero in one report", "300", &["~1 1 b", "0 0f b"], &["flag Black", "flag White"]),
        ("zero without a sign", "300", &["~1 9 w", "0 9 w"], &["zero White"]),
        ("a zero that stays is reported once", "300", &["~1 9 w", "0 9 w", "0 9 w"], &[]),
        ("press with increment", "300+5", &["~99 50 w", "104 50 b"], &["press White 5"]),
        ("press after a second ran off", "300+5", &["~99 50 w", "103 50 b"], &["press White 4"]),
        ("press without increment", "300", &["~99 50 b", "99 50 w"], &["press Black 0"]),
        ("both pressed between two reports", "300+5", &["~99 50 w", "104 54 w"], &["press White 5", "press Black 4"]),
        ("press and stop in one report", "300+5", &["~99 50 w", "104 50 B"], &["press White 5", "stopped"]),
        ("both up while both stand: set by the arbiter", TWO, &["~99 50 W", "199 150 W"], &["corrected"]),
        ("a sign goes off", "300", &["~1 9 w", "0f 9 w", "0 9 w"], &[]),
        ("a sign goes off and comes again in one period", "300", &["~1 9 w", "0f 9 w", "0 9 w", "0f 9 w"], &[]),
        ("a rise for no known reason waits for the next report", "300+5", &["~99 50 w", "150 50 w"], &["doubted"]),
        (
            "a rise for no known reason that the next report confirms",
            "300+5",
            &["~99 50 w", "150 50 w", "149 50 w"],
            &["rose White"],
        ),
        ("a rise that the next report does not confirm", "300+5", &["~99 50 w", "150 50 w", "97 50 w"], &[]),
        ("stopped with time left", "300", &["~99 50 w", "99 50 W"], &["stopped"]),
        ("stopped with the lever over, no time added", "300+5", &["~99 50 w", "99 50 B"], &["stopped"]),
        ("lever moved in a pause", "300", &["~99 50 W", "99 50 B"], &["lever Black"]),
        ("lever moved and times set in a pause", "300", &["~99 50 W", "110 50 B"], &["lever Black", "corrected"]),
        ("started", "300", &["~99 50 W", "99 50 w"], &["started White"]),
        ("started on the other side", "300", &["~99 50 W", "99 50 b"], &["started Black"]),
        ("the other display falls, three times", "300", &["~99 50 w", "99 49 w", "99 48 w", "99 47 w"], &["inverted"]),
        ("a change after a gap is no press", "300+5", &["~99 50 w", "~104 50 b"], &["baseline"]),
        ("sign that came up in a gap", "300", &["~99 50 w", "~0f 50 w"], &["baseline", "flag White"]),
        ("sign that was up before the gap", "300", &["~1 50 w", "0f 50 w", "~0f 48 b"], &["baseline"]),
        (
            "a last sign in a gap after a first one",
            TWO,
            &["~1 16 w", "60f 76 w", "59 76 w", "~0x 60 W"],
            &["baseline", "flag White"],
        ),
    ];
    for (what, control, reports, expected) in rows {
        assert_eq!(read_reports(control, reports).0, *expected, "{what}");
    }
}

#[test]
fn by_which_sign_and_in_which_period() {
    use FlagPath::*;
    type Falls<'a> = &'a [(Color, FlagPath, usize, bool)];
    let rows: &[(&str, &str, &[&str], Falls<'_>)] = &[
        ("blocked", "300", &["~1 9 w", "0x 9 W"], &[(White, Blocked, 0, true)]),
        ("shown", "300", &["~2 9 w", "1f 9 w"], &[(White, Shown, 0, false)]),
        ("shown, then blocked: one fall", "300", &["~2 9 w", "1f 9 w", "0fx 9 W"], &[(White, Shown, 0, true)]),
        ("at zero", "300", &["~1 9 w", "0f 9 w"], &[(White, RunningAtZero, 0, false)]),
        (
            "then the other side without a sign",
            "300",
            &["~1 1 w", "0f 1 w", "0f 1 b", "0f 0 b"],
            &[(White, RunningAtZero, 0, false), (Black, ZeroAfterOther, 0, false)],
        ),
        ("period at zero", TWO, &["~1 9 w", "60f 69 w"], &[(White, PeriodAtZero, 0, false)]),
        (
            "period at zero with a press",
            TWO,
            &["~1 9 w", "65f 69 b", "65f 1 b", "65f 0f b"],
            &[(White, PeriodAtZero, 0, false), (Black, RunningAtZero, 1, false)],
        ),
        ("sign with the press that brings the period", TWO, &["~1 9 w", "66f 9 b"], &[(White, Shown, 0, false)]),
        (
            "next fall while the old sign is up, no freeze",
            TWO,
            &["~1 9 w", "60f 69 w", "1f 69 w", "0f 69 w"],
            &[(White, PeriodAtZero, 0, false), (White, RunningAtZero, 1, false)],
        ),
        (
            "next fall while the old sign is up, freeze",
            TWO,
            &["~1 9 w", "60f 69 w", "1f 69 w", "0fx 69 W"],
            &[(White, PeriodAtZero, 0, false), (White, Blocked, 1, true)],
        ),
        (
            "the other side's sign of the old period proves nothing",
            TWO,
            &["~1 9 w", "60f 69 w", "60f 1 b", "60f 0 b"],
            &[(White, PeriodAtZero, 0, false)],
        ),
        (
            "an increment takes no flag back",
            "300+5",
            &["~1 9 w", "0f 9 w", "5f 9 b", "5 8 b"],
            &[(White, RunningAtZero, 0, false)],
        ),
        (
            "two presses with time on that clock: another fall",
            "300+5",
            &["~1 9 w", "0f 9 w", "5f 9 b", "5f 13 w", "0f 13 w", "0f 13 w"],
            &[(White, RunningAtZero, 0, false), (White, RunningAtZero, 0, false)],
        ),
        (
            "two presses without time: the same fall",
            "300",
            &["~1 9 w", "0f 9 w", "0f 9 b", "0f 9 w", "0 9 w", "0f 9 w"],
            &[(White, RunningAtZero, 0, false)],
        ),
        ("on connect", "300", &["~0x 9 W"], &[(White, OnConnect, 0, true)]),
    ];
    for (what, control, reports, expected) in rows {
        assert_eq!(falls(&read_reports(control, reports).1), *expected, "{what}");
    }
}

#[test]
fn a_fall_lies_between_two_reports() {
    let (_, clock) = read_reports("300", &["~2 9 w", "1 9 w", "0x 9 W"]);
    let fall = clock.flags().of(White).expect("fell");
    assert_eq!(fall.fell.micros(), [2_000_000, 3_000_000], "a report may be half a second late, the one before shows no sign");
    let (_, clock) = read_reports("300", &["~99 9 w", "~0x 9 W"]);
    assert_eq!(clock.flags().of(White).expect("fell").fell.micros(), [1_000_000, 2_000_000], "some time in the gap");
    let (_, clock) = read_reports("300", &["~0x 9 W"]);
    assert_eq!(clock.flags().of(White).expect("fell").fell.micros(), [0, 1_000_000], "the time is not known");
    let (_, clock) = read_reports("300+5", &["~1 9 w", "5f 9 b"]);
    assert!(clock.flags().of(White).expect("fell").with_press);
}

#[test]
fn a_late_report_shows_older_changes() {
    let mut clock = Chessclock::new(Duration::from_millis(500));
    let mut read = |millis: u64, text: &str, late: u64| {
        let reading = ClockReading { late: Duration::from_millis(late), ..report(text) };
        clock.read(Instant(millis * 1000), &reading, ByteRange::default(), None);
        let fell = clock.flags().of(White).map(|fall| fall.fell.micros().map(|at| at / 1000));
        (clock.report_delay().as_millis(), clock.changed().micros().map(|at| at / 1000), fell)
    };
    read(1_000, "~9 9 w", 0);
    assert_eq!(read(7_900, "1 9 w", 300), (800, [500, 1_000], None));
    assert_eq!(read(8_000, "0f 9 w", 900), (1_400, [500, 1_000], Some([6_600, 8_000])));
    assert_eq!(read(9_000, "0f 9 W", 700), (1_200, [7_800, 9_000], Some([6_600, 8_000])));
    assert_eq!(
        read(9_500, "0f 9 W", 0),
        (500, [7_800, 9_000], Some([6_600, 8_000])),
        "the delay of that report, not of this one"
    );
    // The delay of the line may become known only after the report.
    clock.set_press_delay(Duration::from_millis(2_000));
    assert_eq!(clock.changed().micros(), [6_300_000, 9_000_000]);
}

#[test]
fn a_new_game_forgets_flags_and_never_takes_them_over() {
    let (_, mut clock) = read_reports(TWO, &["~1 9 w", "60f 69 w", "59f 69 W"]);
    clock.new_game();
    assert!(!clock.flags().any());
    assert_eq!((clock.period(White), clock.period(Black)), (0, 0));
    for text in ["125f 125 W", "~125f 125 W", "125f 125 w"] {
        clock.read(Instant(9_000_000), &report(text), ByteRange::default(), None);
        assert!(!clock.flags().any(), "the old game's sign: {text}");
    }
}

#[test]
fn exchanged_sides_take_their_flags_along() {
    let (_, mut clock) = read_reports(TWO, &["~9 1 w", "74 1 b", "74 0fx B"]);
    assert_eq!(falls(&clock), [(Black, FlagPath::Blocked, 0, true)]);
    clock.exchange_sides();
    assert_eq!(falls(&clock), [(White, FlagPath::Blocked, 0, true)]);
    assert_eq!((clock.period(White), clock.period(Black)), (0, 1));
    assert_eq!((clock.time(White), clock.lever_up()), (Some(ClockTime(0)), Some(White)));
}

#[test]
fn an_absent_clock_runs_nowhere_and_keeps_its_times() {
    let (_, mut clock) = read_reports("300", &["~99 50 w"]);
    assert!(clock.lose() && !clock.lose());
    assert_eq!((clock.present(), clock.runs(), clock.time(White)), (false, None, Some(ClockTime(99_000))));
}
