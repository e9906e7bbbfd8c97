// When the arbiter saw the flag: set when the ruling is first opened, and to be corrected. It may be earlier than the tap that decides.
import { html, nothing } from '../../vendor/lit-html.js';
import { timeOfDay } from '../common/format.js';
import { nodeNow } from './journal-time.js';
import { maySend, roleOn } from './roles.js';
import { isOffline } from './shell.js';
import { openSheet } from './sheet.js';

/**
 * The time at which the arbiter saw what this finding is about, in the time of the node.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {{game: string, body: any}} message
 * @returns {Date}
 */
export function observedAt(app, board, message) {
  app.ui.observed ??= new Map();
  const key = `${message.game}/${message.body.id}`;
  if (!app.ui.observed.has(key)) app.ui.observed.set(key, nodeNow(board.time, app.now()));
  return app.ui.observed.get(key);
}

/**
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {{game: string, body: any}} message
 */
export function observedRow(app, board, message) {
  const at = observedAt(app, board, message);
  /** @param {Date} next */
  const set = (next) => {
    app.ui.observed.set(`${message.game}/${message.body.id}`, next);
    app.paint(true);
  };
  const typed = (/** @type {Event} */ event) => {
    const [hours, minutes, seconds = 0] = /** @type {HTMLInputElement} */ (event.target).value.split(':').map(Number);
    if (!(hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 && seconds >= 0 && seconds < 60)) return app.paint(true);
    const next = new Date(at);
    next.setHours(hours, minutes, seconds, 0);
    // A time after midnight that was seen before it.
    if (next.getTime() > nodeNow(board.time, app.now()).getTime() + 60_000) next.setDate(next.getDate() - 1);
    set(next);
  };
  return html`
    <div class="observed">
      <label>I saw ${message.body.flag ? 'the flag' : 'it'} at
        <input type="text" inputmode="numeric" autocomplete="off" size="8" .value=${timeOfDay(at.getTime(), true)} @change=${typed}></label>
      <button @click=${() => set(nodeNow(board.time, app.now()))}>now</button>
      <button @click=${() => set(new Date(at.getTime() - 5000))}>−5 s</button>
    </div>`;
}

/**
 * The button for a decision that needs the observation first: a later look can change the finding.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {{game: string, body: any}} message
 */
export function recordSeen(app, board, message) {
  const { flag, conditional, decision } = message.body;
  if (!flag || !conditional || decision || !maySend(app.session && roleOn(app.model, app.session.user, board), 'claim')) return nothing;
  const claim = () => openSheet(app, board, 'claim', { values: { flag }, observedAt: observedAt(app, board, message) });
  return html`<p><button ?disabled=${isOffline(app) || !board.state} @click=${claim}>Record that I saw it…</button></p>`;
}
