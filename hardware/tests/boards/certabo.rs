//! Emulated Certabo and Tabutronic boards: their frames, tags that move with their pieces, noise, lights, pace.

use std::time::Duration;

use flagfall_hardware::emulator::certabo::{Certabo, CertaboSettings};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Sent};
use flagfall_protocols::driver::Output;
use flagfall_protocols::drivers;
use flagfall_protocols::drivers::certabo::framing::{Form, Framed, Framing};
use flagfall_protocols::drivers::certabo::host::HostCommand;
use flagfall_protocols::drivers::certabo::message::{NO_TAG, Tag, may_be_tag, square};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

fn sq(name: &str) -> Square {
    Square::parse(name).expect("a square")
}

fn sent(board: &mut Certabo, millis: u64) -> Vec<Sent> {
    let mut out = Vec::new();
    while let Some(next) = board.next().filter(|next| *next <= at(millis)) {
        board.advance(next, &mut out);
    }
    board.advance(at(millis), &mut out);
    out
}

fn text(sent: &[Sent]) -> Vec<u8> {
    sent.iter().flat_map(|sent| sent.bytes.clone()).collect()
}

/// Returns the frames of tags, a1 first.
fn frames(bytes: &[u8]) -> Vec<[Tag; 64]> {
    let (mut framing, mut frames) = (Framing::new(Form::Tags), Vec::new());
    let mut take = |framed: Option<Framed<'_>>| match framed {
        Some(Framed::Frame { numbers, .. }) => {
            let mut tags = [NO_TAG; 64];
            for (index, tag) in (0..).zip(numbers.as_chunks().0) {
                tags[square(index).expect("below 64").index()] = *tag;
            }
            frames.push(tags);
        }
        Some(odd) => panic!("{odd:?}"),
        None => {}
    };
    bytes.iter().for_each(|byte| take(framing.push(*byte)));
    take(framing.silence());
    frames
}

fn quiet() -> CertaboSettings {
    CertaboSettings { noise: None, paced: false, ..CertaboSettings::default() }
}

#[test]
fn tags_go_with_their_pieces() {
    let mut board = Certabo::new(quiet());
    board.load(
        &Script::parse("0.3 lift e2\n0.6 place e4\n1.1 lift d7\n+0.01 drop\n1.3 slide e4 e6 0.1\n2.1 place d5 p\n2.6 place a5 Q")
            .expect("a script"),
    );
    let frames = frames(&text(&sent(&mut board, 3100)));
    assert_eq!(frames.len(), 12);
    let tag = |frame: usize, name: &str| frames[frame][sq(name).index()];
    let pawn = tag(0, "e2");
    let victim = tag(0, "d7");
    assert_eq!((tag(1, "e2"), tag(1, "e4"), tag(2, "e4")), (NO_TAG, NO_TAG, pawn));
    assert_eq!((tag(6, "d7"), tag(6, "e4"), tag(6, "e6")), (NO_TAG, NO_TAG, pawn));
    // The pawn from the box is the captured one. The queen was never on the board before.
    assert_eq!(tag(8, "d5"), victim);
    let queen = tag(10, "a5");
    assert!(may_be_tag(&queen) && !frames[0].contains(&queen));
    let mut tags: Vec<_> = frames[11].iter().filter(|tag| **tag != NO_TAG).collect();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), 33, "no tag twice");
    assert_eq!((board.counters().impossible, board.done()), (0, false));
}

#[test]
fn a_noisy_board_has_random_bytes_on_5_to_16_empty_squares() {
    let noisy = |seed: u64| CertaboSettings { noise: Some(seed), ..quiet() };
    let run = |seed: u64| text(&sent(&mut Certabo::new(noisy(seed)), 50_100));
    let (first, again, other) = (run(1), run(1), run(2));
    assert!(first == again && first != other);
    let frames = frames(&first);
    assert_eq!(frames.len(), 200);
    let mut counts = std::collections::BTreeSet::new();
    for frame in &frames {
        let empty = Square::all().filter(|square| Placement::initial().get(*square) == Reading::Empty);
        let spots: Vec<_> = empty.map(|square| frame[square.index()]).filter(|tag| *tag != NO_TAG).collect();
        assert!(spots.iter().all(may_be_tag));
        counts.insert(spots.len());
    }
    assert_eq!((counts.first(), counts.last()), (Some(&5), Some(&16)));
}

#[test]
fn text_is_sent_at_the_pace_of_its_line() {
    let paced = sent(&mut Certabo::new(CertaboSettings { paced: true, ..quiet() }), 490);
    let length: usize = paced.iter().map(|piece| piece.bytes.len()).sum();
    let took = paced.last().expect("a frame").at.since(at(250));
    assert_eq!(took, Duration::from_micros(length as u64 * 10_000_000 / 38_400));
    assert!(paced.iter().all(|piece| piece.bytes.len() <= 16) && took > Duration::from_millis(150));
    let free = sent(&mut Certabo::new(quiet()), 490);
    assert!(free.iter().all(|piece| piece.at == at(250) && piece.bytes.len() <= 20));
    assert_eq!(text(&paced), text(&free));
    // Even the longest noisy frames fit between the starts of two frames.
    let mut board = Certabo::new(CertaboSettings::default());
    let pieces = sent(&mut board, 100_240);
    assert_eq!(frames(&text(&pieces)).len(), 400);
    assert!(pieces.last().expect("a frame").at <= at(100_240));
}

#[test]
fn lights_are_counted_and_acknowledged() {
    let mut board = Certabo::new(CertaboSettings { form: Form::Occupancy, space: true, ..quiet() });
    let mut plain = Vec::new();
    HostCommand::Lights(sq("e2").bit() | sq("e4").bit()).encode(&mut plain);
    let mut coloured = Vec::new();
    HostCommand::coloured([sq("e2")], [0, 0, 64]).encode(&mut coloured);
    board.host(at(10), 0, &plain[..5]);
    board.host(at(20), 0, &plain[5..]);
    assert_eq!(text(&sent(&mut board, 30)), b"L\r\n");
    board.host(at(40), 0, &coloured);
    assert_eq!(text(&sent(&mut board, 50)), b"D\r\n");
    coloured[246] = 0;
    board.host(at(60), 0, &coloured);
    assert_eq!(board.counters(), Counters { lights: 2, unknown: 1, ..Counters::default() });
    assert_eq!(text(&sent(&mut board, 260)), b":255 255 0 0 0 0 255 255 \r\n");
}

#[test]
fn a_board_without_power_sends_and_receives_nothing() {
    let mut board = Certabo::new(CertaboSettings { form: Form::Occupancy, ..quiet() });
    board.load(&Script::parse("0.6 power off\n0.7 lift e2\n2.6 power on").expect("a script"));
    assert_eq!(text(&sent(&mut board, 1000)), b":255 255 0 0 0 0 255 255 \r\n".repeat(2));
    board.host(at(1100), 0, &[0; 8]);
    assert_eq!(text(&sent(&mut board, 2900)), b":255 255 0 0 0 0 247 255 \r\n");
    assert!(!board.done());
    sent(&mut board, 3900);
    assert!(board.done());
    assert_eq!(board.counters(), Counters::default());
}

/// Returns the last picture that a driver reports for a board with these hand motions.
fn followed(script: &str) -> Placement {
    let driver = drivers::find("certabo").expect("registered").start();
    let mut rig = Rig::new(driver, Certabo::new(CertaboSettings::default()));
    rig.emulator.load(&Script::parse(script).expect("a script"));
    let mut last = None;
    rig.run_until(at(30_000), &mut |event| {
        if let RigEvent::Output { output: Output::Event { event: DeviceEvent::Frame(frame), .. }, .. } = event {
            last = Some(*frame);
        }
    });
    assert_eq!(rig.emulator.counters(), Counters::default());
    last.expect("a picture")
}

#[test]
fn a_promoted_piece_is_known_if_it_stood_on_the_board_when_the_set_was_learned() {
    let promoted = "+3 lift b7\n+0.1 drop\n+0.2 lift a8\n+0.1 drop\n+0.3 place a8 Q";
    // The queen comes from the box: it was not learned.
    let seen = followed(&format!("5 lift d2\n{promoted}"));
    assert_eq!(seen, Placement::parse("?nbqkbnr/p1pppppp/8/8/8/8/PPP1PPPP/RNBQKBNR").expect("a placement"));
    // The queen was captured before.
    let seen = followed(&format!("5 lift d1\n+0.2 drop\n{promoted}"));
    assert_eq!(seen, Placement::parse("Qnbqkbnr/p1pppppp/8/8/8/8/PPPPPPPP/RNB1KBNR").expect("a placement"));
}
