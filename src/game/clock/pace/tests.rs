//! Time controls in words, and those that are probably not meant.

use super::*;

fn control(text: &str) -> TimeControl {
    TimeControl::parse(text).expect(text)
}

#[test]
fn time_controls_in_words() {
    for (text, words) in [
        ("90+30", "1 minute 30 seconds, and 30 seconds a move"),
        ("5400+30", "90 minutes, and 30 seconds a move"),
        ("300", "5 minutes"),
        ("300d3", "5 minutes, and a delay of 3 seconds a move"),
        ("300b3", "5 minutes, and up to 3 seconds a move given back (Bronstein)"),
        ("0+1", "0 seconds, and 1 second a move"),
        (
            "40/7200:20/3600:61+30",
            "2 hours for 40 moves; then 1 hour for 20 moves; then 1 minute 1 second, and 30 seconds a move",
        ),
    ] {
        assert_eq!(control(text).words(), words);
    }
}

#[test]
fn the_time_for_sixty_moves_decides() {
    for (text, pace) in [
        ("600", Pace::Blitz),
        ("180+2", Pace::Blitz),
        ("540+1", Pace::Blitz),
        ("540b1", Pace::Blitz),
        ("541+1", Pace::Rapid),
        ("601", Pace::Rapid),
        ("90+30", Pace::Rapid),
        ("3599", Pace::Rapid),
        ("3600", Pace::Standard),
        ("40/1800:1800", Pace::Standard),
        // 40 moves with 30 seconds and 20 with 60.
        ("40/0+30:0+60", Pace::Rapid),
        ("40/600+30:600+60", Pace::Standard),
        ("0+60", Pace::Standard),
    ] {
        assert_eq!(control(text).pace(), pace, "{text}");
    }
}

#[test]
fn what_is_probably_not_meant_is_doubted() {
    use Profile::{ClubSpeed, FideBlitz, FideRapidSupervised, FideStandard, UsChess};
    for (text, profile, parts) in [
        ("5400+30", FideStandard, &[][..]),
        ("300", ClubSpeed, &[]),
        ("180+2", FideBlitz, &[]),
        ("5400+30", UsChess, &[]),
        (
            "90+30",
            FideStandard,
            &[
                "is 1 minute 30 seconds, and 30 seconds a move: 31 minutes 30 seconds for 60 moves, which is rapid chess (A.1), but the \
               profile fide-2023-standard is for standard chess",
                "if minutes are meant, write 5400+30",
            ],
        ),
        ("900+10", FideStandard, &["which is rapid chess (A.1), but", "; correct one of the two"]),
        ("5400+30", FideBlitz, &["which is standard chess, but the profile fide-2023-blitz is for blitz (B.1); correct"]),
        // The kind is right by chance, and the minutes are seconds all the same.
        ("15+10", FideRapidSupervised, &["is 15 seconds, and 10 seconds a move", "chess (A.1); its main", "write 900+10"]),
        ("3+2", FideBlitz, &["write 180+2"]),
        ("90+30", UsChess, &["write 5400+30"]),
        ("300", FideStandard, &["which is blitz", "; correct one of the two"]),
        ("40/90+30:30+30", UsChess, &["write 40/5400+30:1800+30"]),
    ] {
        let doubt = control(text).doubt(profile);
        assert_eq!(doubt.is_some(), !parts.is_empty(), "{text}: {doubt:?}");
        assert!(parts.iter().all(|part| doubt.as_ref().is_some_and(|doubt| doubt.contains(part))), "{text}: {doubt:?}");
    }
}
