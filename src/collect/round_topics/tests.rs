use super::*;

fn pgn_of(topics: &RoundTopics, round: &str) -> Option<(usize, bool)> {
    topics.rounds.get(round).map(|kept| (kept.pgn.len(), kept.given))
}

#[test]
fn a_round_is_published_again_if_it_has_changed_and_deleted_if_it_is_too_large() {
    let mut topics = RoundTopics::new("flagfall", "e");
    topics.show("5", "x".repeat(LARGEST - 1));
    topics.rounds.values_mut().for_each(|kept| kept.given = true);
    topics.show("5", "x".repeat(LARGEST - 1));
    assert_eq!(pgn_of(&topics, "5"), Some((LARGEST - 1, true)), "nothing new");
    topics.show("5", "x".repeat(LARGEST));
    assert_eq!((pgn_of(&topics, "5"), topics.too_large.len()), (Some((0, false)), 1));
    topics.show("5", "x".repeat(8_000));
    assert_eq!((pgn_of(&topics, "5"), topics.too_large.len()), (Some((8_000, false)), 0));
    topics.connected(Some(8_000));
    topics.show("5", "x".repeat(8_000));
    assert_eq!(pgn_of(&topics, "5"), Some((0, false)), "the broker takes less");
    topics.withhold();
    assert_eq!(pgn_of(&topics, "5"), None);
}

#[test]
fn a_broker_that_ends_connections_is_left_alone() {
    let second = |seconds: u64| MonotonicTime(seconds * 1_000_000);
    let mut topics = RoundTopics::new("flagfall", "e");
    let mut lose = |given: Option<u64>, lost, unanswered| {
        topics.given_at = given.map(second);
        topics.lost(unanswered, second(lost));
        (topics.strikes, topics.rests_until)
    };
    for (given, lost, strikes) in [(1, 2, 1), (3, 4, 2), (10, 60, 0), (61, 62, 1), (63, 64, 2)] {
        assert_eq!(lose(Some(given), lost, true), (strikes, second(0)), "{lost}");
    }
    assert_eq!(lose(Some(65), 66, true), (3, second(66 + 600)));
    assert_eq!(lose(Some(700), 701, true), (4, second(701 + 600)), "it is tried once, and rests again");
    assert_eq!(lose(None, 702, true), (0, second(701 + 600)), "another cause");
}

#[test]
fn a_broker_that_dies_after_its_answer_has_another_cause() {
    let mut topics = RoundTopics::new("flagfall", "e");
    for second in 1..=10 {
        topics.given_at = Some(MonotonicTime(second * 1_000_000));
        topics.lost(false, MonotonicTime(second * 1_000_000));
        assert_eq!((topics.strikes, topics.rests_until), (0, MonotonicTime(0)), "{second}");
    }
}
