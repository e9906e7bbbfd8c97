use super::*;

fn at(second: u64) -> MonotonicTime {
    MonotonicTime(second * 1_000_000)
}

#[test]
fn each_kind_has_a_line_at_once_and_then_one_a_minute_with_its_count() {
    let mut limits = Limits(BTreeMap::new());
    let mut lines = Vec::new();
    for second in 0..=150 {
        limits.count(("", "a login was refused"), &format_args!("from {second}"));
        if second == 30 {
            limits.count(("", "a page was refused"), &"10.0.0.1");
        }
        lines.extend(limits.due(at(second)).into_iter().map(|line| (second, line)));
    }
    lines.extend(limits.due(at(1000)).into_iter().map(|line| (1000, line)));
    lines.extend(limits.due(at(2000)).into_iter().map(|line| (2000, line)));
    let expected = [
        (0, "a login was refused: from 0"),
        (30, "a page was refused: 10.0.0.1"),
        (60, "a login was refused: 60 times in the last minute, first: from 1"),
        (120, "a login was refused: 60 times in the last minute, first: from 61"),
        (1000, "a login was refused: 30 times in the last minute, first: from 121"),
    ];
    assert_eq!(lines, expected.map(|(second, line)| (second, line.to_owned())));
}

#[test]
fn an_example_is_short_and_stays_on_its_line() {
    let mut limits = Limits(BTreeMap::new());
    limits.count(("pages: ", "a message was dropped"), &format_args!("cmd/\u{1b}[2J\n{}", "x".repeat(10_000)));
    let line = limits.due(at(1)).concat();
    assert!(line.starts_with("pages: a message was dropped: cmd/\u{fffd}[2J\u{fffd}xxx") && line.chars().count() < 250, "{line}");
}
