// Who is logged in on this tab. What is kept until the tab closes has neither the password nor the PIN, and nothing is ever in an address or
// a title.

import { setPin } from '../common/token.js';

const KEY = 'flagfall-staff';
/** How many wrong PINs end the session. */
export const TRIES = 5;

/**
 * @typedef {object} Session
 * @property {string} user
 * @property {string} password '' on a page that was loaded again: the token stands for it
 * @property {string} token '' without a relay: then nothing is kept
 * @property {string} pin '' on a page that was loaded again: the server has it
 * @property {number} digits how many the PIN has
 * @property {boolean} locked
 * @property {number} wrong how many wrong PINs were typed
 */

/** @returns {Session|null} */
export function readSession() {
  try {
    const session = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    if (typeof session?.token === 'string') return { ...session, password: '', pin: '' };
    // Former versions kept the password.
    sessionStorage.removeItem(KEY);
    return null;
  } catch {
    return null;
  }
}

/** @param {Session|null} session */
export function writeSession(session) {
  try {
    if (session?.token) sessionStorage.setItem(KEY, JSON.stringify({ ...session, password: undefined, pin: undefined }));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage the login lasts until the page is left.
  }
}

/** Keeps a login that the broker has accepted. @param {Session|null} session @param {string} [token] a new one, from the relay */
export function keepSession(session, token) {
  if (session && token) {
    session.token = token;
    setPin(token, session.pin);
  }
  writeSession(session);
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
