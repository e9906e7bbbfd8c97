// The sheet of a command: the sentence of what will happen, its fields, one tap to send, and what became of it.
import { html, nothing, ref } from '../../vendor/lit-html.js';
import { timeOfDay } from '../common/format.js';
import { compare } from './compare.js';
import { lookAgain, openDraft, overtakenBy, setBody, usesObservedAt } from './command.js';
import { fieldView, reasonField } from './fields.js';
import { clockError } from './journal-time.js';
import { isOffline } from './shell.js';
import { lastSureMove } from './moves.js';
import { underwayView } from './underway-view.js';
import { VERBS, capital, isComplete } from './verbs.js';
import { isAgainst } from './words.js';

/**
 * Opens the sheet of a command. From now on its lock is what the arbiter sees.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {string} name a key of VERBS
 * @param {{body?: Record<string, any>, title?: string, observedAt?: Date|null, proposal?: string, values?: Record<string, any>,
 *   sentence?: string, after?: string, options?: Record<string, [string, string][]>}} [given]
 *   `body` is complete already; `after` is the position that will stand, FEN
 */
export function openSheet(app, board, name, given = {}) {
  const spec = VERBS[name];
  const draft = openDraft(board, spec.verb, given.body ?? {}, { observedAt: given.observedAt ?? null });
  app.ui.sheet = {
    spec, draft, given, values: { ...given.values }, seen: board.state?.message.body.fen ?? '', seenMove: lastSureMove(board), ruling: board.ruling?.message.body,
  };
  if (!given.body && spec.body) setBody(draft, spec.body(app.ui.sheet.values));
  app.ui.menu = false;
  app.paint(true);
}

/** @param {import('./app.js').App} app */
export function closeSheet(app) {
  Object.assign(app.ui, { sheet: null, binding: '' });
  app.resubscribe();
  app.paint(true);
}

const STAGES = { sending: 'Sending…', accepted: 'Accepted…' };

/** @param {import('./app.js').App} app */
export function sheetView(app) {
  const { sheet } = app.ui;
  if (!sheet) return nothing;
  const { draft, spec, given, values } = sheet;
  /** @type {import('./model.js').Board} */
  const board = draft.board;
  // Words of the daemon stay until they are dismissed.
  if (draft.stage === 'done' && !draft.message && !sheet.closing) {
    sheet.closing = true;
    setTimeout(() => { if (app.ui.sheet === sheet) closeSheet(app); }, 1200);
  }
  // Where the state was not there when the sheet opened, the first one that comes is what the arbiter sees.
  if (draft.stage === 'open' && draft.lockKind !== 'none' && !draft.lock) lookAgain(draft);
  const fixed = given.body !== undefined;
  const open = draft.stage === 'open';
  const overtaken = open && overtakenBy(draft);
  const lockMissing = draft.lockKind !== 'none' && !draft.lock;
  const needsReason = spec.verb === 'reject' || isAgainst(board.ruling?.message.body, spec.verb, draft.body);
  const ready = (fixed || isComplete(spec, values)) && (!needsReason || (values.reason ?? '').trim() !== '');
  const off = isOffline(app) || overtaken || lockMissing || !ready;
  const send = () => {
    if (open) {
      draft.reason = (values.reason ?? '').trim();
    }
    app.commander?.send(draft);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!off || draft.stage !== 'open') send();
  };
  const set = (/** @type {string} */ name, /** @type {any} */ value) => {
    values[name] = value;
    if (!fixed && spec.body) setBody(draft, spec.body(values));
    app.paint(true);
  };
  const sentence = capital(given.sentence ?? spec.sentence(values));
  return html`
    <dialog class="sheet" aria-label=${spec.title} ${ref(show)} @cancel=${(/** @type {Event} */ event) => { event.preventDefault(); closeSheet(app); }}>
      <form @submit=${submit}>
        <h2>Board ${board.id} · ${given.title ?? spec.title}</h2>
        ${open && !fixed ? spec.fields?.map((/** @type {import('./verbs.js').Field} */ field) => fieldView(field, values, set, given.options?.[field.name] ?? optionsOf(board, field))) : nothing}
        ${open && spec.asksWhy ? reasonField(values, set, needsReason) : nothing}
        <p class="will">Board ${board.id}: ${sentence}</p>
        ${given.proposal && spec.verb === 'confirm' ? html`<p class="muted">${given.proposal}</p>` : nothing}
        ${given.after ? compare([sheet.seen, 'Before'], [given.after, 'After']) : nothing}
        ${spec.note ? html`<p class="muted">${spec.note}</p>` : nothing}
        ${draft.observedAt && usesObservedAt(spec.verb) ? html`<p class="muted">Seen at ${timeOfDay(draft.observedAt.getTime(), true)}.</p>` : nothing}
        ${open ? underwayView(app, board) : nothing}
        <div role="status" aria-live="polite">${outcome(app, sheet, overtaken, lockMissing)}</div>
        <div class="sheet-buttons">
          <button type="button" @click=${() => closeSheet(app)}>${draft.stage === 'done' || draft.stage === 'failed' ? 'Close' : 'Cancel'}</button>
          ${open ? html`<button class="primary" autofocus ?disabled=${off}>${isOffline(app) ? 'no connection' : spec.verb === 'confirm' ? 'Confirm' : 'Do it'}</button>` : nothing}
          ${draft.stage === 'sending' || draft.stage === 'accepted' ? html`<button class="primary" disabled>${STAGES[/** @type {'sending'} */ (draft.stage)]}</button>` : nothing}
          ${draft.stage === 'silent' || draft.stage === 'refused' || draft.code === 'busy' ? html`<button class="primary" ?disabled=${isOffline(app)}>Ask again</button>` : nothing}
        </div>
      </form>
    </dialog>`;
}

/** Opens the dialog when it comes into the page. @param {Element|undefined} element */
function show(element) {
  if (!(element instanceof HTMLDialogElement) || element.open) return;
  // The template is not yet in the page when this is called.
  queueMicrotask(() => element.isConnected && !element.open && element.showModal());
}

/** What became of the command. @param {import('./app.js').App} app @param {any} sheet @param {false|''|'board'|'finding'} overtaken @param {boolean} lockMissing */
function outcome(app, sheet, overtaken, lockMissing) {
  const { draft } = sheet;
  const board = draft.board;
  const look = () => {
    lookAgain(draft);
    Object.assign(sheet, { seen: board.state?.message.body.fen ?? '', seenMove: lastSureMove(board), closing: false });
    app.paint(true);
  };
  const now = board.state?.message.body.fen;
  const undone = draft.stage === 'failed' ? ' Nothing was done.' : '';
  const ruling = (overtaken || overtakenBy(draft)) === 'finding' || draft.lockKind === 'finding' ? board.ruling?.message.body : null;
  const proposal = ruling && 'screen' in ruling ? ruling.screen?.proposal : 'there is a decision';
  const move = lastSureMove(board) === sheet.seenMove ? '' : ` (${lastSureMove(board)})`;
  const moved = ruling ? html`<p>The finding has changed.${undone}</p><p>Now: ${proposal}</p>` : html`
    <p>The board has moved on${move}.${undone}</p>
    ${now && sheet.seen && now !== sheet.seen ? compare([sheet.seen, 'You saw'], [now, 'Now']) : nothing}`;
  if (overtaken) return html`<div class="notice amber">${moved}<button type="button" @click=${look}>I have seen it</button></div>`;
  if (lockMissing) return html`<p class="notice">Waiting for the state of this board.</p>`;
  switch (draft.stage) {
    case 'done': return html`<p class="notice decided">✓ Done. ${draft.message}</p>`;
    case 'silent': return html`<p class="notice amber">No answer. It may have been carried out: look at the record. Asking again sends the same command, which is carried out once.</p>`;
    case 'refused': return html`<p class="notice amber">${draft.message}</p>`;
    case 'failed': {
      if (draft.code === 'stale') return html`<div class="notice amber">${moved}<p>${draft.message}</p><button type="button" @click=${look}>Look again</button></div>`;
      const lag = clockError(board.time);
      const words = draft.code === 'expired' ? `Came too late: nothing was done.${lag === null ? '' : ` The clock of this device differs by ${(Math.abs(lag) / 1000).toFixed(1)} s.`}`
        : draft.code === 'busy' ? 'Too many at once, try again.' : '';
      return html`<p class="notice amber" role="alert">${words} ${draft.message} <small class="muted">${draft.code}</small></p>`;
    }
    default: return nothing;
  }
}

/** The alarms of illegal moves, for a penalty. @param {import('./model.js').Board} board @param {import('./verbs.js').Field} field @returns {[string, string][]|undefined} */
function optionsOf(board, field) {
  if (field.name !== 'alarm') return field.options;
  const kinds = ['illegal_move', 'promotion_not_replaced', 'pressed_without_move'];
  const alarms = [...board.alerts.values()].map((slot) => slot.message.body).filter((alert) => kinds.includes(alert.kind));
  return alarms.map((alert) => [String(alert.id), `No. ${alert.id}: ${alert.squares.join(' ') || alert.kind.replaceAll('_', ' ')}`]);
}
