// What other users are doing on a board: "petra is confirming…".
import { html } from '../../vendor/lit-html.js';
import { othersUnderway } from './underway.js';
import { VERBS } from './verbs.js';

/** @type {Record<string, string>} */
const DOES = {
  'confirm': 'is confirming', 'reject': 'is deciding that the game goes on', 'declare-result': 'is declaring a result',
  'acknowledge-alert': 'is closing an alarm', 'penalty': 'is recording a penalty',
};

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function underwayView(app, board) {
  const others = othersUnderway(board, app.session?.user ?? '', app.now());
  return html`<div class="underway-list" role="status">${others.map(({ user, verb }) =>
    html`<p class="notice underway"><b>${user}</b> ${DOES[verb] ?? `is sending “${VERBS[verb]?.title ?? verb}”`}…</p>`)}</div>`;
}
