// What this user may do, as the nodes publish it. The daemon decides; a page only leaves out buttons that would be refused.
import { nodeOf } from './live.js';

/** @typedef {import('../../messages').Role} Role */

/** @type {Record<string, Role>} The least role of each verb (src/arbiter/verbs.rs). */
const LEAST = {
  resync: 'operator', 'bind-device': 'operator', 'start-game': 'operator', 'correct-move': 'operator', 'take-back': 'operator',
  'set-position': 'operator', 'swap-sides': 'operator',
};
/** The organiser's desk enters results from its own program, and nothing on these pages. */
const RANK = { organiser: 0, operator: 1, arbiter: 2, chief: 3 };

/**
 * The role of a user on a board; null without one.
 * @param {import('./model.js').Model} model
 * @param {string} user
 * @param {import('./model.js').Board} board
 * @returns {Role|null}
 */
export function roleOn(model, user, board) {
  const given = nodeOf(model, board)?.info?.message.body.roles?.[user];
  if (!given) return null;
  if (given.role === 'chief') return 'chief';
  return !given.boards || given.boards.includes(board.id) ? given.role : null;
}

/**
 * The highest role of a user anywhere; null without one.
 * @param {import('./model.js').Model} model
 * @param {string} user
 * @returns {Role|null}
 */
export function bestRole(model, user) {
  const roles = [...model.nodes.values()].map((node) => node.info?.message.body.roles?.[user]?.role ?? null);
  return roles.reduce((best, role) => (role && (!best || RANK[role] > RANK[best]) ? role : best), /** @type {Role|null} */ (null));
}

/** Whether a role may send a verb at all. @param {Role|null} role @param {string} verb */
export const maySend = (role, verb) => role !== null && RANK[role] >= RANK[LEAST[verb] ?? 'arbiter'];

/**
 * Whether the alarms of this board concern the user: the boards of the role, and all boards for a user without any role.
 * @param {import('./model.js').Model} model
 * @param {string} user
 * @param {import('./model.js').Board} board
 */
export const isMine = (model, user, board) => bestRole(model, user) === null || roleOn(model, user, board) !== null;
