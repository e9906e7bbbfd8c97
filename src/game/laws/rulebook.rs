//! Defines the rulebooks, from which an organiser chooses by name (`laws/README.md#9`).

use alloc::string::String;
use core::fmt;

use crate::laws::claim::Ground;
use crate::laws::profiles;
use crate::laws::rules::{About, Choice, Rules, Table, Winnability};

/// A set of rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// FIDE Laws of 2023, standard chess.
    #[default]
    FideStandard,
    /// FIDE Laws of 2023, rapid chess without supervision of each game (A.5).
    FideRapid,
    /// FIDE Laws of 2023, supervised rapid chess (A.4).
    FideRapidSupervised,
    /// FIDE Laws of 2023, blitz without supervision of each game (B.3).
    FideBlitz,
    /// FIDE Laws of 2023, supervised blitz (B.2).
    FideBlitzSupervised,
    /// The FIDE Laws as an older print has them.
    FidePrintOld,
    /// The rules of US Chess.
    UsChess,
    /// A club's 31 rules of speed chess.
    ClubSpeed,
    /// The popular explanation of 6.9: a lone king, bishop or knight cannot win, and everything else can.
    MaterialOnly,
}

/// All profiles.
pub const PROFILES: [Profile; 9] = [
    Profile::FideStandard,
    Profile::FideRapid,
    Profile::FideRapidSupervised,
    Profile::FideBlitz,
    Profile::FideBlitzSupervised,
    Profile::FidePrintOld,
    Profile::UsChess,
    Profile::ClubSpeed,
    Profile::MaterialOnly,
];

impl Profile {
    /// The name in configurations and findings.
    pub const fn name(self) -> &'static str {
        self.rules().name
    }

    /// The special rules of this profile.
    pub const fn rules(self) -> &'static Rules {
        match self {
            Profile::FideStandard => &profiles::FIDE_STANDARD,
            Profile::FideRapid => &profiles::FIDE_RAPID,
            Profile::FideRapidSupervised => &profiles::FIDE_RAPID_SUPERVISED,
            Profile::FideBlitz => &profiles::FIDE_BLITZ,
            Profile::FideBlitzSupervised => &profiles::FIDE_BLITZ_SUPERVISED,
            Profile::FidePrintOld => &profiles::FIDE_PRINT_OLD,
            Profile::UsChess => &profiles::US_CHESS,
            Profile::ClubSpeed => &profiles::CLUB_SPEED,
            Profile::MaterialOnly => &profiles::MATERIAL_ONLY,
        }
    }

    /// The profile with this name.
    pub fn parse(name: &str) -> Option<Profile> {
        PROFILES.into_iter().find(|profile| profile.name() == name)
    }
}

/// A guideline for games without additional time, if it was announced (Guidelines III).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guideline {
    /// A player may ask for additional time for both.
    AdditionalTime,
    /// A player may claim a draw because the opponent cannot win by normal means.
    NormalMeans,
}

impl Guideline {
    /// The name in configurations and findings.
    pub const fn name(self) -> &'static str {
        match self {
            Guideline::AdditionalTime => "guidelines-III.4",
            Guideline::NormalMeans => "guidelines-III.5",
        }
    }
}

/// The rules of one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rulebook {
    /// The rules.
    pub profile: Profile,
    /// The guideline that was announced, if any.
    pub guideline: Option<Guideline>,
    /// The choices in which the event differs from the profile's default: one bit for each of the profile's
    /// [`Rules::options`].
    pub chosen: u8,
}

/// The reason why a text names no rulebook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RulebookError {
    /// No profile or add-on has this name.
    Unknown {
        /// The name that is not known.
        name: String,
        /// The valid name that is most similar.
        nearest: &'static str,
    },
    /// The profile does not allow this add-on.
    NotHere {
        /// The add-on.
        name: &'static str,
        /// The reason.
        why: &'static str,
    },
}

impl fmt::Display for RulebookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulebookError::Unknown { name, nearest } => write!(f, "there is no rulebook `{name}`; did you mean `{nearest}`?"),
            RulebookError::NotHere { name, why } => write!(f, "`{name}`: {why}"),
        }
    }
}

impl core::error::Error for RulebookError {}

impl Rulebook {
    /// The rulebook of a profile without add-ons.
    pub const fn of(profile: Profile) -> Rulebook {
        Rulebook { profile, guideline: None, chosen: 0 }
    }

    /// The special rules of the profile.
    pub const fn rules(&self) -> &'static Rules {
        self.profile.rules()
    }

    /// Parses a profile and its add-ons, such as `fide-2023-standard+guidelines-III.4` or `club-speed+article-6.9`. The add-ons of
    /// a profile are the two guidelines, where they may be announced (III.2), and the names of its [`Rules::options`].
    ///
    /// # Errors
    /// Names the unknown part and the valid name that is nearest to it, or the reason why the add-on does not fit the
    /// profile.
    pub fn parse(text: &str) -> Result<Rulebook, RulebookError> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let unknown = |name: &str, valid: &mut dyn Iterator<Item = &'static str>| RulebookError::Unknown {
            name: name.into(),
            nearest: nearest(name, valid),
        };
        let profile = Profile::parse(name).ok_or_else(|| unknown(name, &mut PROFILES.into_iter().map(Profile::name)))?;
        let mut rulebook = Rulebook::of(profile);
        let options = profile.rules().options;
        for part in parts {
            if let Some(guideline) = GUIDELINES.into_iter().find(|guideline| guideline.name() == part) {
                if !profile.rules().guidelines {
                    let why = "Guidelines III are for standard and rapid chess under the FIDE Laws (III.2)";
                    return Err(RulebookError::NotHere { name: guideline.name(), why });
                }
                if rulebook.guideline.is_some_and(|other| other != guideline) {
                    let why = "III.5 is for events where III.4 does not apply: only one of them";
                    return Err(RulebookError::NotHere { name: guideline.name(), why });
                }
                rulebook.guideline = Some(guideline);
            } else if let Some(index) = options.iter().position(|option| option.other == part) {
                rulebook.chosen |= 1 << index;
            } else {
                let guidelines = GUIDELINES.into_iter().filter(|_| profile.rules().guidelines).map(Guideline::name);
                let known = guidelines.chain(options.iter().map(|option| option.other));
                return Err(unknown(part, &mut known.chain([profile.name()])));
            }
        }
        Ok(rulebook)
    }

    /// True if the event chose other than the profile's default.
    pub fn chose(&self, about: About) -> bool {
        self.choice(about).is_some_and(|(index, _)| self.chosen & (1 << index) != 0)
    }

    /// The name of the choice in force if the profile leaves this open; none if it does not.
    pub fn holds(&self, about: About) -> Option<&'static str> {
        let (_, choice) = self.choice(about)?;
        Some(if self.chose(about) { choice.other } else { choice.default })
    }

    fn choice(&self, about: About) -> Option<(usize, &'static Choice)> {
        self.rules().options.iter().enumerate().find(|(_, choice)| choice.about == about)
    }

    /// The rule that decides which player cannot win on time.
    pub fn winnability(&self) -> Winnability {
        if self.chose(About::Article69) { Winnability::AnySeries } else { self.rules().winnability }
    }

    /// True if a resignation is a draw when the opponent cannot win (5.1.2).
    pub fn resignation_saved(&self) -> bool {
        self.rules().resignation_saved || self.chose(About::Article69)
    }

    /// The seconds that the opponent gets after an illegal move or an incorrect claim.
    pub fn penalty_s(&self) -> u32 {
        if self.chose(About::Penalty) { 60 } else { self.rules().penalty_s }
    }

    /// True if only players call a flag by these rules (13C1; club point 10; B6). A sign of the clock is no call.
    pub(crate) fn only_players_call(&self) -> bool {
        self.rules().table != Table::Fide || self.chose(About::Rapid)
    }

    /// True if the opponent gets time when a claim on this ground is refused (9.5.3, III.5).
    pub fn fines(&self, ground: Ground) -> bool {
        match ground {
            Ground::Repetition | Ground::FiftyMoves => true,
            Ground::NormalMeans => self.guideline == Some(Guideline::NormalMeans),
            Ground::AdditionalTime => false,
        }
    }

    /// The number of the completed illegal move with which a player loses, counted from 1; none if no number does.
    pub fn illegal_loses(&self) -> Option<u32> {
        if self.chose(About::IllegalMoves) { Some(2) } else { self.rules().illegal_loses }
    }

    /// True if 75 moves end the game by themselves.
    pub fn seventy_five(&self) -> bool {
        self.rules().seventy_five || self.chose(About::SeventyFive)
    }

    /// The edition of the rules.
    pub const fn edition(&self) -> &'static str {
        self.rules().edition
    }
}

impl fmt::Display for Rulebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.profile.name())?;
        if let Some(guideline) = self.guideline {
            write!(f, "+{}", guideline.name())?;
        }
        for (index, option) in self.rules().options.iter().enumerate() {
            if self.chosen & (1 << index) != 0 {
                write!(f, "+{}", option.other)?;
            }
        }
        Ok(())
    }
}

const GUIDELINES: [Guideline; 2] = [Guideline::AdditionalTime, Guideline::NormalMeans];

/// The largest number of characters that are compared of a name. A longer name cannot be a typing error.
const LONGEST: usize = 48;

/// The valid name that needs the fewest changes of letters.
fn nearest(name: &str, valid: &mut dyn Iterator<Item = &'static str>) -> &'static str {
    valid.min_by_key(|candidate| distance(name, candidate)).unwrap_or_default()
}

fn distance(one: &str, other: &str) -> usize {
    let other: alloc::vec::Vec<char> = other.chars().take(LONGEST).collect();
    let mut row: alloc::vec::Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().take(LONGEST).enumerate() {
        let mut corner = core::mem::replace(&mut row[0], index + 1);
        for (at, known) in other.iter().enumerate() {
            let change = corner + usize::from(letter != *known);
            corner = row[at + 1];
            row[at + 1] = change.min(row[at] + 1).min(corner + 1);
        }
    }
    row[other.len()]
}
