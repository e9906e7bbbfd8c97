//! Makes the settings of the emulated board and clock from the noise model. The clock may be set otherwise than the daemon is
//! configured.

use flagfall_hardware::emulator::clock_model::{ClockSettings, Method};
use flagfall_hardware::emulator::{ClockWay, Settings};
use flagfall_protocols::time::ClockTime;

use super::planned::IrregularityKind;
use crate::emulate::dice::{Dice, seconds};
use crate::emulate::noise::Noise;
use crate::emulate::times::Control;

/// The time that the report of the whole board takes on the serial line at 9600 baud, in seconds.
const DUMP_WIRE_S: f64 = 0.07;
/// The largest increment in milliseconds whose absence could be mistaken for a late report.
const LATE_REPORT_MS: u32 = 2_000;
/// The increment of a clock with the wrong setting, in milliseconds.
const WRONG_MS: u32 = 10_000;

/// Makes the clock on the table: set as the daemon is configured, or not.
pub(super) fn clock(control: &Control, wrong: Option<IrregularityKind>) -> ClockSettings {
    let mut settings = control.clock();
    match wrong {
        Some(IrregularityKind::ClockSettingDiffers) => {
            // It adds nothing; or, where that could be taken for a late report, much too much.
            let none = control.control.period(0).per_move_ms > LATE_REPORT_MS;
            settings.method = if none { Method::TimeOnly } else { Method::Fischer };
            let wrong = ClockTime(if none { 0 } else { WRONG_MS });
            settings.periods.iter_mut().for_each(|period| period.additional = wrong);
        }
        Some(IrregularityKind::ClockCountDiffers) => {
            if let Some(moves) = settings.periods.first_mut().and_then(|period| period.moves.as_mut()) {
                *moves -= 1;
            }
        }
        _ => {}
    }
    settings
}

/// Makes a board with this noise.
pub(super) fn board(noise: &Noise, dice: &mut Dice) -> Settings {
    let scan = dice.span(noise.scan_s);
    let [sooner, latest] = noise.clock_asked_s;
    Settings {
        scan,
        scan_phase: scan.mul_f64(dice.between([0.0, 1.0])),
        clock_poll: seconds(latest),
        clock_way: ClockWay {
            sooner: seconds(latest - sooner),
            delay: noise.clock_delay_s.map(seconds),
            skipped: (noise.clock_skipped * 10_000.0) as u16,
            seed: dice.seed(),
        },
        reply_delay: seconds(noise.dump_s - DUMP_WIRE_S),
        ..Settings::default()
    }
}
