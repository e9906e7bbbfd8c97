//! Starts the command line of flagfall.

use std::process::ExitCode;

fn main() -> ExitCode {
    flagfall::cli::main()
}
