//! What waits to be published: states that replace each other, and events from a cursor.
