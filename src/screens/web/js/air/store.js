// Messages to boards, for the pages that only show. Touches no DOM.
import { journalClock } from '../common/clock.js';
import { keepPart, withParts } from '../common/parts.js';
import { hasBoardHeader, isBoardState, isClock, isMetaEvent, isMovesPart, isNodeStatus } from './check.js';

/** A round of more boards is not shown whole: the bound of what a page keeps. */
const MOST_BOARDS = 1000;

/**
 * @typedef {object} Board
 * @property {string} id
 * @property {any} body the picture, with the moves of the parts, once they have come
 * @property {string} game
 * @property {number} rev
 * @property {number} boot
 * @property {string} node
 * @property {any} clock the last clock block
 * @property {number} clockBoot
 * @property {number} clockAt when it was read by this device's clock, or 0 if only the journal's time is known
 * @property {boolean} clockRetained
 * @property {number} toldAt the time that the last message names, milliseconds since 1970
 * @property {number} stoppedAt since when it is known to be out of date, by this device's clock; 0 while it is not
 * @property {boolean} confirmed false after a new connection, until the board's state came again
 * @property {ReturnType<typeof journalClock>} times
 */

/** @typedef {ReturnType<typeof createStore>} Store */

/** @param {'public'|'live'} audience */
export function createStore(audience) {
  /** @type {Map<string, Map<string, Board>>} by round and board */
  const rounds = new Map();
  /** @type {Map<string, import('../common/parts.js').Parts>} by round and board */
  const parts = new Map();
  /** @type {Map<string, {state: string, boot: number, at: number, confirmed: boolean}>} */
  const nodes = new Map();
  const store = {
    audience,
    /** The event whose boards are shown; set once the server has said it. */
    event: '',
    nodes,
    /** The title, round and delay that the organiser has published. @type {{name: string, round: string, delay: number}|null} */
    meta: null,
    /** The round that is shown. */
    round: '',
    /** When a board was last heard, `Date.now()`; 0 for never. */
    heardAt: 0,
    /** Messages that were not understood. */
    dropped: 0,
    /** The boards of the round that is shown. @returns {Map<string, Board>} */
    boards: () => rounds.get(store.round) ?? new Map(),
    take,
    reading,
    /** After a loss of the connection: what is held may be out of date until it comes again. */
    unconfirm() {
      for (const boards of rounds.values()) boards.forEach(board => (board.confirmed = false));
      nodes.forEach(node => (node.confirmed = false));
    },
    /** Some seconds after subscribing again: what did not come again is no more. */
    removeUnconfirmed() {
      for (const boards of rounds.values()) boards.forEach((board, id) => board.confirmed || boards.delete(id));
      nodes.forEach((node, name) => node.confirmed || nodes.delete(name));
    },
    /** Forgets every round but the one that is shown. */
    forgetOtherRounds() {
      for (const round of rounds.keys()) if (round !== store.round) rounds.delete(round);
      for (const key of parts.keys()) if (!key.startsWith(`${store.round}/`)) parts.delete(key);
    },
  };
  return store;

  /**
   * Takes a message into the model.
   * @returns {{kind: string, round?: string, board?: string}|null} what changed (`state`, `clock`, `node` or `meta`), or null
   */
  function take(topic, message, about) {
    const levels = topic.split('/');
    if (levels[0] === 'node' && levels[2] === 'status') return takeNode(levels[1], message, about);
    if (topic === `meta/${store.event}`) return takeMeta(message);
    if (levels[0] !== audience || levels[1] !== store.event || levels.length !== (levels[4] === 'moves' ? 6 : 5)) return null;
    const [, , round, id, kind, number] = levels;
    const boards = rounds.get(round) ?? new Map();
    rounds.set(round, boards);
    if (kind === 'moves') return takePart(boards, round, id, number, message) ? { kind: 'state', round, board: id } : null;
    if (message === null) return kind === 'state' && boards.delete(id) ? { kind: 'state', round, board: id } : null;
    const fits = kind === 'state' ? isBoardState : kind === 'clock' ? isClock : null;
    if (!fits) return null;
    if (!hasBoardHeader(message) || !fits(message.body)) return drop();
    const changed = kind === 'state' ? takeState(boards, round, id, message, about) : takeClock(boards.get(id), message, about);
    return changed ? { kind, round, board: id } : null;
  }

  function drop() {
    store.dropped += 1;
    return null;
  }

  function takeState(boards, round, id, message, about) {
    const held = boards.get(id);
    const { body, game, rev, boot, node } = message;
    if (held?.game === game && (boot < held.boot || (boot === held.boot && rev < held.rev))) {
      return false;
    }
    if (!held && boards.size >= MOST_BOARDS) return drop();
    const board = held?.game === game ? held : newBoard(id);
    boards.set(id, board);
    // Another start of the node may count its journal's time anew.
    if (boot !== board.boot) board.times.reset();
    board.body = withParts(partsOf(round, id) ?? new Map(), body);
    Object.assign(board, { game, rev, boot, node, confirmed: true });
    heard(board, message, about);
    setClock(board, body.clock, message, about);
    return true;
  }

  /** Whether a part has completed the picture of its board. */
  function takePart(boards, round, id, number, message) {
    const parts = partsOf(round, id);
    const isPart = message === null || isMovesPart(message.body);
    if (!parts || !isPart || !keepPart(parts, number, message && message.body)) return drop();
    const board = boards.get(id);
    if (!board?.body.parts) return false;
    board.body = withParts(parts, board.body);
    return !board.body.parts;
  }

  function partsOf(round, id) {
    const key = `${round}/${id}`;
    const held = parts.get(key);
    if (held || parts.size >= 2 * MOST_BOARDS) return held;
    parts.set(key, new Map());
    return parts.get(key);
  }

  function takeClock(board, message, about) {
    if (!board || board.game !== message.game) return false;
    heard(board, message, about);
    return setClock(board, message.body, message, about);
  }

  function heard(board, message, about) {
    store.heardAt = about.arrived;
    board.times.hear(message.t, about.arrived, about.retained);
    board.toldAt = Date.parse(message.t.utc) || board.toldAt;
  }

  function setClock(board, clock, { boot, t }, { arrived, retained }) {
    if (board.clock && (boot < board.clockBoot || (boot === board.clockBoot && clock.read_us < board.clock.read_us))) return false;
    board.clock = clock;
    board.clockBoot = boot;
    // What the public gets is late by a delay that can change from message to message, so there the arrival counts.
    board.clockAt = audience === 'public' ? arrived - Math.max(0, t.us - clock.read_us) / 1000 : 0;
    board.clockRetained = retained;
    return true;
  }

  /** The board's clock for `shownClock`. @param {Board} board @returns {import('../common/clock.js').Reading|null} */
  function reading(board) {
    if (!board.clock) return null;
    const told = board.clockAt ? { ms: board.clockAt, about: board.clockRetained } : board.times.localTime(board.clock.read_us);
    if (!told) return null;
    return { ...board.clock, at: told.ms, about: told.about, retained: board.clockRetained && told.about, stoppedAt: board.stoppedAt };
  }

  function takeNode(name, message, { arrived, retained }) {
    if (message === null) return nodes.delete(name) ? { kind: 'node' } : null;
    if (!isNodeStatus(message.body) || !Number.isInteger(message.boot)) return drop();
    const held = nodes.get(name);
    if (held?.confirmed && message.boot < held.boot) return null;
    const told = Date.parse(message.t?.utc ?? '');
    const at = retained ? (Number.isFinite(told) ? told : 0) : arrived;
    nodes.set(name, { state: message.body.state, boot: message.boot, at, confirmed: true });
    return { kind: 'node' };
  }

  function takeMeta(message) {
    if (message === null) {
      store.meta = null;
      return { kind: 'meta' };
    }
    if (!isMetaEvent(message.body)) return drop();
    const { name, round, delay } = message.body;
    store.meta = { name, round, delay: delay ?? 0 };
    return { kind: 'meta' };
  }
}

/** @returns {Board} */
function newBoard(id) {
  return { id, body: null, game: '', rev: 0, boot: 0, node: '', clock: null, clockBoot: 0, clockAt: 0, clockRetained: false,
    toldAt: 0, stoppedAt: 0, confirmed: true, times: journalClock() };
}
