// The loud alarms of one board that are open at once: tabs on a ruling, a list on the page of the board.
import { html, nothing } from '../../vendor/lit-html.js';
import { alarmItem } from './alarms.js';
import { isAbout, isOpen } from './needs.js';
import { boardName, go, goOnClick, hrefOf, placeOf } from './routes.js';
import { alarmTitle } from './words.js';
import './diagram.js';

/** @typedef {import('../../messages').AlertBody} Alert */
/** @typedef {import('../../messages').Finding & {screen?: import('../../messages').Screen|null}} Finding */

/** The loud alarms that are open, oldest first. @param {import('./model.js').Board} board */
const loudAlarms = (board) => [...board.alerts.values()].map((slot) => slot.message.body)
  .filter((alert) => alert.class === 'loud' && isOpen(alert)).sort((one, other) => one.opened_at - other.opened_at);

/** The loud alarms that a finding is about. @param {import('./model.js').Board} board @param {Finding} finding */
export const ownAlarms = (board, finding) => loudAlarms(board).filter((alert) => isAbout(finding, alert));

const sign = (/** @type {Alert} */ alert) => html`<span aria-hidden="true">${alert.kind === 'flag' ? '⚑' : '!'}</span>`;

/**
 * The alarm that the address of a ruling names, if it is open and another one than the ruling is about.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {Finding} finding
 * @returns {Alert|null}
 */
export function chosenAlarm(app, board, finding) {
  const chosen = loudAlarms(board).find((alert) => String(alert.id) === app.route.alarm);
  return chosen && !isAbout(finding, chosen) ? chosen : null;
}

/**
 * The tabs of a ruling: the finding, and each other alarm. Nothing where there is no other.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {Finding} finding
 */
export function alarmTabs(app, board, finding) {
  const all = loudAlarms(board);
  const others = all.filter((alert) => !isAbout(finding, alert));
  if (!others.length) return nothing;
  const [own] = ownAlarms(board, finding);
  const chosen = chosenAlarm(app, board, finding);
  const tab = (/** @type {unknown} */ label, /** @type {string} */ alarm, /** @type {boolean} */ present) => {
    const place = { board: boardName(app, board), view: 'ruling', ...(alarm && { alarm }) };
    return html`<a href=${hrefOf(place)} aria-current=${present ? 'page' : 'false'}
      @click=${(/** @type {MouseEvent} */ event) => { event.preventDefault(); go(app, place, true); }}>${label}</a>`;
  };
  return html`<nav class="tabs alarm-tabs" aria-label="Open alarms">
    ${tab(own ? html`${sign(own)} ${alarmTitle(own)}` : finding.screen?.headline ?? 'Ruling', '', !chosen)}
    ${others.map((alert) => tab(html`${sign(alert)} ${alarmTitle(alert)}`, String(alert.id), alert === chosen))}</nav>`;
}

/** One alarm in the place of the ruling. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {Alert} alert */
export function alarmPanel(app, board, alert) {
  const state = board.state?.message.body;
  return html`<div class="alarm-panel">
    ${state ? html`<staff-diagram .show=${{ fen: state.board, marks: { outlined: alert.squares } }}></staff-diagram>` : nothing}
    <ul class="alarms">${alarmItem(app, board, alert)}</ul></div>`;
}

/** The loud alarms of a board in one line, on its other tabs. @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function alarmLinks(app, board) {
  const all = loudAlarms(board);
  if (!all.length) return nothing;
  return html`<nav class="elsewhere open-alarms" aria-label="Open alarms"><span class="muted">${all.length} open</span> ${all.map((alert) => {
    const place = placeOf(app, board, alert);
    return html`<a class="chip ${place.view === 'ruling' ? 'loud' : ''}" href=${hrefOf(place)} @click=${goOnClick(app, place)}>${sign(alert)} ${alarmTitle(alert)}</a>`;
  })}</nav>`;
}
