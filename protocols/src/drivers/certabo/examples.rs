//! Contains example messages of a short game on a Certabo board, for the test that runs over all drivers. They were written by
//! hand. Each square has the five numbers of the chip in its piece, and `0 0 0 0 0` means empty. One square contains noise.

macro_rules! black {
    () => {
        ":3 0 84 8 1 3 0 84 8 2 3 0 84 8 3 3 0 84 8 4 3 0 84 8 5 3 0 84 8 6 3 0 84 8 7 3 0 84 8 8 \
         3 0 84 7 1 3 0 84 7 2 3 0 84 7 3 3 0 84 7 4 3 0 84 7 5 3 0 84 7 6 3 0 84 7 7 3 0 84 7 8 "
    };
}

macro_rules! empty_rank {
    () => {
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
    };
}

macro_rules! white {
    ($e2:literal) => {
        concat!(
            "3 0 84 2 1 3 0 84 2 2 3 0 84 2 3 3 0 84 2 4 ",
            $e2,
            " 3 0 84 2 6 3 0 84 2 7 3 0 84 2 8 ",
            "3 0 84 1 1 3 0 84 1 2 3 0 84 1 3 3 0 84 1 4 3 0 84 1 5 3 0 84 1 6 3 0 84 1 7 3 0 84 1 8 \r\n",
        )
    };
}

/// The initial position, with noise on a4.
macro_rules! start {
    ($noise:literal) => {
        concat!(
            black!(),
            empty_rank!(),
            empty_rank!(),
            $noise,
            " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ",
            empty_rank!(),
            white!("3 0 84 2 5"),
        )
    };
}

/// The position after 1. e4, with noise on a4.
macro_rules! e4 {
    ($noise:literal) => {
        concat!(
            black!(),
            empty_rank!(),
            empty_rank!(),
            $noise,
            " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3 0 84 2 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 ",
            empty_rank!(),
            white!("0 0 0 0 0"),
        )
    };
}

/// Seven frames of the initial position: enough to learn the set.
pub(super) const START: &[u8] = concat!(
    start!("0 0 0 0 0"),
    start!("7 161 80 12 9"),
    start!("0 0 0 0 0"),
    start!("45 3 2 206 167"),
    start!("0 96 7 13 240"),
    start!("0 0 0 0 0"),
    start!("128 55 111 195 164"),
)
.as_bytes();

/// Three frames of the position after 1. e4: enough to see the squares, but not enough to identify the pieces.
pub(super) const E4: &[u8] = concat!(e4!("9 99 14 2 254"), e4!("0 0 0 0 0"), "L\r\n", e4!("17 4 84 3 1")).as_bytes();
