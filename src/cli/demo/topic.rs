//! Splits the topic of a message into its levels, as a subscriber does (`wire/README.md#1`).

use flagfall_protocols::trace::Audience;

use crate::wire::topics;

/// The topic of a message about a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Topic<'a> {
    pub(super) audience: Audience,
    pub(super) board: &'a str,
    /// `state`, `move`, `alert`, ...
    pub(super) kind: &'a str,
    /// What comes after the kind.
    pub(super) rest: Option<&'a str>,
}

impl Topic<'_> {
    /// Reads `<root>/1/<audience>/<event>/<round>/<board>/<kind>[/<rest>]`; the root may have several levels. PGN says nothing that the
    /// states do not say, and is left out.
    pub(super) fn read(topic: &str) -> Option<Topic<'_>> {
        if topics::is_board_pgn(topic) {
            return None;
        }
        let (_, versioned) = topic.split_once("/1/")?;
        let mut levels = versioned.splitn(6, '/');
        let audience = Audience::find(levels.next()?)?;
        let (_event, _round) = (levels.next()?, levels.next()?);
        Some(Topic { audience, board: levels.next()?, kind: levels.next()?, rest: levels.next() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_of_boards_are_read_and_others_are_not() {
        let read = |topic| Topic::read(topic).map(|topic| (topic.audience.name(), topic.board, topic.kind, topic.rest));
        assert_eq!(read("flagfall/1/live/demo/1/b2/move"), Some(("live", "b2", "move", None)));
        assert_eq!(read("a/b/1/arbiter/demo/1/2/alert/7"), Some(("arbiter", "2", "alert", Some("7"))));
        for other in [
            "flagfall/1/node/pi/status",
            "flagfall/1/live/demo/1/b2/pgn",
            "flagfall/1/live/demo/1/b2",
            "flagfall/2/live/e/2/b/move",
            "",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
