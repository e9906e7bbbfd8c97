#[path = "../../../tests/laws/club.rs"]
mod club;
#[path = "../../../tests/laws/fide.rs"]
mod fide;
#[path = "../../../tests/laws/flags.rs"]
mod flags;
#[path = "../../../tests/laws/illegal.rs"]
mod illegal;
#[path = "../../../tests/laws/popular.rs"]
mod popular;
#[path = "../../../tests/laws/profiles.rs"]
mod profiles;
#[path = "../../../tests/laws/properties.rs"]
mod properties;
#[path = "../../../tests/laws/support.rs"]
mod support;
#[path = "../../../tests/laws/us_chess.rs"]
mod us_chess;
