//! Mutated statuses and infos of other nodes: a node believes only what concerns its own boards, and remembers a bounded number of nodes.

use super::claims::Claims;
use super::namesakes::Namesakes;
use super::{Identity, ReconnectDelays, Settings};
use crate::config::{Fleet, Mqtt};
use crate::nearly::{BYTES, mutated, mutated_bytes, run_until};
use crate::seeds::campaign;
use crate::system_clock::MonotonicTime;

const STATUS: &str = r#"{"node":"a","boot":7,"body":{"state":"ready","run":"1f00"}}"#;
const INFO: &str =
    r#"{"node":"a","body":{"event":"e","round":"5","boards":["b1","e/5/b2",{"id":"b3"},"e/4/b1"],"collects":["e/5"]}}"#;

#[test]
fn a_node_takes_anything_from_others() {
    let identity = Identity::read(&Mqtt::default(), "m").expect("no files");
    let [root, node, event, round] = ["f", "m", "e", "5"].map(str::to_owned);
    let boards = ["b1", "b2"].map(str::to_owned).to_vec();
    let (client_file, former, reconnect) = (None, Vec::new(), ReconnectDelays::default());
    let settings =
        Settings { identity, client_file, root, node, event, round, boards, fleet: Fleet::default(), former, reconnect };
    let one = |random: &mut fastrand::Rng| {
        let (mut claims, mut namesakes) = (Claims::new(&settings), Namesakes::new(STATUS.as_bytes()));
        let (mut live, mut used) = (Vec::new(), 0);
        for second in 0..random.u64(1..20) {
            let (leaf, sample) = [("status", STATUS), ("info", INFO)][random.usize(..2)];
            let node = if random.bool() { "a".to_owned() } else { mutated(random, &["b", "z"]) };
            let payload = if random.bool() { sample.as_bytes().to_vec() } else { mutated_bytes(random, &[sample]) };
            let changes = match random.u8(..8) {
                0 => claims.gathered(),
                1 => claims.handle_message("m", leaf, &payload),
                _ => claims.handle_message(&node, leaf, &payload),
            };
            if random.u8(..) < 20 {
                claims.establish();
            }
            for change in changes {
                let claim = (change.board, change.node);
                assert!(["b1", "b2"].contains(&claim.0.as_str()) && claim.1 != "m", "{claim:?}");
                // A claim begins once and ends once.
                assert_eq!(live.contains(&claim), !change.live, "{claim:?}");
                live.retain(|other| *other != claim);
                if change.live {
                    live.push(claim);
                }
            }
            namesakes.handle(&payload, MonotonicTime(second * 1_000_000));
            namesakes.later_start(&payload);
            namesakes.check(MonotonicTime(second * 1_000_000));
            used += payload.len();
        }
        used
    };
    campaign("fuzz of other nodes at a node", 0..1, |seed| run_until(seed, BYTES, one));
}
