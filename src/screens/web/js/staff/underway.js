// Commands of other users that are under way, so that two arbiters do not decide the same thing at the same moment.
import { ANSWER_WITHIN } from './command.js';

/** @typedef {{id: string, user: string, verb: string, arrived: number}} Underway */

/** More commands of one board than this are never under way: the oldest are forgotten. */
const MOST = 20;
/** What the program asks for by itself. */
const BY_ITSELF = ['resync'];

/**
 * Notes a command on its way to the node. Returns whether it changes what is shown.
 * @param {import('./model.js').Board} board
 * @param {string} user
 * @param {string} verb
 * @param {any} message
 * @param {number} arrived
 */
export function noteCommand(board, user, verb, message, arrived) {
  const id = message?.id;
  if (typeof id !== 'string' || id.length > 100 || BY_ITSELF.includes(verb)) return false;
  board.underway.delete(id);
  board.underway.set(id, { id, user, verb, arrived });
  const [oldest] = board.underway.keys();
  if (board.underway.size > MOST) board.underway.delete(oldest);
  return true;
}

/** The record says what became of a command. @param {import('./model.js').Board} board @param {any} body of an event of the record */
export function noteCarriedOut(board, body) {
  if (body.what === 'command') board.underway.delete(body.id);
}

/**
 * What other users are doing on a board now. A command that nobody answers expires at the broker.
 * @param {import('./model.js').Board} board
 * @param {string} me
 * @param {number} now
 * @returns {Underway[]}
 */
export const othersUnderway = (board, me, now) =>
  [...board.underway.values()].filter(({ user, arrived }) => user !== me && now - arrived < ANSWER_WITHIN);
