// The moves of a board as arbiters see them: with the times, and how each became sure.
import { html, nothing, ref } from '../../vendor/lit-html.js';
import { formatTime } from '../common/clock.js';
import { moveRows, moveText } from '../common/format.js';

/** @type {Record<string, string>} How a move became sure. */
const HOW = {
  press: 'pressed', next_move: 'next move made', game_end: 'ended the game', clock_running: 'clock runs', settled: 'stands, no clock',
  stood: 'stood at the result', repair: 'repaired', arbiter: 'entered',
};

/** The last sure move with its number. @param {import('./model.js').Board} board */
export function lastSureMove(board) {
  const state = board.state?.message.body;
  return state ? moveText(state.moves.at(-1), state.initial_fen, state.moves_from ?? 1) : '';
}

/** The last moves are what is wanted when the list opens. @param {Element|undefined} element */
function toEnd(element) {
  if (element) queueMicrotask(() => { element.scrollTop = element.scrollHeight; });
}

/** @param {import('../../messages').ArbiterState} state */
export function movesView(state) {
  const rows = moveRows(state.moves, state.initial_fen);
  const row = (/** @type {{number: number, white: any, black: any}} */ { number, white, black }) => html`
    <tr><th scope="row">${number}.</th>${cell(white)}${cell(black)}</tr>`;
  return html`
    ${state.moves_from && state.moves_from > 1 ? html`<p class="notice">Earlier moves were not received: the list begins with half-move ${state.moves_from}.</p>` : nothing}
    ${(state.segments ?? []).map((segment, index) => html`<details class="segment"><summary>Part ${index + 1}, before the position was set</summary>
      <table class="moves"><tbody>${moveRows(segment.moves, segment.initial_fen).map(row)}</tbody></table></details>`)}
    ${rows.length ? html`<div class="moves-scroll" tabindex="0" ${ref(toEnd)} role="region" aria-label="Moves"><table class="moves">
      <thead><tr><th></th><th>White</th><th>Black</th></tr></thead><tbody>${rows.map(row)}</tbody></table></div>` : html`<p class="empty">No move is sure yet.</p>`}
    ${state.pending.length ? html`<p class="pending"><b>Not sure yet</b> ${state.pending.map((move) => move.san).join(' ')}</p>` : nothing}
    ${state.after_illegal_move ? html`<p class="notice amber">After the illegal move: ${state.after_illegal_move.moves.map((move) => move.san).join(' ') || 'nothing yet'}</p>` : nothing}
    ${state.after_result?.length ? html`<p class="notice amber">After the result: ${state.after_result.map((move) => move.san).join(' ')}</p>` : nothing}`;
}

/** @param {import('../../messages').MoveBody|null} move */
function cell(move) {
  if (!move) return html`<td></td>`;
  const time = formatTime(move.color === 'white' ? move.white_ms : move.black_ms);
  const how = move.how ? HOW[move.how] ?? move.how.replaceAll('_', ' ') : 'not sure';
  return html`<td><b>${move.san}</b>${move.after_flag ? ' ⚑' : ''} <span class="time muted">${time}</span>${move.how === 'press' ? nothing : html`<small class="how">${how}</small>`}</td>`;
}
