// Says whether a board is live, and if not, since when and why (src/wire/README.md, section 9.4).
import { deviceTime, utcOf } from './journal-time.js';

/** A board of which nothing was heard for this long is quiet: its clock is published every 30 s at the latest. Milliseconds. */
export const QUIET_AFTER = 70_000;

/** @typedef {'live'|'unstable'|'quiet'|'stale'|'parked'|'withheld'|'withdrawn'|'waiting'} Life */
/** @typedef {{life: Life, cause: string, since: number|null}} Liveness `since` in milliseconds of this device, where it is known */

/**
 * The device of a board: the board itself, not a clock on a link of its own.
 * @param {import('./model.js').Model} model
 * @param {string} key `<event>/<round>/<board>`
 * @param {'board'|'clock'} [kind]
 */
export function deviceOf(model, key, kind = 'board') {
  for (const [id, slot] of model.devices) {
    if (slot.message.body.board === key && slot.message.body.kind === kind) return { id, slot };
  }
  return null;
}

/**
 * The node that serves a board: the one that published it, since the broker lets nobody else write there; any node can list a board.
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Board} board
 */
export function nodeOf(model, board) {
  const name = (board.live ?? board.state ?? board.ruling)?.message.node;
  const published = name === undefined ? undefined : model.nodes.get(name);
  return published ?? [...model.nodes.values()].find((node) => lists(node.info?.message.body.boards, board)) ?? null;
}

/** Whether a list of boards in `node.health` names this one. @param {string[]|undefined} list @param {import('./model.js').Board} board */
export const lists = (list, board) => list?.some((one) => one === board.key || one === board.id) ?? false;

/**
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Board} board
 * @param {number} now
 * @returns {Liveness}
 */
export function livenessOf(model, board, now) {
  const node = nodeOf(model, board);
  const state = board.live ?? board.state;
  const status = node?.status;
  /** @param {Life} life @param {string} cause @param {import('./model.js').Slot<any>|null|undefined} slot @returns {Liveness} */
  const found = (life, cause, slot) => ({ life, cause, since: sinceOf(slot, board, state) });
  if (state && 'withdrawn' in state.message.body && state.message.body.withdrawn) {
    return found('withdrawn', 'no node serves it any more', state);
  }
  const healthy = node?.health?.message;
  if (board.alerts.has('0') || (healthy && lists(healthy.body.failed_boards, board))) {
    return found('parked', 'given up, bytes recorded', board.alerts.get('0') ?? node?.health);
  }
  const withholder = [...model.nodes.values()].find((other) => other !== node && lists(other.health?.message.body.withheld_boards, board));
  if (withholder) return found('withheld', `served twice, see ${withholder.name}`, withholder.health);
  if (!status) return state ? found('stale', 'node unknown', state) : { life: 'waiting', cause: 'nothing heard yet', since: null };
  if (status.message.body.state === 'init') return found('stale', 'node is starting', status);
  if (status.message.body.state !== 'ready') return found('stale', `node ${status.message.body.state}`, status);
  if (!state) return { life: 'waiting', cause: 'nothing heard yet', since: null };
  if (status.message.boot < state.message.boot) return found('stale', 'node is starting', status);
  const device = deviceOf(model, board.key);
  if (!device || device.slot.message.boot < state.message.boot) return found('stale', 'board not seen', device?.slot);
  if (device.slot.message.body.state === 'offline') return found('stale', 'board', device.slot);
  if (now - board.heard > QUIET_AFTER) return { life: 'quiet', cause: `no word for ${Math.floor((now - board.heard) / 1000)} s`, since: board.heard };
  if (device.slot.message.body.state === 'unstable') return { life: 'unstable', cause: 'comes and goes', since: null };
  return { life: 'live', cause: '', since: null };
}

/** True while what is shown of a board is present. @param {Liveness} liveness */
export const isLive = (liveness) => liveness.life === 'live' || liveness.life === 'unstable' || liveness.life === 'quiet';

/**
 * When something became so. A will has no time of its own: then the last time of the board counts.
 * @param {import('./model.js').Slot<any>|null|undefined} slot
 * @param {import('./model.js').Board} board
 * @param {import('./model.js').Slot<any>|null} state
 */
function sinceOf(slot, board, state) {
  const message = slot?.message.t ? slot.message : state?.message;
  if (!message?.t) return null;
  if (message === state?.message) return deviceTime(board.time, message.t.us, message)?.at ?? null;
  return utcOf(message.t.us, message).getTime();
}
