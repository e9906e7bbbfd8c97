//! Observations of an arbiter at a board where play goes on, and decisions that an operator must leave to arbiters.

use flagfall::arbiter::Code;
use flagfall::config::Role;
use serde_json::json;

use crate::commands::body;
use crate::commands::command_rig::{CommandRig, payload};

/// In blitz the revision changes with every touch, but an observation stays true.
#[test]
fn an_observation_is_locked_to_its_game_only() {
    for verb in ["claim", "stop-clocks", "restart-clocks"] {
        for mut rig in [CommandRig::playing(), CommandRig::flag_fallen()] {
            let (game, _) = rig.now();
            let only_game = payload(verb, "a", &json!({"game": game}), body(verb));
            let replies = rig.send(Some(Role::Arbiter), verb, &only_game);
            assert_eq!(replies.last().map(|reply| reply.code), Some(Code::Ok), "{verb}");
            let other = payload(verb, "b", &json!({"game": "replay-1-1-g9"}), body(verb));
            assert_eq!(rig.send(Some(Role::Arbiter), verb, &other)[0].code, Code::Stale, "{verb}");
        }
    }
}

#[test]
fn an_operator_starts_no_game_while_a_flag_awaits_its_ruling() {
    let mut rig = CommandRig::over_with_a_flag();
    let start = |rig: &mut CommandRig, id: &str| {
        let ask = rig.ask("start-game", id, json!({}));
        rig.send(Some(Role::Operator), "start-game", &ask).last().expect("an answer").clone()
    };
    let reply = start(&mut rig, "a");
    assert_eq!((reply.code, reply.message.as_str()), (Code::Denied, "an arbiter is needed"));
    let result = rig.ask("declare-result", "b", json!({"result": "1/2-1/2"}));
    assert_eq!(rig.send(Some(Role::Arbiter), "declare-result", &result).last().map(|reply| reply.code), Some(Code::Ok));
    assert_eq!(start(&mut rig, "c").code, Code::Ok);
}
