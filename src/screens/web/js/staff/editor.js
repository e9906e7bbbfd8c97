// Corrects moves and positions: two taps are a move. Legal moves come from chessops; what counts is what the daemon accepts.
import { Chess, makeFen, makeSan, makeSquare, makeUci, parseFen, parseSquare, parseUci } from '../../vendor/chessops.js';
import { html, nothing } from '../../vendor/lit-html.js';
import { menOf } from '../common/position.js';
import { moveText } from '../common/format.js';
import { openSheet } from './sheet.js';
import './diagram.js';

const FILES = 'abcdefgh';
/** @type {[string, string][]} */
const PROMOTIONS = [['q', 'Queen'], ['r', 'Rook'], ['b', 'Bishop'], ['n', 'Knight']];

/**
 * The position after so many of the sure moves; null for a start position that chessops does not take.
 * @param {import('../../messages').ArbiterState} state
 * @param {number} count
 */
export function positionAfter(state, count) {
  const setup = parseFen(state.initial_fen);
  if (setup.isErr) return null;
  const made = Chess.fromSetup(setup.value);
  if (made.isErr) return null;
  const position = made.value;
  for (const { uci } of state.moves.slice(0, count)) {
    const move = parseUci(uci);
    if (!move || !position.isLegal(move)) return null;
    position.play(move);
  }
  return position;
}

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {boolean} off */
export function editorView(app, board, off) {
  const state = board.state?.message.body;
  if (!state) return nothing;
  const count = state.moves.length;
  const first = state.moves_from ?? 1;
  const game = board.state?.message.game;
  const editor = app.ui.editor?.game === game && app.ui.editor?.first === first ? app.ui.editor : (app.ui.editor = { game, first, at: count, from: '', fen: '' });
  editor.at = Math.min(editor.at, count);
  const position = positionAfter(state, editor.at);
  const set = (/** @type {object} */ change) => { Object.assign(editor, { problem: '' }, change); app.paint(true); };
  const shown = position ? makeFen(position.toSetup()) : state.fen;
  const takeBack = () => openSheet(app, board, 'take-back', {
    body: { plies: first - 1 + editor.at }, after: shown, sentence: `${count - editor.at} half-moves are taken back; ${moveText(state.moves[editor.at - 1], state.initial_fen, first) || 'the start'} stays.`,
  });
  return html`
    <p>Position after <select aria-label="Position after"
      @change=${(/** @type {Event} */ event) => set({ at: Number(/** @type {HTMLSelectElement} */ (event.target).value), from: '' })}>
      ${Array.from({ length: count + 1 }, (_, index) => html`<option value=${index} ?selected=${index === editor.at}>${index === 0 ? 'the start' : moveText(state.moves[index - 1], state.initial_fen, first)}</option>`)}
    </select> – tap the man, then its square.</p>
    ${position ? grid(app, board, state, position, shown, editor, off, set) : html`<p class="notice">This start position is not one that the page can play from.</p>`}
    <div class="verbs">
      <button ?disabled=${off || editor.at === count || !position} @click=${takeBack}>Take back ${count - editor.at} half-moves…</button>
    </div>
    <label>Position (FEN) <input type="text" spellcheck="false" autocomplete="off" .value=${editor.fen || state.fen}
      @input=${(/** @type {Event} */ event) => set({ fen: /** @type {HTMLInputElement} */ (event.target).value })}></label>
    <div class="verbs">
      <button ?disabled=${off} @click=${() => setPosition(app, board, editor.fen || state.fen, set)}>Set this position…</button>
      <button ?disabled=${off} @click=${() => set({ fen: `${state.board} ${state.fen.split(' ').slice(1).join(' ')}` })}>Take what stands on the board</button>
    </div>
    ${editor.problem ? html`<p class="notice amber" role="alert">${editor.problem}</p>` : nothing}`;
}

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {string} text @param {(change: object) => void} set */
function setPosition(app, board, text, set) {
  if (!menOf(text)) return set({ problem: 'This is no position.' });
  openSheet(app, board, 'set-position', { body: { fen: text.trim() }, after: text.trim(), sentence: 'the game goes on from this position.' });
}

/** The board with a button on each square. */
function grid(app, board, state, position, shown, editor, off, set) {
  const targets = editor.from ? [...position.dests(parseSquare(editor.from))].map((square) => makeSquare(square)) : [];
  const men = menOf(shown);
  const rows = app.ui.flipped ? [1, 2, 3, 4, 5, 6, 7, 8] : [8, 7, 6, 5, 4, 3, 2, 1];
  const files = app.ui.flipped ? [...FILES].reverse() : [...FILES];
  const first = state.moves_from ?? 1;
  const send = (/** @type {string} */ uci) => {
    const move = parseUci(uci);
    if (!move) return;
    const san = makeSan(position, move);
    const after = position.clone();
    after.play(move);
    set({ from: '', promotion: '' });
    openSheet(app, board, 'correct-move', {
      body: { plies: first - 1 + editor.at, uci: makeUci(move) }, after: makeFen(after.toSetup()),
      sentence: `the move is ${moveText({ ply: first + editor.at, san, uci, white_ms: null, black_ms: null }, state.initial_fen, first)}.`,
    });
  };
  const tap = (/** @type {string} */ square) => {
    if (!targets.includes(square)) return set({ from: square === editor.from || !men?.has(square) ? '' : square, promotion: '' });
    const isPawn = men?.get(editor.from)?.role === 'pawn' && /[18]$/.test(square);
    return isPawn ? set({ promotion: `${editor.from}${square}` }) : send(`${editor.from}${square}`);
  };
  return html`
    <div class="editor"><staff-diagram .show=${{ fen: shown, small: true, orientation: app.ui.flipped ? 'black' : 'white' }}></staff-diagram>
      <div class="editor-squares">${rows.flatMap((rank) => files.map((file) => {
    const square = file + rank;
    const man = men?.get(square);
    return html`<button type="button" ?disabled=${off} class="${square === editor.from ? 'from' : ''} ${targets.includes(square) ? 'target' : ''}"
          aria-label="${square}${man ? `, ${man.color} ${man.role}` : ''}${targets.includes(square) ? ', possible' : ''}" @click=${() => tap(square)}></button>`;
  }))}</div></div>
    ${editor.promotion ? html`<div class="verbs" role="group" aria-label="Promote to">${PROMOTIONS.map(([letter, name]) => html`<button
      @click=${() => send(editor.promotion + letter)}>${name}</button>`)}</div>` : nothing}`;
}
