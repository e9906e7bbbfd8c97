//! The report.

use std::io::{self, Write};

/// One line of the report.
#[derive(Default)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) value: f64,
    pub(crate) yardstick: Option<f64>,
    pub(crate) unit: &'static str,
    /// The highest value that meets the goal, in units or in yardsticks.
    pub(crate) goal: Option<Goal>,
}

#[derive(Clone, Copy)]
pub(crate) enum Goal {
    Units(f64),
    Yardsticks(f64),
}

impl Row {
    fn goal(&self) -> String {
        let met = |met| if met { "met" } else { "MISSED" };
        match (self.goal, self.yardstick) {
            (Some(Goal::Units(most)), _) => format!("{most} {}: {}", self.unit, met(self.value <= most)),
            (Some(Goal::Yardsticks(most)), Some(yardstick)) => format!("{most} x: {}", met(self.value <= most * yardstick)),
            _ => String::new(),
        }
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let value = format!("{:.2} {}", self.value, self.unit);
        let yardstick = self.yardstick.map_or(String::new(), |yardstick| format!("{yardstick:.2} {}", self.unit));
        let ratio = self.yardstick.map_or(String::new(), |yardstick| format!("{:.2}", self.value / yardstick));
        let line = format!("{:58} {value:>14} {yardstick:>14} {ratio:>7}  {}", self.what, self.goal());
        writeln!(out, "{}", line.trim_end())
    }
}

/// The first line of the report; `subject` is what is compared with the yardstick.
pub(crate) fn heading(subject: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:58} {subject:>14} {:>14} {:>7}  goal", "", "yardstick", "ratio")
}
