//! Makes values of messages from values of the game that have the same names.

/// `mirror!(From => To { Name, ... })` makes `To::Name` from `From::Name`. A value of the game without one in messages is an error of the
/// compiler.
macro_rules! mirror {
    ($from:ty => $to:ty { $($name:ident),+ $(,)? }) => {
        impl From<$from> for $to {
            fn from(known: $from) -> $to {
                type Known = $from;
                match known {
                    $(Known::$name => Self::$name,)+
                }
            }
        }
    };
}
