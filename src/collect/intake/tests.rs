use super::*;

#[test]
fn only_the_topics_of_the_event_are_read() {
    let state = |audience, round, board| Some(About::State { audience, round, board });
    let long = format!("flagfall/1/public/e/1/{}/state", "x".repeat(41));
    for (topic, expected) in [
        ("flagfall/1/public/e/5/12/state", state(OutputAudience::Public, "5", "12")),
        ("flagfall/1/live/e/5/12/state", state(OutputAudience::Live, "5", "12")),
        ("flagfall/1/meta/e", Some(About::Event)),
        ("flagfall/1/meta/e/5", Some(About::Round("5"))),
        ("flagfall/1/node/pi-07/status", Some(About::Status("pi-07"))),
        ("flagfall/1/node/pi-07/info", Some(About::Info("pi-07"))),
        ("flagfall/1/device/dgt-24012/status", Some(About::Device("dgt-24012"))),
        ("flagfall/1/live/e/5/12/clock", Some(About::Clock { round: "5", board: "12" })),
        ("flagfall/1/device/../status", None),
        ("flagfall/1/public/e/5/12/clock", None),
        ("flagfall/1/public/other/5/12/state", None),
        ("flagfall/1/public/e/../12/state", None),
        ("flagfall/1/public/e/5/A/state", None),
        ("flagfall/1/public/e//12/state", None),
        ("flagfall/1/arbiter/e/5/12/state", None),
        ("flagfall/1/meta/e/..", None),
        ("flagfall/1/meta/e/5/6", None),
        ("flagfall/2/meta/e", None),
        (&long, None),
        ("", None),
    ] {
        assert_eq!(about("flagfall", "e", topic), expected, "{topic}");
    }
}
