// The record of one board: every event for arbiters, with gaps shown. Old events come only if they are asked for, which makes the node send
// them to everybody again: so this page asks rarely, and never when a loud alarm is young.
import { html, nothing, repeat } from '../../vendor/lit-html.js';
import { timeOfDay } from '../common/format.js';
import { openDraft } from './command.js';
import { firstMissing, gaps } from './events.js';
import { ageOf } from './journal-time.js';
import { isOpen } from './needs.js';
import { maySend, roleOn } from './roles.js';
import { recordLine } from './record-words.js';

/** A board's events are asked for at most this often, and not while a loud alarm is younger than the second value. Milliseconds. */
const ASK_EVERY = 30_000;
const ALARM_IS_YOUNG = 60_000;

/** @type {[string, string][]} */
const KINDS = [['', 'All'], ['move', 'Moves'], ['alarm', 'Alarms'], ['finding', 'Findings'], ['decision', 'Decisions'], ['command', 'Commands'], ['clock', 'Clock']];

/**
 * Asks for the events that are missing, if that disturbs nobody.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @returns {boolean} whether a young alarm keeps it from asking
 */
function askForMissing(app, board) {
  const from = board.record.events.length ? firstMissing(board.record) : 1;
  const { session, commander } = app;
  if (from === null || !session || !commander || app.linkState !== 'live') return false;
  if (!maySend(roleOn(app.model, session.user, board), 'resync') || commander.isDenied(board, 'resync')) return false;
  const asked = (app.ui.asked ??= new Map());
  const now = app.now();
  if (now - (asked.get(board.key) ?? -Infinity) < ASK_EVERY || app.ui.complete?.has(board.key)) return false;
  for (const { message } of board.alerts.values()) {
    if (message.body.class !== 'loud' || !isOpen(message.body)) continue;
    if ((ageOf(board.time, message.body.opened_at, message, now)?.ms ?? 0) < ALARM_IS_YOUNG) return true;
  }
  asked.set(board.key, now);
  // What does not come then is not there any more: events of earlier rounds, for one.
  (app.ui.complete ??= new Set()).add(board.key);
  commander.send(openDraft(board, 'resync', { from, audience: 'arbiter' }));
  return false;
}

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function recordView(app, board) {
  const waits = askForMissing(app, board);
  const kind = app.ui.recordKind ?? '';
  const missing = gaps(board.record);
  const events = board.record.events.filter((event) => !kind || kind === (event.branch === 'move' ? 'move' : event.message.body.what)).slice().reverse();
  const set = (/** @type {string} */ name) => { app.ui.recordKind = name; app.paint(true); };
  const text = () => events.slice().reverse().map(({ no, message, branch }) => `${no}\t${message.t.utc}\t${message.t.us}\t${recordLine(message, branch)}`).join('\n');
  const copy = () => navigator.clipboard?.writeText(text()).then(() => { app.ui.copied = app.now(); app.paint(true); });
  return html`
    <div class="filters" role="group" aria-label="Kind">${KINDS.map(([name, label]) => html`<button class="chip" aria-pressed=${kind === name}
      @click=${() => set(name)}>${label}</button>`)}
      ${navigator.clipboard ? html`<button class="chip" @click=${copy}>${app.now() - (app.ui.copied ?? 0) < 2000 ? 'Copied' : 'Copy as text'}</button>` : nothing}</div>
    ${waits ? html`<p class="notice">What happened before is asked for once the alarm is a minute old, so that nothing is slowed down now.</p>` : nothing}
    ${events.length ? nothing : html`<p class="empty">Nothing yet since this page was opened.</p>`}
    <ol class="record">${repeat(events, (event) => event.id, (event) => html`
      <li class="record-line ${event.branch === 'move' ? 'move' : event.message.body.what}">
        <details><summary><span class="time muted">${timeOfDay(Date.parse(event.message.t.utc), true)}</span> ${recordLine(event.message, event.branch)}</summary>
          <p class="muted time">No. ${event.no} · ${event.message.t.us} µs · ${event.message.game} · ${event.id}</p></details>
      </li>
      ${missing.has(event.id) && !kind ? html`<li class="record-gap muted">… ${missing.get(event.id)} not received</li>` : nothing}`)}</ol>`;
}
