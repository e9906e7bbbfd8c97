// What a tile of the hall says about a board: one word, one sign, never colour alone. Silent alarms are not in it: an arbiter who
// walks over would tip off a player (Article 12.6).
import { ageText, moveText, timeOfDay } from '../common/format.js';
import { ageOf, utcOf } from './journal-time.js';
import { isLive, livenessOf } from './live.js';
import { isOpen, openFinding } from './needs.js';
import { isWorkedOut } from './said.js';
import { alarmOf, alarmTitle, outcomeWords, resultSign } from './words.js';

/**
 * @typedef {'loud'|'device'|'ruling'|'decided'|'finished'|'dead'|'quiet'|'playing'|'ready'|'waiting'} TileKind
 * @typedef {object} Tile
 * @property {TileKind} kind
 * @property {string} sign
 * @property {string} word
 * @property {string} foot the line at the bottom
 * @property {string} result large
 * @property {boolean} live whether the times and moves are present
 * @property {'needs'|'playing'|'ready'|'finished'|'dead'} group
 * @property {import('../../messages').AlertBody} [alert] the alarm that it names
 */

/** The decision that stands; null if there is none. @param {import('./model.js').Board} board */
export const decisionOf = (board) => board.ruling?.message.body.decision ?? null;

/** Who decided, and at what time of the day. @param {import('./model.js').Board} board */
export function decidedBy(board) {
  const decision = decisionOf(board);
  const message = board.ruling?.message;
  if (!decision || !message) return '';
  return `${decision.by ?? 'somebody'} ${timeOfDay(utcOf(decision.at, message).getTime())}`;
}

/** The last live move with its number. @param {import('./model.js').Board} board */
export function lastMove(board) {
  const body = board.live?.message.body;
  return body ? moveText(body.moves.at(-1), body.initial_fen, body.moves_from ?? 1) : '';
}

/**
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Board} board
 * @param {number} now
 * @returns {Tile}
 */
export function tileOf(model, board, now) {
  const live = livenessOf(model, board, now);
  const body = board.live?.message.body;
  const present = isLive(live);
  const decision = decisionOf(board);
  const result = body?.result ?? (decision && decision.result !== '*' ? decision.result : null);
  const foot = lastMove(board);
  const loud = [...board.alerts.values()].map((slot) => slot.message).filter(({ body: alert }) => alert.class === 'loud' && isOpen(alert));
  if (loud.length) {
    loud.sort((one, other) => one.body.opened_at - other.body.opened_at);
    const isDevice = (/** @type {{body: {kind: string}}} */ alarm) => alarmOf(alarm.body.kind).device === true;
    const flag = loud.find(({ body: alert }) => alert.kind === 'flag') ?? loud.find((alarm) => !isDevice(alarm)) ?? loud[0];
    const age = ageOf(board.time, flag.body.opened_at, flag, now);
    return {
      kind: isDevice(flag) ? 'device' : 'loud', sign: flag.body.kind === 'flag' ? '⚑' : '!', word: alarmTitle(flag.body), group: 'needs', live: present, result: '', alert: flag.body,
      foot: age ? `${age.about ? '≈ ' : ''}${ageText(age.ms)}${loud.length > 1 ? ` · ${loud.length - 1} more` : ''}` : '',
    };
  }
  const finding = openFinding(board);
  if (finding) return { kind: 'ruling', sign: '§', word: isWorkedOut(finding) ? 'Being worked out' : outcomeWords(finding.outcome), foot, result: '', live: present, group: 'needs' };
  if (!present && live.life !== 'waiting') {
    const since = live.since ? `since ${timeOfDay(live.since)}: ` : '';
    return { kind: 'dead', sign: '▨', word: 'not live', foot: since + live.cause, result: resultSign(result), live: false, group: 'dead' };
  }
  if (live.life === 'quiet') {
    return { kind: 'quiet', sign: '…', word: 'quiet', foot: live.cause, result: resultSign(result), live: false, group: 'dead' };
  }
  if (live.life === 'waiting') return { kind: 'waiting', sign: '', word: 'waiting', foot: live.cause, result: '', live: false, group: 'dead' };
  if (result) {
    const by = decision?.result === result ? decidedBy(board) : '';
    return { kind: by ? 'decided' : 'finished', sign: by ? '✓' : '', word: 'finished', foot: by || foot, result: resultSign(result), live: true, group: 'finished' };
  }
  const begun = (body?.moves.length ?? 0) > 0 || (body?.segments?.length ?? 0) > 0 || Boolean(body?.parts) || Boolean(readClock(board)?.running);
  if (!begun) return { kind: 'ready', sign: '', word: 'set up', foot: '', result: '', live: true, group: 'ready' };
  if (decision?.result === '*') {
    return { kind: 'decided', sign: '✓', word: 'goes on', foot: `${decidedBy(board)}`, result: '', live: true, group: 'playing' };
  }
  return { kind: 'playing', sign: '', word: '', foot, result: '', live: true, group: 'playing' };
}

/** The newer reading of the clock: from its own message or from the state. @param {import('./model.js').Board} board */
export function readClock(board) {
  const [own, state] = [board.clock?.message, board.live?.message];
  if (!own) return state?.body.clock ?? null;
  if (!state || own.game !== state.game) return (state ?? own) === own ? own.body : /** @type {any} */ (state).body.clock;
  return own.body.read_us >= state.body.clock.read_us ? own.body : state.body.clock;
}
