//! The fifteen invariants of reconstruction (`reconstruct/README.md#7`) on random games, noise and nonsense. A failure names its seed;
//! `tests/soak` plays new seeds.
//!
//! | number | invariant | module |
//! | --- | --- | --- |
//! | 1 | the list is a legal game and grows at its end, except for revisions with a cause | `list`; at every step of every other test in `checked_game` |
//! | 2 | reports without news change nothing | `equivalent_reports` |
//! | 3 | clean events in any permitted order give exactly the game, and no alarm | `clean` |
//! | 4 | squares of one scan may come in any order | `equivalent_reports` |
//! | 5 | a turned board gives the same output | `equivalent_reports` |
//! | 6 | frames and squares give the same list | `equivalent_reports` |
//! | 7 | a replay, other pieces and a later beginning change nothing | `replay` |
//! | 8 | a lift and return is no move | `lifts` |
//! | 9 | times are in order, and one press belongs to one move | `times` |
//! | 10 | a square that is never reported is repaired by the next frame | `dropped` |
//! | 11 | the board is as it was read last | `nonsense` |
//! | 12 | nothing panics, and memory and work are bounded | `nonsense` |
//! | 13 | the game follows the board again within three seconds | `in_step` |
//! | 14 | no move is committed while there is no game | `no_game` |
//! | 15 | nothing is reported that the board contradicts, whatever is played after an illegal move | `illegal` |

mod chaos;
pub(crate) mod checked_game;
mod clean;
mod dropped;
mod equivalent_reports;
mod illegal;
mod in_step;
mod lifts;
mod list;
mod no_game;
mod nonsense;
pub(crate) mod played_game;
mod replay;
mod times;
