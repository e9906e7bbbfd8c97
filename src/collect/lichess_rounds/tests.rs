//! Which id at lichess each round of an event has.

use super::*;

/// Assigns ids to the rounds 1 and 2 with these names of the organiser. Returns the ids, and the rounds that are stopped.
fn assign(
    rounds: &mut LichessRounds,
    configured: &str,
    current: &str,
    names: [Option<&str>; 2],
) -> ([Option<String>; 2], Vec<String>) {
    let output = Output { name: "lichess".to_owned(), round: configured.to_owned(), ..Output::of_topics() };
    let body = |round: &str, name: Option<&str>| RoundBody {
        event: "open26".to_owned(),
        round: round.to_owned(),
        is_current: round == current,
        lichess_round: name.map(str::to_owned),
        ..RoundBody::default()
    };
    let mut bodies = [body("1", names[0]), body("2", names[1])];
    let stopped = rounds.assign(&output, &mut bodies);
    (bodies.map(|body| body.lichess_round), stopped.into_keys().collect())
}

/// Each row: the key `round`, the present round, the organiser's names, the ids of both rounds, and the rounds that are stopped.
#[test]
fn an_id_belongs_to_one_round() {
    type Row<'a> = (&'a str, &'a str, [Option<&'a str>; 2], [Option<&'a str>; 2], &'a [&'a str]);
    let rows: &[Row<'_>] = &[
        ("", "1", [None, None], [None, None], &["1"]),
        ("aaaa0001", "1", [None, None], [Some("aaaa0001"), None], &[]),
        // The round changes, and the key stays: the first round keeps its id.
        ("aaaa0001", "2", [None, None], [Some("aaaa0001"), None], &["2"]),
        ("aaaa0001", "2", [None, Some("aaaa0001")], [Some("aaaa0001"), None], &["2"]),
        ("aaaa0001", "1", [None, None], [Some("aaaa0001"), None], &[]),
        ("aaaa0001", "2", [None, Some("bbbb0002")], [Some("aaaa0001"), Some("bbbb0002")], &[]),
        // A key that was changed is for this round or the next one: somebody must say which.
        ("cccc0003", "2", [None, None], [Some("aaaa0001"), None], &["2"]),
        ("cccc0003", "2", [None, Some("cccc0003")], [Some("aaaa0001"), Some("cccc0003")], &[]),
        // Names that were exchanged by mistake are put right.
        ("", "2", [Some("cccc0003"), Some("aaaa0001")], [Some("cccc0003"), Some("aaaa0001")], &[]),
        ("", "2", [Some("aaaa0001"), Some("cccc0003")], [Some("aaaa0001"), Some("cccc0003")], &[]),
        // The same name for both: it stays where it was.
        ("", "1", [Some("cccc0003"), Some("cccc0003")], [None, Some("cccc0003")], &["1"]),
    ];
    let mut rounds = LichessRounds::default();
    for (index, (configured, current, names, ids, stopped)) in rows.iter().enumerate() {
        let found = assign(&mut rounds, configured, current, *names);
        let expected = (ids.map(|id| id.map(str::to_owned)), stopped.iter().map(|&round| round.to_owned()).collect());
        assert_eq!(found, expected, "row {index}");
    }
}

#[test]
fn an_id_of_another_event_is_not_used_again() {
    let mut rounds = LichessRounds(vec![Used {
        event: "open25".to_owned(),
        round: "1".to_owned(),
        output: "lichess".to_owned(),
        id: "aaaa0001".to_owned(),
    }]);
    assert_eq!(assign(&mut rounds, "aaaa0001", "1", [None, None]), ([None, None], vec!["1".to_owned()]));
    assert_eq!(assign(&mut rounds, "bbbb0002", "1", [None, None]).1, Vec::<String>::new());
    // The organiser says that it is meant for this event.
    let ids = [Some("aaaa0001".to_owned()), None];
    assert_eq!(assign(&mut rounds, "", "1", [Some("aaaa0001"), None]), (ids, Vec::new()));
}
