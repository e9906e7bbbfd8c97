//! The rules of an event by name, as configurations and journals' heads have them.

use anyhow::{Result, bail};
use flagfall_game::game::Rulings;
use flagfall_game::laws::rulebook::{Guideline, Profile, Rulebook};

/// Every profile by its name.
pub const PROFILES: [(&str, Profile); 9] = [
    ("fide-2023-standard", Profile::FideStandard),
    ("fide-2023-rapid", Profile::FideRapid),
    ("fide-2023-rapid-supervised", Profile::FideRapidSupervised),
    ("fide-2023-blitz", Profile::FideBlitz),
    ("fide-2023-blitz-supervised", Profile::FideBlitzSupervised),
    ("fide-print-old", Profile::FidePrintOld),
    ("us-chess", Profile::UsChess),
    ("club-speed", Profile::ClubSpeed),
    ("material-only", Profile::MaterialOnly),
];

/// Reads a profile with the guideline that was announced, if one was: `fide-2023-rapid`, `fide-2023-rapid+guidelines-III.5`.
///
/// # Errors
/// It is no such name.
pub fn rulebook(text: &str) -> Result<Rulebook> {
    let (name, guideline) = text.split_once('+').map_or((text, None), |(name, guideline)| (name, Some(guideline)));
    let guideline = match guideline {
        None => None,
        Some("guidelines-III.4") => Some(Guideline::AdditionalTime),
        Some("guidelines-III.5") => Some(Guideline::NormalMeans),
        Some(other) => bail!("there is no `{other}`"),
    };
    let Some((_, profile)) = PROFILES.into_iter().find(|(known, _)| *known == name) else {
        bail!("there is no profile `{name}`")
    };
    Ok(Rulebook { profile, guideline })
}

/// How rulings are called in configurations and journals' heads.
pub const fn rulings_name(rulings: Rulings) -> &'static str {
    match rulings {
        Rulings::Advise => "advise",
        Rulings::Automatic => "automatic",
    }
}
