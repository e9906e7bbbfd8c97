//! DGT boards on a line of their own: serial, USB and Bluetooth (SPP) boards, Revelation II.
//!
//! ```text
//!  host to board      one byte 40..60, or  2b n … 00  (clock), 60 n … 00 (lights)          host.rs, host_decoder.rs
//!
//!  board to host      id  hi  lo  data …      id has bit 7 set, every other byte has it clear
//!                     └── total = hi * 128 + lo, header included                           framing.rs, board.rs
//!
//!    86 00 43  64 codes            all squares, a8 first, h1 last                          squares.rs
//!    8e 00 05  square code         one square changed
//!    8d 00 0a  rrr lll s           clock: right h m s, left h m s, status; or an answer    clock.rs, clock_reader.rs
//!    8f hi lo  tags …              the board's own log                                     ee.rs
//!    90 bus address   91 serial   92 trademark   93 version   96 hardware   a0 battery   a2 long serial
//! ```
//!
//! `session.rs` is the driver: what to ask when, and what the answers mean. Sources: `dgt-board.md`, `dgt-clock.md`.
//! DGT's notice: commercial users of the protocol should ask DGT for leave.

pub mod board;
pub mod clock;
mod clock_command;
pub mod host;
pub mod host_decoder;
pub mod squares;
