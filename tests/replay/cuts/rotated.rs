//! The same game with White on the other side of board and clock.

use flagfall::publish::states;
use flagfall_protocols::event::ClockSide;

use crate::cuts::stream::{bytes, dgt_tapes, messages, with};
use crate::support::tapes::Tape;

/// Board and clock turned by 180 degrees.
fn turned(tape: &Tape) -> Tape {
    let mut stream = bytes(tape);
    for message in messages(&stream) {
        let data = &mut stream[message.data];
        match message.id {
            0x86 if data.len() == 64 => data.reverse(),
            0x8e => data[0] = 63 - data[0],
            0x8d if data[0] & 0x0f != 0x0a && data[3] & 0x0f != 0x0a && data.iter().any(|&byte| byte != 0) => {
                let (right, left) = data.split_at_mut(3);
                right.swap_with_slice(&mut left[..3]);
                // The lever shows the other side, and it is the other side's turn.
                let status = data[6];
                data[6] = (status & !0x18 ^ 0x02) | (status & 0x08) << 1 | (status & 0x10) >> 1;
            }
            _ => {}
        }
    }
    let mut tape = with(tape, &stream);
    if let Some(side) = &mut tape.setting.config.white_clock {
        *side = if *side == ClockSide::Left { ClockSide::Right } else { ClockSide::Left };
    }
    tape
}

#[test]
fn a_turned_board_gives_the_same_game() {
    for tape in dgt_tapes() {
        let (one, _) = tape.play();
        let (other, _) = turned(&tape).play();
        let [one, other] = [one, other].map(|station| serde_json::to_value(states::arbiter_state(station.game())).expect("JSON"));
        assert_ne!(one["rotated"], other["rotated"], "{}", tape.name);
        let parts = ["moves", "pending", "completed", "flags", "clock", "period", "finding", "hints", "alarms", "stage", "board"];
        for part in parts {
            assert_eq!(one[part], other[part], "{}: {part}", tape.name);
        }
    }
}
