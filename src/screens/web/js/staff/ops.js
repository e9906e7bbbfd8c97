// The tabs of the operations page, and what each of them reads.
import { html, nothing, repeat } from '../../vendor/lit-html.js';
import { ageText } from '../common/format.js';
import { compare } from './compare.js';
import { devicesView, nodesView } from './devices.js';
import { boardsInOrder } from './hall.js';
import { ageOf } from './journal-time.js';
import { isOpen } from './needs.js';
import { roundsOf } from './rounds.js';
import { go, hrefOf } from './routes.js';
import { isPlaying, setupView } from './setup.js';
import { alarmLine, alarmOf, alarmTitle } from './words.js';

/** The readings of at most so many boards are shown beside their alarms. */
const READINGS = 24;

/** @type {[string, string][]} */
const TABS = [['setup', 'Set-up'], ['devices', 'Devices'], ['nodes', 'Nodes'], ['moves', 'Moves to check']];

/** The boards with an alarm for the desk. @param {import('./app.js').App} app */
const toCheck = (app) => boardsInOrder(app).flatMap((board) => {
  const alarms = [...board.alerts.values()].filter((slot) => alarmOf(slot.message.body.kind).desk && isOpen(slot.message.body));
  return alarms.length ? [{ board, alarms }] : [];
});

/** What this page reads besides nodes and devices. @param {import('./app.js').App} app @returns {string[]} */
export function opsTopics(app) {
  const rounds = roundsOf(app);
  const tab = app.route.tab || 'setup';
  const topics = ['node/+/#', ...rounds.flatMap((round) => [`arbiter/${round}/+/alert/+`, `live/${round}/+/state`])];
  // The arbiters' states are large: all of them only while men are lifted before the round, some for the desk.
  if (tab === 'setup' && !isPlaying(app)) topics.push(...rounds.map((round) => `arbiter/${round}/+/state`));
  if (tab === 'moves') topics.push(...toCheck(app).slice(0, READINGS).map(({ board }) => `arbiter/${board.key}/state`));
  if (app.ui.sheet && app.ui.binding) topics.push(`arbiter/${app.ui.binding}/state`);
  return topics;
}

/** @param {import('./app.js').App} app */
export function opsView(app) {
  const tab = app.route.tab || 'setup';
  const checks = toCheck(app);
  return html`
    <main class="ops">
      <h1 class="heard">Operations</h1>
      <nav class="tabs" aria-label="Operations">${TABS.map(([name, label]) => html`<a href=${hrefOf({ tab: name })} aria-current=${tab === name ? 'page' : 'false'}
        @click=${(/** @type {MouseEvent} */ event) => { event.preventDefault(); go(app, { tab: name }, true); }}>${label}${name === 'moves' && checks.length ? html` <b class="count">${checks.length}</b>` : nothing}</a>`)}</nav>
      ${tab === 'devices' ? html`${deviceAlarms(app)}${devicesView(app)}` : tab === 'nodes' ? nodesView(app) : tab === 'moves' ? deskView(app, checks) : setupView(app)}
    </main>`;
}

/** The alarms about devices, with their sentences. @param {import('./app.js').App} app */
function deviceAlarms(app) {
  const rows = boardsInOrder(app).flatMap((board) => [...board.alerts.values()].map((slot) => ({ board, alert: slot.message.body }))
    .filter(({ alert }) => alarmOf(alert.kind).device && isOpen(alert)));
  rows.sort((one, other) => Number(other.alert.class === 'loud') - Number(one.alert.class === 'loud'));
  if (!rows.length) return nothing;
  return html`<h2>Alarms of devices</h2><ul class="alarms">${rows.map(({ board, alert }) => html`<li class="alarm ${alert.class}">
    <span class="alarm-title">${alert.class === 'loud' ? '!' : '○'} ${board.id} · ${alarmTitle(alert)}</span><span class="alarm-line">${alarmLine(alert)}</span></li>`)}</ul>`;
}

/** Moves to check: the game and what the board shows, beside each other. @param {import('./app.js').App} app @param {ReturnType<typeof toCheck>} checks */
function deskView(app, checks) {
  if (!checks.length) return html`<p class="empty">No move is to be checked.</p>`;
  return html`<p class="muted">For the desk: nobody walks over to a board for these.</p>
    <ul class="desk">${repeat(checks, ({ board }) => board.key, ({ board, alarms }) => {
    const state = board.state?.message.body;
    const href = `/arbiter/${hrefOf({ board: board.id, view: 'board', tab: 'do' })}`;
    return html`<li class="card"><h2>Board ${board.id} <a href=${href}>Open</a></h2>
      ${alarms.map(({ message }) => {
    const age = ageOf(board.time, message.body.opened_at, message, app.now());
    return html`<p><b>${alarmTitle(message.body)}</b> <span class="muted time">${age ? ageText(age.ms) : ''}</span><br>${alarmLine(message.body)}</p>`;
  })}
      ${state ? compare([state.fen, 'The game'], [state.board, 'The board shows']) : nothing}</li>`;
  })}</ul>`;
}
