// Keeps the events of one board for the record: in their order, without duplicates, with gaps marked.

/** The most events that are kept of one board, and of all boards together. */
export const PER_BOARD = 500;
export const IN_ALL = 2000;

/**
 * @typedef {{no: number, id: string, boot: number, branch: 'move'|'audit', message: any}} Event
 * @typedef {{events: Event[], ids: Set<string>}} Series
 */

/** @returns {Series} */
export const newSeries = () => ({ events: [], ids: new Set() });

/** The boot in which the number was given, `journal:boot:no`. @param {string} id @param {number} otherwise */
function bootOf(id, otherwise) {
  const parts = id.split(':');
  const boot = parts.length === 3 ? Number(parts[1]) : NaN;
  return Number.isInteger(boot) ? boot : otherwise;
}

/**
 * Takes an event. False for one that is there already or that has no number.
 * @param {Series} series
 * @param {any} message
 * @param {'move'|'audit'} branch
 */
export function addEvent(series, message, branch) {
  const { no, id } = message;
  if (!Number.isInteger(no) || typeof id !== 'string' || series.ids.has(id)) return false;
  const event = { no, id, boot: bootOf(id, message.boot), branch, message };
  if (message.body.what === 'restated' && Number.isInteger(message.body.from)) obeyRestated(series, event, message.body.from);
  let place = series.events.length;
  while (place > 0 && isAfter(series.events[place - 1], event)) place -= 1;
  series.events.splice(place, 0, event);
  series.ids.add(id);
  while (series.events.length > PER_BOARD) forgetFirst(series);
  return true;
}

/** @param {Event} one @param {Event} other */
const isAfter = (one, other) => one.no > other.no || (one.no === other.no && one.boot > other.boot);

/** What is held from this number on of another boot, or below the number of `restated`, is void. @param {Series} series @param {Event} restated @param {number} from */
function obeyRestated(series, restated, from) {
  series.events = series.events.filter((event) => {
    const isVoid = event.no >= from && (event.boot !== restated.boot || event.no < restated.no);
    if (isVoid) series.ids.delete(event.id);
    return !isVoid;
  });
}

/** @param {Series} series */
export function forgetFirst(series) {
  const first = series.events.shift();
  if (first) series.ids.delete(first.id);
}

/** How many events are missing before each event, by its id. @param {Series} series @returns {Map<string, number>} */
export function gaps(series) {
  const missing = new Map();
  series.events.forEach((event, index) => {
    const before = index > 0 ? series.events[index - 1].no : 0;
    if (index > 0 && event.no > before + 1) missing.set(event.id, event.no - before - 1);
  });
  return missing;
}

/** The first number that is missing; null if nothing is. @param {Series} series */
export function firstMissing(series) {
  let expected = 1;
  for (const { no } of series.events) {
    if (no > expected) return expected;
    expected = no + 1;
  }
  return null;
}
