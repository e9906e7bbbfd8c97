//! What the public sees: the live audience's messages, later.
