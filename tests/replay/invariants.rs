//! The fourteen invariants of reconstruction (`reconstruct/README.md#7`) on random games, noise and nonsense. A failure
//! names its seed; `tests/soak` goes on with new ones.
//!
//! | number | says | where |
//! | --- | --- | --- |
//! | 1 | the list is a legal game and grows at its end, but for revisions with a cause | `list`; at every step of every other test in `checked_game` |
//! | 2 | what tells nothing new changes nothing | `equivalent_reports` |
//! | 3 | clean events in any permitted order give exactly the game, and no alarm | `clean` |
//! | 4 | squares of one scan in any order | `equivalent_reports` |
//! | 5 | the board turned round | `equivalent_reports` |
//! | 6 | frames and squares | `equivalent_reports` |
//! | 7 | replay, cuts, a later beginning | `replay` |
//! | 8 | a lift and return is no move | `lifts` |
//! | 9 | times | `times` |
//! | 10 | one square never told | `dropped` |
//! | 11 | what stands on the board is what was read last | `nonsense` |
//! | 12 | no panic, and bounds of memory and work | `nonsense` |
//! | 13 | in step again within three seconds | `in_step` |
//! | 14 | nothing is committed while no game is on | `no_game` |

mod chaos;
mod checked_game;
mod clean;
mod dropped;
mod equivalent_reports;
mod in_step;
mod lifts;
mod list;
mod no_game;
mod nonsense;
mod played_game;
mod replay;
mod times;
