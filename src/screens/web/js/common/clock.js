// What a chess clock on a page shows. Touches no DOM.
//
// For people in the hall a time is shown as it was read: a page that counts down by itself and reaches 0:00 has invented a flag. For
// the public, whose times come every ten seconds, the page counts down, but only for a short while and never to zero.

/** How long a running time counts as fresh for people in the hall, milliseconds. */
export const FRESH_MS = 5000;
/** For how long the page counts down for the public, milliseconds: the next reading comes after ten seconds. */
export const COUNTDOWN_MS = 12000;
/** Where counting down stops, milliseconds. */
const LAST_SECOND_MS = 1000;
/** What stands for a time that is not known. */
export const NO_TIME = '–:––';

/**
 * A reading of a chess clock: the clock block of a message, and when it was read.
 * @typedef {object} Reading
 * @property {number|null} white_ms
 * @property {number|null} black_ms
 * @property {'white'|'black'|null} running
 * @property {number} [resolution_ms]
 * @property {number} at when the clock was read, milliseconds by the clock of this device (`Date.now()`)
 * @property {boolean} [about] `at` comes from UTC times and can be wrong by the difference of two machines' clocks
 * @property {boolean} [retained] the message was kept by the broker, so nobody knows how far the clock has run since
 * @property {number} [stoppedAt] since when what is shown is out of date, by the clock of this device; 0 or missing while it is not. Nothing
 *   is counted down from then on
 */

/**
 * The text of a time: `1:02:11` from an hour on, `48:00` and `0:07` below.
 * @param {number|null|undefined} ms milliseconds
 */
export function formatTime(ms) {
  if (typeof ms !== 'number' || !Number.isFinite(ms)) return NO_TIME;
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = value => String(value).padStart(2, '0');
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/**
 * The two times as a page shows them now.
 * @param {Reading|null} reading
 * @param {number} now milliseconds, `Date.now()`
 * @param {'public'|'live'|'staff'} audience only `public` is counted down
 * @returns {{white: {text: string, ms: number|null, stale: boolean}, black: {text: string, ms: number|null, stale: boolean},
 *   running: 'white'|'black'|null, age: number, about: boolean}} `age` of the reading in milliseconds; `about`: the age is uncertain
 */
export function shownClock(reading, now, audience) {
  const running = reading?.running ?? null;
  const age = reading ? Math.max(0, now - reading.at) : 0;
  const ran = reading ? Math.max(0, Math.min(now, reading.stoppedAt || now) - reading.at) : 0;
  const stale = running !== null && age > (audience === 'public' ? COUNTDOWN_MS : FRESH_MS);
  const side = colour => {
    const read = reading?.[colour === 'white' ? 'white_ms' : 'black_ms'] ?? null;
    const counts = audience === 'public' && colour === running && !reading?.retained;
    const ms = counts && read !== null ? countedDown(read, ran) : read;
    return { text: formatTime(ms), ms, stale };
  };
  return { white: side('white'), black: side('black'), running, age, about: Boolean(reading?.about) };
}

/** A time after so many more milliseconds; a time that was read below a second stays as read. */
function countedDown(read, ran) {
  if (read <= LAST_SECOND_MS) return read;
  return Math.max(LAST_SECOND_MS, read - Math.min(ran, COUNTDOWN_MS));
}

/**
 * Translates the microseconds of one board's journal to the clock of this device.
 *
 * The smallest distance between the time in a fresh message and its arrival is the distance of the two clocks, up to the fastest
 * transport seen. Until a fresh message came, the UTC of the message has to do, and the answer is marked `about`.
 * @returns {{hear(t: {us: number, utc?: string}|undefined, arrived: number, retained: boolean): void,
 *   localTime(us: number): {ms: number, about: boolean}|null, reset(): void}}
 */
export function journalClock() {
  let fresh = Infinity;
  let guessed = Infinity;
  return {
    hear(t, arrived, retained) {
      if (!t || !Number.isFinite(t.us)) return;
      if (!retained) fresh = Math.min(fresh, arrived - t.us / 1000);
      const utc = Date.parse(t.utc ?? '');
      if (Number.isFinite(utc)) guessed = utc - t.us / 1000;
    },
    localTime(us) {
      const offset = Number.isFinite(fresh) ? fresh : guessed;
      return Number.isFinite(offset) ? { ms: us / 1000 + offset, about: !Number.isFinite(fresh) } : null;
    },
    reset() {
      fresh = Infinity;
      guessed = Infinity;
    },
  };
}
