// The row of one player: name, and the time or the points. Used by wall, board and overlay.
import { shownClock } from '../common/clock.js';
import { playerName, pointsText, shortName } from '../common/format.js';
import { el, ownDirection, setClass, setText } from './dom.js';
import { clockIsHeard, finishedResult, hasClock } from './live.js';

/**
 * @param {'white'|'black'} side
 * @param {{full?: boolean, withRating?: boolean}} [options] `full`: with title and federation, `withRating`: also with the rating
 */
export function sideRow(side, { full = false, withRating = full } = {}) {
  const colour = el('span', `colour ${side}`);
  colour.setAttribute('role', 'img');
  const capital = side === 'white' ? 'White' : 'Black';
  colour.setAttribute('aria-label', capital);
  const name = ownDirection('name');
  const extra = el('span', 'extra muted');
  const runs = el('span', 'runs', '▶');
  runs.setAttribute('aria-hidden', 'true');
  const time = el('span', 'value');
  const heard = el('span', 'heard');
  const clock = el('span', 'clock time', runs, time, heard);
  const row = el('div', `side ${side}`, colour, name, ...(full ? [extra] : []), clock);
  return {
    row,
    /**
     * @param {import('./store.js').Board} board
     * @param {import('./store.js').Store} store
     * @param {{live: boolean}} told
     * @param {number} now
     * @param {{white_ms: number|null, black_ms: number|null}|null} [back] the times after an earlier move, when somebody stepped back
     */
    update(board, store, told, now, back = null) {
      const player = board.body.players?.[side];
      setText(name, (full ? playerName(player) : shortName(player, 60)) || capital);
      if (full) setText(extra, [withRating && player?.rating, player?.federation].filter(Boolean).join(' '));
      const reading = back ? { ...back, running: null, at: now } : store.reading(board);
      const shown = shownClock(reading, now, store.audience);
      const points = back ? '' : pointsText(finishedResult(board), side);
      const known = hasClock(board) && board.body.clock_status !== 'not_available';
      const runsNow = known && !points && shown.running === side && told.live;
      const text = points || (known && (!back || shown[side].ms !== null) ? shown[side].text : '');
      setText(time, text);
      setClass(clock, 'running', runsNow);
      setClass(clock, 'points', points !== '');
      setClass(clock, 'none', text === '');
      setClass(clock, 'hatched', !points && !back && known && (!told.live || !clockIsHeard(board) || shown[side].stale));
      setText(heard, runsNow ? 'running' : '');
    },
  };
}
