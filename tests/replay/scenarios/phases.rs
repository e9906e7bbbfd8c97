//! The same motions at every phase of the scan and of the questions to the clock.

use crate::scene::Scene;

/// The moves before, the motions, and all moves.
const MOTIONS: [(&str, &str, &str); 20] = [
    ("", "lift e2 | place e4 | 0.5 press left", "e4"),
    ("", "slide e2 e4 0.2 | 0.4 press left", "e4"),
    ("", "lift e2 | 0.15 place e4 | 0.1 press left | 0.4 lift e7 | 0.15 place e5 | 0.1 press right", "e4 e5"),
    ("", "lift e2 | place e4 | 0.5 press left | 0.3 lift e4 | 0.3 place e4 | lift e7 | place e5 | 0.4 press right", "e4 e5"),
    ("", "lift b1 | 0.4 place b1 | 0.3 lift g1 | 0.3 place f3 | 0.3 press left", "Nf3"),
    ("", "lift g1 | place f3 | 0.3 press left | 0.1 dropout f3 0.5 | 0.6 lift g8 | place f6 | 0.3 press right", "Nf3 Nf6"),
    ("", "lift e2 | place e4 | lift e7 | 0.05 press left | place e5 | 0.4 press right", "e4 e5"),
    ("e2e4 d7d5", "lift d5 ; drop | lift e4 | place d5 | 0.4 press left", "e4 d5 exd5"),
    ("e2e4 d7d5", "lift e4 | 0.3 place d5 | 0.4 press left", "e4 d5 exd5"),
    ("e2e4 d7d5", "lift e4 | 0.4 lift d5 ; drop | place d5 | 0.4 press left", "e4 d5 exd5"),
    ("e2e4 d7d5", "lift e4 | 0.3 place d5 | 0.2 press left | 0.4 lift d8 | 0.3 place d5 | 0.2 press right", "e4 d5 exd5 Qxd5"),
    ("e2e4 a7a6 e4e5 d7d5", "lift e5 | place d6 | 0.4 lift d5 ; drop | 0.4 press left", "e4 a6 e5 d5 exd6"),
    ("e2e4 a7a6 e4e5 d7d5", "lift d5 ; drop | lift e5 | place d6 | 0.4 press left", "e4 a6 e5 d5 exd6"),
    ("e2e4 e7e5", "lift f1 | place d3 | 0.6 lift d3 | place e2 | 0.4 press left", "e4 e5 Be2"),
    ("e2e4 e7e5", "slide f1 c4 0.5 | 0.6 press left | 0.3 lift g8 | place f6 | 0.3 press right", "e4 e5 Bc4 Nf6"),
    ("g1f3 g8f6 g2g3 g7g6 f1g2 f8g7", "lift e1 | place g1 | lift h1 | place f1 | 0.4 press left", "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O"),
    ("g1f3 g8f6 g2g3 g7g6 f1g2 f8g7", "lift h1 | place f1 | lift e1 | place g1 | 0.4 press left", "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O"),
    (
        "g1f3 g8f6 g2g3 g7g6 f1g2 f8g7",
        "lift e1 ; lift h1 | 0.4 place f1 ; place g1 | 0.3 press left",
        "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O",
    ),
    ("g1f3 g8f6 g2g3 g7g6 f1g2 f8g7", "lift h1 | place f1 | 0.4 press left", "Nf3 Nf6 g3 g6 Bg2 Bg7 Rf1"),
    ("b1c3", "lift c3 ; drop | 0.2 lift e7 | 0.2 place e5 | 0.2 place c3 N | 0.3 press right", "Nc3 e5"),
];

#[test]
fn motions_are_read_at_every_phase_of_the_scan() {
    let mut wrong = Vec::new();
    for (before, motions, moves) in MOTIONS {
        for phase in [0.0, 0.045, 0.09, 0.135, 0.18] {
            for later in [0.0, 0.11, 0.23, 0.31] {
                let mut scene = Scene::running().scan_phase(phase);
                scene.wait(later);
                for uci in before.split(' ').filter(|uci| !uci.is_empty()) {
                    scene.play(uci, 1.0);
                }
                let outcome = scene.wait(0.7).hands(motions).end();
                let (sans, alarms) = (outcome.sans(), outcome.alarms());
                if (sans.as_str(), alarms.len()) != (moves, 0) {
                    wrong.push(format!("{motions} at {phase} + {later}: {sans} {alarms:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), MOTIONS.len() * 20, wrong.join("\n"));
}
