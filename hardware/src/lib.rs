//! Links to the world.
