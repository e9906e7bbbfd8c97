//! Asks lichess whether a token may write broadcasts. Neither the token nor the answer, in which it stands, is in any text that is returned.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::client::{Client, Fault, Method};
use crate::config;

/// The right that a push needs.
const WRITE: &str = "study:write";

/// What lichess knows of a token.
#[derive(Deserialize)]
struct Known {
    #[serde(rename = "userId")]
    user: String,
    /// The rights, with commas between them.
    scopes: String,
}

/// Asks lichess at `url` about the token in a file. Returns the account.
///
/// # Errors
/// The file cannot be used, lichess cannot be reached, or the token is not known or may not write: a sentence that says what to do.
pub fn test_token(url: &str, file: &Path) -> Result<String, String> {
    let advice = format!(
        "Make a token with the right {WRITE} in the account that owns the broadcast, and write it to {}.",
        file.display()
    );
    let token = config::password(file)
        .map_err(|why| format!("The file {} {}.", file.display(), why.replace("the password", "the token")))?;
    let mut client = Client::new(url.trim_end_matches('/').to_owned(), file.to_owned());
    let reply = client.request(Method::Post, "/api/token/test", &token).map_err(|fault| match fault {
        Fault::Token(why) => why,
        Fault::Network(why) => why.trim_end_matches(" It is tried again.").to_owned(),
    })?;
    match reply.status {
        200 => {}
        401 => return Err(format!("lichess does not know the token. {advice}")),
        status => return Err(format!("lichess answered {status} when it was asked about the token. Try it again later.")),
    }
    // The error of the parser could show a part of the answer.
    let answer: BTreeMap<String, Option<Known>> = serde_json::from_str(&reply.text)
        .map_err(|_| "lichess answered something about the token that is not known.".to_owned())?;
    let Some(Some(known)) = answer.get(&token) else { return Err(format!("lichess does not know the token. {advice}")) };
    let account: String =
        known.user.chars().filter(|char| char.is_ascii_alphanumeric() || "_-".contains(*char)).take(40).collect();
    match known.scopes.split(',').any(|scope| scope.trim() == WRITE) {
        true => Ok(account),
        false => Err(format!("The token of {account} may not write broadcasts. {advice}")),
    }
}
