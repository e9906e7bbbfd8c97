// Holds what the messages say: boards, nodes and devices. It draws nothing and decides nothing.
import { completeSlot, keepPart } from '../common/parts.js';
import { isReadable } from './shapes.js';
import { addEvent, newSeries } from './events.js';
import { hear, newTime } from './journal-time.js';
import { noteCarriedOut, noteCommand } from './underway.js';

/**
 * @typedef {import('../../messages').BoardStateLiveMessage} LiveMessage
 * @typedef {import('../../messages').BoardStateArbiterMessage} StateMessage
 * @typedef {import('../../messages').BoardClockMessage} ClockMessage
 * @typedef {import('../../messages').BoardAlertMessage} AlertMessage
 * @typedef {import('../../messages').BoardRulingMessage} RulingMessage
 * @typedef {import('../../messages').NodeStatusMessage} NodeStatusMessage
 * @typedef {import('../../messages').NodeInfoMessage} NodeInfoMessage
 * @typedef {import('../../messages').NodeHealthMessage} NodeHealthMessage
 * @typedef {import('../../messages').DeviceStatusMessage} DeviceMessage
 */
/**
 * A retained message, and by which connection of this page it came.
 * @template T
 * @typedef {{message: T, arrived: number, retained: boolean, connection: number}} Slot
 */
/**
 * @typedef {object} Board
 * @property {string} key `<event>/<round>/<board>`
 * @property {string} event
 * @property {string} round
 * @property {string} id
 * @property {Slot<LiveMessage>|null} live
 * @property {Slot<ClockMessage>|null} clock
 * @property {Slot<StateMessage>|null} state with the moves of the parts
 * @property {import('../common/parts.js').Parts} parts of the arbiters' state
 * @property {Slot<RulingMessage>|null} ruling
 * @property {Map<string, Slot<AlertMessage>>} alerts by their number
 * @property {import('./events.js').Series} record
 * @property {Map<string, import('./underway.js').Underway>} underway commands on their way, by id
 * @property {import('./journal-time.js').JournalTime} time
 * @property {number} version counts what changed
 * @property {number} heard the last message that was not retained, or when the board was first seen
 */
/**
 * @typedef {object} StaffNode
 * @property {string} name
 * @property {Slot<NodeStatusMessage>|null} status
 * @property {Slot<NodeInfoMessage>|null} info
 * @property {Slot<NodeHealthMessage>|null} health
 * @property {import('./journal-time.js').JournalTime} time
 */
/**
 * @typedef {object} Model
 * @property {Map<string, Board>} boards
 * @property {Map<string, StaffNode>} nodes
 * @property {Map<string, Slot<DeviceMessage>>} devices
 * @property {string} title the event's name, where the organiser has published one
 * @property {number} version counts what changed about nodes and devices
 * @property {number} connection counts the connections of this page
 * @property {number} notUnderstood
 * @property {string} lastNotUnderstood its topic
 */

/** @returns {Model} */
export const newModel = () =>
  ({ boards: new Map(), nodes: new Map(), devices: new Map(), title: '', version: 0, connection: 1, notUnderstood: 0, lastNotUnderstood: '' });

/** @param {Model} model @param {string} event @param {string} round @param {string} id @param {number} now @returns {Board} */
function boardOf(model, event, round, id, now) {
  const key = `${event}/${round}/${id}`;
  let board = model.boards.get(key);
  if (!board) {
    board = {
      key, event, round, id, live: null, clock: null, state: null, parts: new Map(), ruling: null, alerts: new Map(), record: newSeries(),
      underway: new Map(), time: newTime(), version: 0, heard: now,
    };
    model.boards.set(key, board);
  }
  return board;
}

/** @param {Model} model @param {string} name @returns {StaffNode} */
function nodeOf(model, name) {
  let node = model.nodes.get(name);
  if (!node) model.nodes.set(name, node = { name, status: null, info: null, health: null, time: newTime() });
  return node;
}

/** True for a message that is older than what is held. @param {Slot<any>|null|undefined} slot @param {any} message */
function isOlder(slot, message) {
  const held = slot?.message;
  if (!held || held.game !== message.game) return false;
  return message.boot < held.boot || (message.boot === held.boot && message.rev < held.rev);
}

/** @typedef {{kind: string, board: Board|null}} Change */

/**
 * Takes one message. Returns what it changed; null for a message that changes nothing.
 * @param {Model} model
 * @param {string} topic without the root
 * @param {any} message null deletes
 * @param {{retained: boolean, arrived: number}} how
 * @returns {Change|null}
 */
export function applyMessage(model, topic, message, how) {
  const change = take(model, topic, message, how);
  if (change?.board) change.board.version += 1;
  else if (change) model.version += 1;
  return change;
}

/** @param {Model} model @param {string} topic @param {any} message @param {{retained: boolean, arrived: number}} how @returns {Change|null} */
function take(model, topic, message, { retained, arrived }) {
  const [branch, ...path] = topic.split('/');
  const slot = { message, arrived, retained, connection: model.connection };
  /** @param {string} kind */
  const unreadable = (kind) => {
    if (message === null || isReadable(kind, message)) return false;
    noteNotUnderstood(model, topic);
    return true;
  };
  if (branch === 'node' && path.length >= 2) {
    const [name, what] = path;
    if (unreadable(`node.${what}`)) return null;
    const node = nodeOf(model, name);
    if (what === 'status') {
      // The will of an earlier run says nothing about this one.
      if (message && node.status && message.boot < node.status.message.boot) return null;
      node.status = message && slot;
    } else if (what === 'info' || what === 'health') {
      node[what] = message && slot;
    }
    if (message?.t && !retained) hear(node.time, message, arrived);
    return { kind: 'node', board: null };
  }
  if (branch === 'device' && path[1] === 'status') {
    if (unreadable('device.status')) return null;
    if (message) model.devices.set(path[0], slot);
    else model.devices.delete(path[0]);
    return { kind: 'device', board: null };
  }
  if (branch === 'meta' && path.length === 1) {
    if (unreadable('meta.event')) return null;
    model.title = message ? message.body.name : '';
    return { kind: 'meta', board: null };
  }
  if (branch === 'cmd' && path.length === 5) {
    const [user, event, round, id, verb] = path;
    const board = model.boards.get(`${event}/${round}/${id}`);
    return board && noteCommand(board, user, verb, message, arrived) ? { kind: 'command', board } : null;
  }
  if (path.length < 4) return null;
  return applyBoard(model, branch, path, slot, unreadable);
}

/**
 * @param {Model} model
 * @param {string} audience
 * @param {string[]} path
 * @param {Slot<any>} slot
 * @param {(kind: string) => boolean} unreadable
 * @returns {Change|null}
 */
function applyBoard(model, audience, [event, round, id, what, number], slot, unreadable) {
  const { message, retained, arrived } = slot;
  const type = what === 'alert' ? 'board.alert' : `board.${what}`;
  if (unreadable(`${audience} ${type}`)) return null;
  if (!message && !model.boards.has(`${event}/${round}/${id}`)) return null;
  const board = boardOf(model, event, round, id, arrived);
  if (message && !retained) {
    board.heard = arrived;
    hear(board.time, message, arrived);
  }
  if (what === 'alert') {
    if (message && isOlder(board.alerts.get(number), message)) return null;
    if (message) board.alerts.set(number, slot);
    else board.alerts.delete(number);
    return { kind: 'alert', board };
  }
  if (what === 'move' || what === 'audit') {
    if (message && what === 'audit') noteCarriedOut(board, message.body);
    return message && addEvent(board.record, message, what) ? { kind: what, board } : null;
  }
  if (what === 'moves') {
    if (audience !== 'arbiter' || !keepPart(board.parts, number, message && message.body)) return null;
    return completeSlot(board.parts, board.state) ? { kind: 'state', board } : null;
  }
  const field = audience === 'live' && what === 'state' ? 'live' : what;
  if (field !== 'live' && field !== 'clock' && field !== 'state' && field !== 'ruling') return null;
  if (message && isOlder(board[field], message)) return null;
  board[field] = message && slot;
  if (field === 'state') completeSlot(board.parts, board.state);
  return { kind: field, board };
}

/** Counts a message that could not be used. @param {Model} model @param {string} topic */
export function noteNotUnderstood(model, topic) {
  model.notUnderstood += 1;
  model.lastNotUnderstood = topic;
}
