//! The results of a scene: moves, alarms, facts.

use flagfall::publish::{Message, states};
use flagfall::session::station::Station;
use flagfall::wire::alarm::AlertBody;
use flagfall::wire::state::ArbiterState;
use flagfall_game::game::Game;
use flagfall_game::laws::finding::Finding;
use serde_json::Value;

use crate::support::parts::Parts;

/// The results of a scene.
pub(crate) struct Outcome {
    pub(crate) station: Station,
    pub(crate) messages: Vec<Message>,
    /// The inputs, as a trace.
    pub(crate) trace: String,
}

impl Outcome {
    pub(crate) fn state(&self) -> ArbiterState {
        states::arbiter_state(self.station.game())
    }

    pub(crate) fn moves(&self) -> Vec<String> {
        self.state().moves.into_iter().map(|played| played.uci.to_string()).collect()
    }

    /// The kinds of all alarms of the present game, open or closed, in their order, with the side.
    pub(crate) fn alarms(&self) -> Vec<String> {
        alarms_of(self.station.game())
    }

    /// All sure moves in SAN.
    pub(crate) fn sans(&self) -> String {
        sans_of(self.station.game())
    }

    /// The moves of a game in the last state that the live audience has of it.
    pub(crate) fn shown_live(&self, game: u32) -> String {
        self.shown(game, "/live/")
    }

    /// The sure moves of a game in the last state that arbiters have of it.
    pub(crate) fn shown_arbiter(&self, game: u32) -> String {
        self.shown(game, "/arbiter/")
    }

    fn shown(&self, game: u32, audience: &str) -> String {
        let mut parts = Parts::default();
        let of_audience = self.messages.iter().filter(|message| message.topic.contains(audience));
        let joined = of_audience.map(|message| (&message.topic, parts.joined(&message.topic, message.payload.as_bytes())));
        let states = joined.filter(|(topic, _)| topic.ends_with("/state"));
        let bodies: Vec<Value> =
            states.map(|(_, state)| serde_json::from_slice::<Value>(&state).expect("JSON")["body"].take()).collect();
        let mut states = bodies.iter().rev();
        let last = states.find(|body| body["game_no"] == game).expect("a state of this game");
        let moves = last["moves"].as_array().expect("moves").iter();
        moves.map(|played| played["san"].as_str().expect("a move")).collect::<Vec<_>>().join(" ")
    }

    /// Checks that exactly these moves are sure, that none is pending, and that exactly these alarms were raised.
    #[track_caller]
    pub(crate) fn expect(&self, moves: &str, alarms: &[&str]) -> &Outcome {
        self.allow(moves, alarms, &[])
    }

    /// Like [`Outcome::expect`]; the alarms in `also` are allowed.
    #[track_caller]
    pub(crate) fn allow(&self, moves: &str, alarms: &[&str], also: &[&str]) -> &Outcome {
        let raised: Vec<String> = self.alarms().into_iter().filter(|alarm| !also.contains(&alarm.as_str())).collect();
        let pending: Vec<String> = self.state().pending.into_iter().map(|played| played.san.to_string()).collect();
        assert_eq!(
            (self.sans().as_str(), pending, raised),
            (moves, vec![], alarms.iter().map(|alarm| alarm.to_string()).collect())
        );
        self.in_order();
        self
    }

    /// Checks that moves are made one after another, and that no press comes before its move.
    #[track_caller]
    fn in_order(&self) {
        let moves = self.state().moves;
        for pair in moves.windows(2) {
            assert!(pair[0].made_at[0] <= pair[1].made_at[1], "{} and {}", pair[0].san, pair[1].san);
        }
        for played in moves {
            let pressed = played.pressed_at.map_or(u64::MAX, |pressed| pressed[1]);
            assert!(played.made_at[0] <= pressed, "{} was pressed before it was made", played.san);
        }
    }

    /// Checks that there are no facts about the hands: they kept to the Laws.
    #[track_caller]
    pub(crate) fn nothing_of_the_hands(&self) {
        let counts = ["touched", "stood", "rook_first", "two_hands"].map(|word| (word, self.fact(word)));
        assert!(counts.iter().all(|(_, count)| *count == 0), "{counts:?}");
    }

    /// How the move with this index became sure.
    pub(crate) fn how(&self, index: usize) -> String {
        word(&self.state().moves[index].how)
    }

    /// How often the audit has this fact.
    pub(crate) fn fact(&self, word: &str) -> usize {
        self.audit(&format!("\"{word}\""))
    }

    /// Whether the state for arbiters has this word.
    pub(crate) fn shows(&self, word: &str) -> bool {
        serde_json::to_string(&self.state()).expect("JSON").contains(word)
    }

    pub(crate) fn finding(&self) -> &Finding {
        self.station.game().findings().last().expect("a finding")
    }

    pub(crate) fn row(&self) -> &'static str {
        self.station.game().findings().last().map_or("-", |finding| finding.row)
    }

    /// The number of moves with a press.
    pub(crate) fn pressed(&self) -> usize {
        self.state().moves.iter().filter(|played| played.pressed_at.is_some()).count()
    }

    pub(crate) fn audit(&self, word: &str) -> usize {
        self.messages.iter().filter(|message| message.topic.ends_with("/audit") && message.payload.contains(word)).count()
    }
}

/// The word with which a value is published.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).expect("a word").as_str().unwrap_or_default().to_owned()
}

/// The kinds of all alarms of a game, with the side.
pub(crate) fn alarms_of(game: &Game) -> Vec<String> {
    let name = |alarm: AlertBody| {
        let kind = word(&alarm.kind);
        alarm.side.map_or(kind.clone(), |side| format!("{kind}({side})"))
    };
    game.alarms().iter().map(AlertBody::from).map(name).collect()
}

/// All sure moves of a game in SAN.
pub(crate) fn sans_of(game: &Game) -> String {
    game.moves().map(|played| played.san.to_string()).collect::<Vec<_>>().join(" ")
}
