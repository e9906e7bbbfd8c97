// What can be done about a board: the commands of the user's role, in groups.
import { html, nothing } from '../../vendor/lit-html.js';
import { editorView } from './editor.js';
import { nodeNow } from './journal-time.js';
import { maySend, roleOn } from './roles.js';
import { isOffline } from './shell.js';
import { openSheet } from './sheet.js';
import { usesObservedAt } from './command.js';
import { GROUPS, VERBS } from './verbs.js';

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function doView(app, board) {
  const role = app.session && roleOn(app.model, app.session.user, board);
  if (!role) return html`<p class="empty">You have no role on this board: you may look.</p>`;
  const may = (/** @type {string} */ name) => maySend(role, VERBS[name].verb) && !app.commander?.isDenied(board, VERBS[name].verb);
  const off = isOffline(app) || !board.state;
  const open = (/** @type {string} */ name) =>
    openSheet(app, board, name, { observedAt: usesObservedAt(VERBS[name].verb) ? nodeNow(board.time, app.now()) : null });
  return html`
    <p class="muted">A command is a record: it changes what the program knows, never what a clock or board shows.</p>
    ${GROUPS.map(([group, names]) => (names.some(may) ? html`<h2>${group}</h2><div class="verbs">${names.filter(may).map((name) => html`
      <button ?disabled=${off} @click=${() => open(name)}>${VERBS[name].title}…</button>`)}</div>` : nothing))}
    ${may('correct-move') ? html`<h2>Moves and position</h2>${editorView(app, board, off)}` : nothing}`;
}
