// The token of a page that has logged in at the relay of its own server. The server keeps the password and the PIN for it, in memory; the
// page stores the token and nothing that gives either of them back.

/** The user property in which the relay gives a page its token. */
const TOKEN = 'flagfall-token';

/** The token in the answer to a login. @param {any} connack @returns {string|undefined} */
export const givenToken = (connack) => connack.properties?.userProperties?.[TOKEN];

/** @param {'PUT'|'POST'|'DELETE'} method @param {string} token @param {string} [pin] @returns {Promise<number>} the status, 0 for no answer */
async function ask(method, token, pin) {
  const headers = { authorization: `Bearer ${token}`, ...(pin ? { 'flagfall-pin': pin } : {}) };
  try {
    return (await fetch(new URL('../../session', import.meta.url), { method, headers, cache: 'no-store', keepalive: true })).status;
  } catch {
    return 0;
  }
}

/** Sets the PIN that opens the lock screen of this login. @param {string} token @param {string} pin */
export const setPin = (token, pin) => ask('PUT', token, pin);

/** @param {string} token @param {string} pin @returns {Promise<'right'|'wrong'|'ended'|'unanswered'>} `ended`: log in again */
export async function tryPin(token, pin) {
  const status = await ask('POST', token, pin);
  return status === 204 ? 'right' : status === 403 ? 'wrong' : status === 401 ? 'ended' : 'unanswered';
}

/** Nobody can log in with it any more. @param {string} [token] */
export const endToken = (token) => token && ask('DELETE', token);
