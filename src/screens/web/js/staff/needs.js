// The list of boards that want somebody. Nothing in it is ever moved under a finger: what is new comes last, what is closed stays grey for a while.
import { ageOf, utcOf } from './journal-time.js';
import { alarmOf } from './words.js';

/** Alarms of one node that open within this time have one cause, milliseconds. */
const TOGETHER = 10_000;

/** How long a row that was closed stays, milliseconds. */
export const STAYS = 5000;

/**
 * @typedef {object} Need
 * @property {string} key
 * @property {'alarm'|'claim'} what
 * @property {import('./model.js').Board} board the first of the boards
 * @property {import('./model.js').Board[]} boards several for one cause at one node
 * @property {import('../../messages').AlertBody|null} alert
 * @property {string} node
 * @property {boolean} device about a device or program, not about a game
 * @property {number|null} since milliseconds of this device
 * @property {boolean} about `since` is an estimate
 * @property {boolean} old it was there before this page looked
 * @property {number|null} closed when it was closed, milliseconds of this device
 */

/**
 * Takes these needs as those of the page: its list, how many are open, and when the last new one came, for the lock screen.
 * @param {import('./app.js').App} app @param {Need[]} open
 */
export function followNeeds(app, open) {
  const now = app.now();
  const before = new Set((app.ui.needs ?? []).filter((/** @type {Need} */ need) => !need.closed).map((/** @type {Need} */ need) => need.key));
  app.ui.needs = nextNeeds(app.ui.needs ?? [], open, now);
  // What was there when the page opened is not news; what came while there was no connection is.
  if (open.some((need) => !before.has(need.key) && (!need.old || app.model.connection > 1))) app.ui.newNeedAt = now;
  app.ui.open = app.session ? app.ui.needs.filter((/** @type {Need} */ need) => !need.closed).length : 0;
}

/** Alarms that are still to be dealt with. @param {import('../../messages').AlertBody} alert */
export const isOpen = (alert) => alert.status === 'open' || alert.status === 'corrected_on_board';

/**
 * The finding of a ruling on which nobody has decided; null if there is none.
 * @param {import('./model.js').Board} board
 * @returns {(import('../../messages').Finding & {screen?: import('../../messages').Screen|null})|null}
 */
export function openFinding(board) {
  const finding = findingOf(board);
  return finding && !finding.decision && finding.status === 'proposed' ? finding : null;
}

/** The kind of finding on an alarm that no evidence names. @type {Record<string, string>} */
const FOUND_ON = { flag: 'flag_fall', fivefold_repetition: 'move_on_board', seventy_five_moves: 'move_on_board', dead_position: 'move_on_board' };

/** Whether a finding is about an alarm. @param {import('../../messages').Finding} finding @param {import('../../messages').AlertBody} alert */
export const isAbout = (finding, alert) => finding.evidence.includes(`alarm:${alert.id}`) || FOUND_ON[alert.kind] === finding.kind;

/** The finding of a board, decided or not; null if there is none. @param {import('./model.js').Board} board */
export function findingOf(board) {
  const body = board.ruling?.message.body;
  return body && 'position' in body ? body : null;
}

/**
 * The alarms about devices, each with the name of its cause: those of one kind at one node that opened together have one. Closed alarms
 * count too, so that a name does not change when the first of several is closed.
 * @param {import('./model.js').Board[]} boards
 */
function causesOf(boards) {
  const all = boards.flatMap((board) => [...board.alerts.values()].map((slot) => {
    const { body, node } = slot.message;
    return { slot, body, kind: `${body.kind}@${node}`, at: utcOf(body.opened_at, slot.message).getTime(), name: `${board.key}/${body.id}` };
  })).filter(({ body }) => alarmOf(body.kind).device === true);
  all.sort((one, other) => one.kind.localeCompare(other.kind) || one.at - other.at || one.name.localeCompare(other.name));
  let cause = '';
  return new Map(all.map(({ slot, kind, at, name }, index) => {
    const before = all[index - 1];
    if (before?.kind !== kind || at - before.at > TOGETHER) cause = `${kind}/${name}`;
    return [slot, cause];
  }));
}

/**
 * Everything that is open now on these boards.
 * @param {Iterable<import('./model.js').Board>} boards
 * @param {number} now
 * @returns {Need[]}
 */
export function openNeeds(boards, now) {
  /** @type {Map<string, Need>} */
  const found = new Map();
  const all = [...boards];
  const causes = causesOf(all);
  for (const board of all) {
    for (const slot of board.alerts.values()) {
      const { message, retained } = slot;
      const alert = message.body;
      if (alert.class !== 'loud' || !isOpen(alert)) continue;
      const device = alarmOf(alert.kind).device === true;
      const key = causes.get(slot) ?? `${message.game}/${alert.id}`;
      const age = ageOf(board.time, alert.opened_at, message, now);
      const since = age && now - age.ms;
      const other = found.get(key);
      if (other) {
        other.boards.push(board);
        continue;
      }
      found.set(key, {
        key, what: 'alarm', board, boards: [board], alert, node: message.node, device, since, about: age?.about ?? true, old: retained, closed: null,
      });
    }
    const finding = openFinding(board);
    const ruling = board.ruling?.message;
    if (ruling && finding?.kind === 'claim' && finding.claim?.standing === 'lodged') {
      const age = ageOf(board.time, ruling.t.us, ruling, now);
      found.set(`${ruling.game}/claim/${finding.id}`, {
        key: `${ruling.game}/claim/${finding.id}`, what: 'claim', board, boards: [board], alert: null, node: ruling.node, device: false,
        since: age && now - age.ms, about: age?.about ?? true, old: board.ruling?.retained ?? false, closed: null,
      });
    }
  }
  return [...found.values()];
}

/**
 * The list as it is to be shown: the rows of before in their order, then the new ones by age.
 * @param {Need[]} shown
 * @param {Need[]} open
 * @param {number} now
 * @returns {Need[]}
 */
export function nextNeeds(shown, open, now) {
  const byKey = new Map(open.map((need) => [need.key, need]));
  const kept = shown.flatMap((row) => {
    const need = byKey.get(row.key);
    byKey.delete(row.key);
    if (need) return [need];
    const closed = row.closed ?? now;
    return now - closed < STAYS ? [{ ...row, closed }] : [];
  });
  const byAge = (/** @type {Need} */ one, /** @type {Need} */ other) => (one.since ?? now) - (other.since ?? now);
  const fresh = [...byKey.values()].sort(byAge);
  // What the broker had kept arrives in any order while the page opens; nobody has a finger on it yet.
  return fresh.some((need) => need.old) ? [...kept, ...fresh].sort(byAge) : [...kept, ...fresh];
}
