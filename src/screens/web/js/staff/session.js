// Who is logged in on this tab, and the PIN of the lock screen. It is kept until the tab closes, never in an address or a title.

const KEY = 'flagfall-staff';
/** How many wrong PINs end the session. */
export const TRIES = 5;

/** @typedef {{user: string, password: string, pin: string, locked: boolean, wrong: number}} Session */

/** @returns {Session|null} */
export function readSession() {
  try {
    const session = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return session && typeof session.user === 'string' && typeof session.password === 'string' ? session : null;
  } catch {
    return null;
  }
}

/** @param {Session|null} session */
export function writeSession(session) {
  try {
    if (session) sessionStorage.setItem(KEY, JSON.stringify(session));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage the login lasts until the page is left.
  }
}

/** A setting of this device, such as the theme. @param {string} name @param {string} otherwise */
export function readSetting(name, otherwise) {
  try {
    return localStorage.getItem(`flagfall-${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** @param {string} name @param {string} value */
export function writeSetting(name, value) {
  try {
    localStorage.setItem(`flagfall-${name}`, value);
  } catch {
    // The setting holds until the page is left.
  }
}
