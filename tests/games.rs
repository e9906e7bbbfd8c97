//! Whole games from hand motions: random legal ones, in every manner in which hands make moves, at several speeds; and
//! the same games told otherwise (`reconstruction.md` section 7).

#[path = "scenarios/scene.rs"]
mod scene;

#[path = "games/exact.rs"]
mod exact;
#[path = "games/hands.rs"]
mod hands;
#[path = "games/legal.rs"]
mod legal;
#[path = "games/told.rs"]
mod told;
