// The overlay for a stream: transparent, no scroll bar, no dialog. Nothing is drawn before the first state. Out of date, the picture
// stays and the clocks go after a while: a wrong clock on air is worse than none.
import { boardView } from '../common/board-view.js';
import { shownClock } from '../common/clock.js';
import { moveRows, moveText, resultText } from '../common/format.js';
import { el, part, setClass, setShown, setText } from './dom.js';
import { clockIsHeard, finishedResult, liveness } from './live.js';
import { loginForm } from './login.js';
import { startSession } from './session.js';
import { sideRow } from './sides.js';

/** @typedef {import('./store.js').Board} Board @typedef {import('./store.js').Store} Store */
/** @typedef {[board: Board, store: Store, told: {live: boolean}, now: number]} Shown */

/** How long times that are out of date stay on air, milliseconds. */
const CLOCKS_STAY_MS = 30000;
/** Rows of moves in the layout `moves`, as in broadcast.css. */
const MOVE_ROWS = 10;
/** What the colours of the address change. */
const COLOURS = { ground: '--ground', text: '--text', accent: '--live' };

const stage = part('stage');
/** @type {((...shown: Shown) => void)|null} */
let draw = null;
/** @type {HTMLFormElement|null} */
let form = null;
/** The first moment since which the times are out of date, 0 while they are not. */
let lateSince = 0;

const session = startSession((current, now) => {
  const { store, query, link } = current;
  const board = store.boards().get(query.board);
  // Whoever sets the scene up gets the form; on air a refused login that worked before shows nothing, until somebody clicks.
  if (link.state === 'live') hideForm();
  else if (link.state === 'refused' && !link.rate && !current.typed && !board) showForm('');
  setShown(stage, Boolean(board) && !form);
  if (!board) return;
  const show = (draw ??= layouts[query.layout](query));
  const finished = finishedResult(board) !== '';
  const told = finished ? { live: true } : liveness(board, store, link, now);
  const isLate = !finished && (!told.live || !clockIsHeard(board) || shownClock(store.reading(board), now, store.audience).white.stale);
  lateSince = isLate ? lateSince || now : 0;
  setClass(stage, 'no-clocks', isLate && now - lateSince >= CLOCKS_STAY_MS);
  show(board, store, { live: true }, now);
});
session.query.board ||= session.query.boards[0] ?? '1';
session.watch([session.query.board]);
document.title = 'Overlay';
const root = document.documentElement;
root.dataset.layout = session.query.layout;
for (const [name, variable] of Object.entries(COLOURS)) {
  const colour = session.query.colours[name];
  if (colour) root.style.setProperty(variable, colour);
}
if (session.query.colours.text) root.style.setProperty('--muted', 'color-mix(in srgb, var(--text) 75%, var(--ground))');
document.addEventListener('click', () => session.link.state === 'refused' && showForm('The broker does not accept this name and password.'));

function showForm(wrong) {
  if (form) return;
  form = loginForm({ wrong, user: '', config: session.config, onLogin(login, onDevice) {
    hideForm();
    session.logIn(login, onDevice);
  } });
  stage.before(form);
}

function hideForm() {
  form?.remove();
  form = null;
}

/** Each layout makes its parts once and gives a function that fills them. */
const layouts = {
  board(query) {
    const rows = bothSides();
    const diagram = el('div');
    const view = boardView(diagram, { orientation: query.side });
    const [above, below] = inOrder(rows, query.side);
    stage.append(el('section', 'on-air with-board', above, diagram, below));
    return (/** @type {Shown} */ ...[board, store, told, now]) => {
      view.show(board.body.fen, { lastMove: board.body.moves.at(-1)?.uci });
      rows.white.update(board, store, told, now);
      rows.black.update(board, store, told, now);
    };
  },
  clocks(query) {
    const rows = bothSides();
    stage.append(el('section', 'on-air', ...inOrder(rows, query.side)));
    return (/** @type {Shown} */ ...all) => {
      rows.white.update(...all);
      rows.black.update(...all);
    };
  },
  strip() {
    const rows = bothSides();
    const between = el('span', 'between time');
    stage.append(el('section', 'on-air', rows.white.row, between, rows.black.row));
    return (/** @type {Shown} */ ...[board, store, told, now]) => {
      rows.white.update(board, store, told, now);
      rows.black.update(board, store, told, now);
      const { moves, initial_fen: start, moves_from: first } = board.body;
      setText(between, resultText(finishedResult(board)) || moveText(moves.at(-1), start, first ?? 1));
    };
  },
  moves() {
    const lines = Array.from({ length: MOVE_ROWS }, () => ['no', 'move', 'move'].map(name => el('span', name)));
    stage.append(el('section', 'on-air', ...lines.flat()));
    return board => {
      const { moves, initial_fen: start } = board.body;
      const rows = moveRows(moves, start).slice(-MOVE_ROWS);
      lines.forEach(([number, ...cells], index) => {
        const row = rows[index];
        setText(number, row ? `${row.number}.` : '');
        setShown(number, Boolean(row));
        [row?.white, row?.black].forEach((move, side) => {
          setText(cells[side], move?.san ?? (row && side === 0 ? '…' : ''));
          setClass(cells[side], 'newest', Boolean(move) && move === moves.at(-1));
          setShown(cells[side], cells[side].textContent !== '');
        });
      });
    };
  },
};

function bothSides() {
  const options = { full: true, withRating: false };
  return { white: sideRow('white', options), black: sideRow('black', options) };
}

function inOrder(rows, side) {
  return side === 'white' ? [rows.black.row, rows.white.row] : [rows.white.row, rows.black.row];
}
