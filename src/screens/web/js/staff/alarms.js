// The alarms of one board, of all classes, with what can be done about them; the claims and entries of the game.
import { html, nothing, repeat } from '../../vendor/lit-html.js';
import { ageText, timeOfDay } from '../common/format.js';
import { ageOf, utcOf } from './journal-time.js';
import { findingOf, isAbout, isOpen, openFinding } from './needs.js';
import { maySend, roleOn } from './roles.js';
import { goOnClick, hrefOf, placeOf } from './routes.js';
import { openSheet } from './sheet.js';
import { alarmLine, alarmTitle, resultSign, sideName } from './words.js';

/** Alarms of the program have numbers from here on, or 0; nobody can acknowledge them. */
const FIRST_OF_PROGRAM = 2_000_000_001;
const ORDER = { loud: 0, silent: 1, note: 2 };
const SIGNS = { loud: '!', silent: '○', note: '·' };

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function alarmsView(app, board) {
  const byId = new Map((board.state?.message.body.alarms ?? []).map((alert) => [alert.id, alert]));
  for (const slot of board.alerts.values()) byId.set(slot.message.body.id, slot.message.body);
  const alarms = [...byId.values()].sort((one, other) => ORDER[one.class] - ORDER[other.class] || one.opened_at - other.opened_at);
  return html`
    ${alarms.length ? nothing : html`<p class="empty">No alarm is open.</p>`}
    <ul class="alarms">${repeat(alarms, (alert) => alert.id, (alert) => alarmItem(app, board, alert))}</ul>
    ${entries(board)}${decisions(board)}`;
}

/** One alarm, and what can be done about it. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {import('../../messages').AlertBody} alert */
export function alarmItem(app, board, alert) {
  const message = board.state?.message ?? board.live?.message ?? [...board.alerts.values()][0]?.message;
  const age = ageOf(board.time, alert.opened_at, message, app.now());
  const finding = findingOf(board);
  const ruling = placeOf(app, board, alert);
  return html`<li class="alarm ${alert.class}">
      <span class="alarm-title"><span aria-hidden="true">${alert.kind === 'flag' ? '⚑' : SIGNS[alert.class]}</span> ${alarmTitle(alert)}</span>
      <span class="age time muted">${age ? ageText(age.ms) : ''}</span>
      <span class="alarm-line">${alarmLine(alert)}</span>
      <span class="alarm-class muted">${{ loud: 'go to the board', silent: 'do not walk over', note: 'for the record' }[alert.class]}</span>
      <span class="alarm-buttons">
        ${finding && isAbout(finding, alert) ? html`<a class="button primary" href=${hrefOf(ruling)} @click=${goOnClick(app, ruling)}>Ruling ›</a>` : nothing}
        ${answerButtons(app, board, alert)}${acknowledgeButton(app, board, alert)}</span>
    </li>`;
}

/** The answers to an alarm that asks something, if this user may give one. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {import('../../messages').AlertBody} alert */
function answerButtons(app, board, alert) {
  const role = app.session && roleOn(app.model, app.session.user, board);
  const choices = (alert.choices ?? []).filter(({ verb }) => isOpen(alert) && maySend(role, verb));
  return choices.map((choice) => html`<button class="primary"
    @click=${() => openSheet(app, board, choice.verb, { body: { ...choice.body }, title: choice.label })}>${choice.label}</button>`);
}

/** The button that closes an alarm, if this user may. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {import('../../messages').AlertBody} alert */
export function acknowledgeButton(app, board, alert) {
  const role = app.session && roleOn(app.model, app.session.user, board);
  const closable = alert.id > 0 && alert.id < FIRST_OF_PROGRAM && isOpen(alert) && !alert.choices?.length
    && !(alert.kind === 'flag' && openFinding(board)) && maySend(role, 'acknowledge-alert');
  return closable ? html`<button @click=${() => acknowledge(app, board, alert)}>Acknowledge</button>` : nothing;
}

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {import('../../messages').AlertBody} alert */
function acknowledge(app, board, alert) {
  openSheet(app, board, 'acknowledge-alert', { body: { alarm: alert.id }, sentence: `the alarm “${alarmTitle(alert)}” is dealt with and closed.` });
}

/** What was entered at the arbiter's desk. @param {import('./model.js').Board} board */
function entries(board) {
  const message = board.state?.message;
  const list = message?.body.entries ?? [];
  if (!message || !list.length) return nothing;
  return html`<h2>Claims and entries</h2><ul class="plain">${list.map((entry) => html`<li>
    <span class="time muted">${timeOfDay(utcOf(entry.happened_at[1], message).getTime(), true)}</span>
    <b>${sideName(entry.side)}</b> ${entry.kind.replaceAll('_', ' ')}
    ${entry.kind === 'claim' ? html`${entry.ground.replaceAll('_', ' ')}, ${entry.standing}` : nothing}
    ${entry.claim ? html`<span class="muted">${whatTheRecordSays(entry.claim)}</span>` : nothing}
  </li>`)}</ul>`;
}

/** @param {import('../../messages').ClaimBody} claim */
function whatTheRecordSays({ correct, note }) {
  const words = correct === true ? 'the record bears it out' : correct === false ? 'the record does not bear it out' : 'the record does not tell';
  return note ? `${words}: ${note}` : words;
}

/** Every decision of the game. @param {import('./model.js').Board} board */
function decisions(board) {
  const message = board.state?.message;
  const list = message?.body.decisions ?? [];
  if (!message || !list.length) return nothing;
  const superseded = new Set(list.map((decision) => decision.supersedes));
  return html`<h2>Decisions</h2><ul class="plain">${list.map((decision) => html`<li class=${superseded.has(decision.number) ? 'superseded' : ''}>
    <span class="time muted">${timeOfDay(utcOf(decision.at, message).getTime(), true)}</span>
    <b>${decision.kind.replaceAll('_', ' ')} ${resultSign(decision.result)}</b> ${decision.by ?? ''} ${decision.reason ? `“${decision.reason}”` : ''}
    ${superseded.has(decision.number) ? html`<span class="muted">superseded</span>` : nothing}</li>`)}</ul>`;
}
