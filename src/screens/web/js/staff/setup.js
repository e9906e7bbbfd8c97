// Set-up: the volunteer walks the rows with a phone. Each board has the same nine ticks, and what is not ticked says what to do.
import { html, nothing, repeat } from '../../vendor/lit-html.js';
import { shortName } from '../common/format.js';
import { boardsInOrder } from './hall.js';
import { openSheet } from './sheet.js';
import { maySend, roleOn } from './roles.js';
import { ticksOf } from './ticks.js';
import { worstFirst } from './worst-first.js';
import { ask, feel, newTest, resultOfTest } from './touch.js';

const SIGNS = { yes: '✓', no: '✗', open: '·' };

/** True while a game is played somewhere: then nobody lifts pawns. @param {import('./app.js').App} app */
export const isPlaying = (app) => [...app.model.boards.values()].some(({ live }) => {
  const body = live?.message.body;
  return Boolean(body && !body.result && (body.moves.length > 0 || body.clock.running));
});

/** @param {import('./app.js').App} app @returns {import('./touch.js').Test} */
export const testOf = (app) => (app.ui.test ??= newTest());

/** @param {import('./app.js').App} app */
export function setupView(app) {
  const test = testOf(app);
  const playing = isPlaying(app);
  if (!playing && feel(test, app.model.boards.values())) navigator.vibrate?.(100);
  const boards = boardsInOrder(app).map((board) => ({ board, ticks: ticksOf(app.model, board, playing ? null : resultOfTest(test, board)) }));
  const onlyMissing = app.ui.onlyMissing ?? false;
  const missing = boards.filter(({ ticks }) => ticks.some((tick) => tick.state !== 'yes'));
  const toggle = () => { app.ui.onlyMissing = !onlyMissing; app.paint(true); };
  const shown = worstFirst(app, 'setup', onlyMissing ? [...missing] : boards, ({ board }) => board.key, ({ ticks }) => (ticks.some((tick) => tick.state === 'no') ? 1 : 0));
  return html`
    <div class="filters">
      <p class="summary"><b>${boards.length - missing.length}</b> of ${boards.length} boards are ready</p>
      <button class="chip" aria-pressed=${onlyMissing} @click=${toggle}>Only what is missing</button>
      <button class="chip" @click=${() => print()}>Print the list</button>
    </div>
    ${playing ? html`<p class="notice">A game is played: the touch test is off.</p>` : nothing}
    ${boards.length ? nothing : html`<p class="empty">No board has been published yet.</p>`}
    <ul class="setup">${repeat(shown, ({ board }) => board.key, ({ board, ticks }) => setupRow(app, board, ticks, test, playing))}</ul>`;
}

/**
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {import('./ticks.js').Tick[]} ticks
 * @param {import('./touch.js').Test} test
 * @param {boolean} playing
 */
function setupRow(app, board, ticks, test, playing) {
  const done = ticks.every((tick) => tick.state === 'yes');
  const players = board.live?.message.body.players;
  const asks = test.asked === board.key;
  const role = app.session && roleOn(app.model, app.session.user, board);
  const begin = () => { ask(test, asks ? '' : board.key, app.model.boards.values()); app.paint(true); };
  return html`
    <li class="setup-row ${done ? 'done' : ''}">
      <p class="setup-head"><span class="tile-number">${board.id}</span>
        <span class="muted">${[shortName(players?.white, 16), shortName(players?.black, 16)].filter(Boolean).join(' – ')}</span>
        <span class="setup-count">${done ? '✓ ready' : `${ticks.filter((tick) => tick.state === 'yes').length} of ${ticks.length}`}</span></p>
      <ul class="ticks">${ticks.map((tick) => html`<li class="tick-${tick.state}"><span aria-label=${{ yes: 'done', no: 'wrong', open: 'open' }[tick.state]}>${SIGNS[tick.state]}</span> ${tick.name}</li>`)}</ul>
      ${ticks.some((tick) => tick.state === 'no') ? html`<ul class="todo">${ticks.filter((tick) => tick.state === 'no').map((tick) => html`<li><b>${tick.name}</b> ${tick.todo}</li>`)}</ul>` : nothing}
      <p class="setup-buttons">
        ${playing ? nothing : html`<button aria-pressed=${asks}
          @click=${begin}>${asks ? `Lift the e2 pawn on board ${board.id} …` : ticks[8].state === 'yes' ? 'Touch test again' : 'Touch test'}</button>`}
        ${maySend(role, 'bind-device') && ticks[1].state !== 'yes' ? html`<button @click=${() => openBinding(app, board)}>Bind a device…</button>` : nothing}
      </p>
    </li>`;
}

/** The sheet that binds a device: each device with the board that it would leave. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {string} [device] */
export function openBinding(app, board, device = '') {
  app.ui.binding = board.key;
  /** @type {[string, string][]} */
  const devices = [...app.model.devices].map(([id, { message }]) => [id, `${id} (${message.body.state}${message.body.board ? `, leaves board ${message.body.board.split('/').pop()}` : ', free'})`]);
  openSheet(app, board, 'bind-device', { options: { device: devices }, values: { device } });
  // The lock needs the arbiters' state of this board.
  app.resubscribe();
}
