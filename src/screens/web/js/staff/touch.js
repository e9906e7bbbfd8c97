// The touch test: somebody lifts the e2 pawn of one board, and the page says which board felt it. Exchanged cables show at once.
import { manOn, spread } from './squares.js';

/**
 * @typedef {{asked: string, before: Set<string>, felt: Map<string, {felt: boolean, exchanged: string}>}} Test `asked`: the key of the
 *   board that is tested; `before`: boards whose pawn was lifted before the test
 */

/** @returns {Test} */
export const newTest = () => ({ asked: '', before: new Set(), felt: new Map() });

/** Begins the test of a board, or ends it. @param {Test} test @param {string} key @param {Iterable<import('./model.js').Board>} boards */
export function ask(test, key, boards) {
  test.asked = key;
  test.before = new Set([...boards].filter(isLifted).map((board) => board.key));
}

/** True for a board on which exactly the pawn of e2 is missing. @param {import('./model.js').Board} board */
function isLifted(board) {
  const state = board.state?.message.body;
  if (!state || state.stage !== 'armed' || manOn(state.fen, 'e2') !== 'P' || manOn(state.board, 'e2') !== '') return false;
  const [game, seen] = [spread(state.fen), spread(state.board)];
  return game !== null && seen !== null && game.filter((man, index) => man !== seen[index]).length === 1;
}

/**
 * Looks at the boards while a board is asked for.
 * @param {Test} test
 * @param {Iterable<import('./model.js').Board>} boards
 * @returns {boolean} whether something was felt
 */
export function feel(test, boards) {
  if (!test.asked) return false;
  const all = [...boards];
  const asked = all.find((board) => board.key === test.asked);
  const lifted = all.filter((board) => isLifted(board) && !test.before.has(board.key));
  if (!asked || lifted.length !== 1) return false;
  const [felt] = lifted;
  if (felt === asked) test.felt.set(asked.key, { felt: true, exchanged: '' });
  else {
    test.felt.set(asked.key, { felt: false, exchanged: `board ${felt.id} felt it: the cables of ${asked.id} and ${felt.id} are exchanged` });
    test.felt.set(felt.key, { felt: false, exchanged: `it felt the test of board ${asked.id}: the cables are exchanged` });
  }
  test.asked = '';
  return true;
}

/** @param {Test} test @param {import('./model.js').Board} board */
export const resultOfTest = (test, board) => test.felt.get(board.key) ?? { felt: false, exchanged: '' };
