// One big board, for a commentator or in a frame of another site: diagram, both clocks, the moves, and stepping through them.
import { boardView } from '../common/board-view.js';
import { endingText, resultText, resultWords } from '../common/format.js';
import { el, part, setClass, setShown, setText } from './dom.js';
import { pageFrame } from './frame.js';
import { gameLine } from './game.js';
import { bigControls } from './controls.js';
import { finishedResult, liveness } from './live.js';
import { moveList } from './moves.js';
import { boardList, byNumber } from './query.js';
import { startSession } from './session.js';
import { sideRow } from './sides.js';

const stage = part('stage');
const framed = window.top !== window.self;
const rows = { black: sideRow('black', { full: true }), white: sideRow('white', { full: true }) };
const diagram = el('div');
const words = el('p', 'words hatched');
const outcome = el('p', 'outcome');
const list = moveList(step => goTo(step));
const lineOf = gameLine();

let game = '';
let steps = 0;
/** The step that is shown; null follows the game. @type {number|null} */
let at = null;
let side = /** @type {'white'|'black'} */ ('white');

const controls = bigControls({
  step: by => goTo((at ?? steps) + by),
  first: () => goTo(0),
  live: () => goTo(null),
  flip() {
    side = side === 'white' ? 'black' : 'white';
    turn();
  },
  logOut: () => session.logOut(),
  board: by => showBoard(neighbour(by)),
});
const panel = el('div', 'panel', rows.black.row, list.element, outcome, controls.element, rows.white.row);
stage.before(controls.header);
stage.append(el('div', 'picture', diagram, words), panel);
const view = boardView(diagram, { coordinates: true });
const frame = pageFrame(stage);
setClass(document.body, 'framed', framed);

const session = startSession((current, now) => {
  const { store, query, link, config } = current;
  const board = store.boards().get(query.board);
  const shown = frame.update(current, !board);
  const event = store.meta?.name || config?.event || 'flagfall';
  document.title = query.board ? `Board ${query.board} · ${event}` : event;
  controls.describe({ event, round: store.round, board: query.board, link, audience: query.audience, canLogOut: current.typed && link.state !== 'refused' });
  if (shown && board) draw(board, store, link, now);
});
if (!session.query.board) showBoard(session.query.boards[0] ?? '1');
side = session.query.side;
turn();

function draw(board, store, link, now) {
  const { steps: line, start, parts } = lineOf(board.body);
  if (board.game !== game) {
    game = board.game;
    at = null;
  }
  steps = line.length;
  if (at !== null && at >= steps) at = null;
  const back = at !== null;
  const step = line[(at ?? steps) - 1];
  view.show(back ? (step?.fen ?? start) : board.body.fen, { lastMove: step?.move.uci });
  const result = finishedResult(board);
  const told = result && link.state === 'live' ? { live: true, words: '' } : liveness(board, store, link, now);
  const times = back ? (step ? step.move : { white_ms: null, black_ms: null }) : null;
  rows.white.update(board, store, told, now, times);
  rows.black.update(board, store, told, now, times);
  const ending = endingText(board.body.ending);
  setText(outcome, result ? `${resultText(result)} · ${resultWords(result)}${ending ? ` by ${ending}` : ''}` : '');
  setShown(outcome, result !== '');
  setText(words, told.words);
  setShown(words, told.words !== '');
  // Last, since it scrolls: the result takes room from the list.
  list.update({ parts, at: at ?? steps });
  controls.update({ back, atStart: at === 0 || steps === 0, text: step?.text ?? 'Start' });
}

/** @param {number|null} step half-moves, null for the present */
function goTo(step) {
  at = step === null || step >= steps ? null : Math.max(0, step);
  session.redraw();
}

function turn() {
  view.orient(side);
  setClass(panel, 'turned', side === 'black');
}

/** The board before or after this one: among those of the address, else by number. */
function neighbour(by) {
  const { board, boards } = session.query;
  const among = boards.length > 0 ? [...boards].sort(byNumber) : [];
  const index = among.indexOf(board);
  if (index >= 0) return among[(index + by + among.length) % among.length];
  const number = Number(board);
  return Number.isInteger(number) && number + by > 0 ? String(number + by) : board;
}

function showBoard(id) {
  if (boardList(id).length !== 1 || id === session.query.board) return;
  session.query.board = id;
  at = null;
  const query = new URLSearchParams(window.location.search);
  query.set('board', id);
  window.history.replaceState(null, '', `?${query}`);
  session.watch([id]);
}
