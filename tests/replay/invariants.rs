//! The fourteen invariants of reconstruction (`reconstruct/README.md#7`) on random games, noise and nonsense. A failure
//! names its seed; `tests/soak` goes on with new ones.
//!
//! | number | says | where |
//! | --- | --- | --- |
//! | 1 | the list is a legal game and grows at its end, but for revisions with a cause | `list`; at every step of every other test in `ear` |
//! | 2 | what tells nothing new changes nothing | `retold` |
//! | 3 | clean events in any permitted order give exactly the game, and no alarm | `clean` |
//! | 4 | squares of one scan in any order | `retold` |
//! | 5 | the board turned round | `retold` |
//! | 6 | frames and squares | `retold` |
//! | 7 | replay, cuts, a later beginning | `replay` |
//! | 8 | a lift and return is no move | `lifts` |
//! | 9 | times | `times` |
//! | 10 | one square never told | `dropped` |
//! | 11 | what stands on the board is what was read last | `nonsense` |
//! | 12 | no panic, and bounds of memory and work | `nonsense` |
//! | 13 | in step again within three seconds | `in_step` |
//! | 14 | nothing is committed while no game is on | `over` |

mod chaos;
mod clean;
mod dropped;
mod ear;
mod in_step;
mod lifts;
mod list;
mod nonsense;
mod over;
mod replay;
mod retold;
mod table;
mod times;
