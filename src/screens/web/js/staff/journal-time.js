// Translates times of a journal and of a node's clock into times of this device, and back.

/** @typedef {{offset: number|null, utcLag: number|null, boot: number|null}} JournalTime `offset`, `utcLag`: milliseconds */

/** @returns {JournalTime} */
export const newTime = () => ({ offset: null, utcLag: null, boot: null });

/**
 * Takes a message that was not retained. The smallest distance is the truest: everything that delays a message makes it larger.
 * @param {JournalTime} time
 * @param {any} message
 * @param {number} arrived
 */
export function hear(time, message, arrived) {
  if (!message.t) return;
  // While the node was down, its journal stood still.
  if (time.boot !== null && message.boot > time.boot) time.offset = null;
  if (time.boot === null || message.boot > time.boot) time.boot = message.boot;
  const offset = arrived - message.t.us / 1000;
  if (time.offset === null || offset < time.offset) time.offset = offset;
  const utc = Date.parse(message.t.utc);
  if (Number.isFinite(utc) && (time.utcLag === null || arrived - utc < time.utcLag)) time.utcLag = arrived - utc;
}

/**
 * The time of this device at a time of the journal, and whether it is only an estimate. `message` is any message of that journal.
 * @param {JournalTime} time
 * @param {number} us
 * @param {{t: {us: number, utc: string}}|null|undefined} message
 * @returns {{at: number, about: boolean}|null}
 */
export function deviceTime(time, us, message) {
  if (time.offset !== null) return { at: us / 1000 + time.offset, about: false };
  const utc = message ? Date.parse(message.t.utc) : NaN;
  if (!message || !Number.isFinite(utc)) return null;
  return { at: utc - (message.t.us - us) / 1000, about: true };
}

/**
 * How long ago that was, milliseconds.
 * @param {JournalTime} time
 * @param {number} us
 * @param {{t: {us: number, utc: string}}|null|undefined} message
 * @param {number} now
 */
export function ageOf(time, us, message, now) {
  const found = deviceTime(time, us, message);
  return found && { ms: Math.max(0, now - found.at), about: found.about };
}

/**
 * The time for people at a time of the journal, as the node has it.
 * @param {number} us
 * @param {{t: {us: number, utc: string}}} message
 */
export const utcOf = (us, message) => new Date(Date.parse(message.t.utc) + (us - message.t.us) / 1000);

/**
 * What the node's clock shows now. Without a fresh message it is this device's clock.
 * @param {JournalTime|null|undefined} time
 * @param {number} now
 */
export const nodeNow = (time, now) => new Date(now - (time?.utcLag ?? 0));

/**
 * By how much this device's clock is ahead of the node's, milliseconds; null if nothing fresh came.
 * @param {JournalTime|null|undefined} time
 */
export const clockError = (time) => time?.utcLag ?? null;
