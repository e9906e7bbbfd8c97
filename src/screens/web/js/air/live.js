// Whether what is shown is true now, in words. Touches no DOM.
import { timeOfDay } from '../common/format.js';

/** A page that hears of no board for so long is out of date, milliseconds: clocks are published every 30 s at the latest. */
const SILENT_MS = 70000;

/**
 * Whether a board is shown as it is, and if not, why. Spectators know the node only; what a board's cable does is `link`.
 * @param {import('./store.js').Board} board
 * @param {import('./store.js').Store} store
 * @param {{state: string}} link state of the connection
 * @param {number} now `Date.now()`
 * @returns {{live: boolean, words: string}} `words` are '' while it is live, or the connection is gone
 */
export function liveness(board, store, link, now) {
  const notLive = (words, since = 0) => ({ live: false, words: since ? `${words} since ${timeOfDay(since)}` : words });
  // The page says this once for all boards.
  if (link.state !== 'live') return notLive('');
  if (!board.confirmed) return notLive('waiting for news');
  if (board.body.withdrawn) return notLive('no longer followed', board.toldAt);
  const node = store.nodes.get(board.node);
  // A `lost` of an earlier start says nothing about the present one.
  if (node && node.boot >= board.boot) {
    if (node.state === 'lost' || node.state === 'stopped') return notLive('not live', node.at || board.toldAt);
    if (node.state === 'init') return notLive('starting');
  }
  if (board.body.link === 'down') return notLive('board not heard', board.toldAt);
  if (board.clock && store.heardAt && now - store.heardAt > SILENT_MS) return notLive('no news', store.heardAt);
  return { live: true, words: '' };
}

/** Notes since when the boards are out of date: from then on their clocks stand. @param {import('./store.js').Store} store @param {{state: string}} link @param {number} now */
export function noteStopped(store, link, now) {
  for (const board of store.boards().values()) {
    const goes = liveness(board, store, link, now).live && clockIsHeard(board);
    board.stoppedAt = goes ? 0 : board.stoppedAt || now;
  }
}

/** Whether the times of a board may be shown as those of now. */
export function clockIsHeard(board) {
  return board.body.clock_status === undefined || board.body.clock_status === 'reporting';
}

/** Whether the board has times to show at all. */
export function hasClock(board) {
  return board.clock !== null && (board.clock.white_ms !== null || board.clock.black_ms !== null);
}

/** The result of a finished game, or '' while it is played. `*` is a decision that the game goes on. */
export function finishedResult(board) {
  const result = board.body.result;
  return result && result !== '*' ? result : '';
}
