use super::*;

fn token(tokens: &Arc<Tokens>, user: &str) -> String {
    tokens.add(user, &format!("secret of {user}"), MonotonicTime(0)).expect("a token").token().to_owned()
}

#[test]
fn a_token_stands_for_its_user_alone_until_it_is_revoked() {
    let tokens = Arc::<Tokens>::default();
    let annas = token(&tokens, "anna");
    assert!(is_token(&annas) && !annas.contains("secret") && annas.len() == PREFIX.len() + 2 * LENGTH);
    assert_ne!(token(&tokens, "anna"), annas);
    let password = |user| tokens.password(&annas, user, MonotonicTime(0)).map(|(password, _)| password);
    assert_eq!(password("anna").as_deref(), Some("secret of anna"));
    assert_eq!(password("ben"), None);
    tokens.revoke_users(&["ben".to_owned()]);
    assert!(password("anna").is_some());
    tokens.revoke_users(&["anna".to_owned()]);
    assert!(password("anna").is_none() && tokens.lock().is_empty());
    tokens.revoke(&token(&tokens, "anna"));
    assert!(tokens.lock().is_empty());
}

#[test]
fn invented_users_have_few_tokens() {
    let tokens = Arc::<Tokens>::default();
    let all: Vec<Use> =
        (0..MOST + 100).filter_map(|user| tokens.add(&user.to_string(), "", MonotonicTime(user as u64))).collect();
    assert_eq!((all.len(), tokens.lock().len()), (MOST + 100, MOST));
    assert!(!tokens.lock().contains_key(&all[99].token) && tokens.lock().contains_key(&all[100].token), "the oldest make room");
}

#[test]
fn five_wrong_pins_revoke_a_token_and_the_right_one_is_never_given_back() {
    let tokens = Arc::<Tokens>::default();
    let token = token(&tokens, "anna");
    assert_eq!(tokens.try_pin(&token, "4711"), Some(false), "none is set");
    assert!(!tokens.set_pin(&token, "") && !tokens.set_pin(&token, "123456789") && tokens.set_pin(&token, "4711"));
    assert!(!tokens.set_pin(&token, "0000"), "whoever finds the token sets no other PIN");
    assert_eq!(tokens.try_pin(&token, "4711"), Some(true));
    let tries = [(); 5].map(|()| tokens.try_pin(&token, "0000"));
    assert_eq!(tries, [Some(false), Some(false), Some(false), Some(false), None]);
    assert_eq!(tokens.try_pin(&token, "4711"), None);
}

#[test]
fn tokens_end_and_are_bounded_for_each_user() {
    let tokens = Arc::<Tokens>::default();
    let add = |user, second| tokens.add(user, "secret", MonotonicTime(0).after(Duration::from_secs(second))).expect("a token");
    let (ben, annas) = (add("ben", 0), (1..=70).map(|second| add("anna", second)).collect::<Vec<_>>());
    let is_held = |one: &Use| tokens.lock().contains_key(&one.token);
    assert!(is_held(&ben), "anna's tokens push out anna's");
    assert_eq!(annas.iter().map(is_held).collect::<Vec<_>>(), (0..70).map(|number| number >= 6).collect::<Vec<_>>());
    drop(annas);
    let later = || drop(tokens.living(system_clock::monotonic().after(LIFETIME)));
    assert!(tokens.lock().len() > 1);
    later();
    assert_eq!(tokens.lock().keys().collect::<Vec<_>>(), [&ben.token], "a token lives as long as its connection");
    drop(ben);
    later();
    assert!(tokens.lock().is_empty());
}
