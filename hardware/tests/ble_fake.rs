//! The fake BlueZ (`bluez/mod.rs`), tried with what it is made for: btleplug.

mod bluez;

#[test]
fn btleplug_meets_the_fake() {
    bluez::in_own_process("btleplug_meets_the_fake", |bus| {
        let bluez = bluez::Bluez::start(&bus.address());
        bluez.stop();
    });
}
