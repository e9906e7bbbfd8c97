//! Whole games from hand motions: random legal ones, in every manner in which hands make moves, at several speeds; and what
//! a game core must bear from any input (`reconstruction.md` section 7).

#[path = "scenarios/scene.rs"]
mod scene;

#[path = "games/exact.rs"]
mod exact;
#[path = "games/hands.rs"]
mod hands;
#[path = "games/legal.rs"]
mod legal;
