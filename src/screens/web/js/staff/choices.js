// The buttons below a ruling: the choices that came with it, the proposal first. They stick to the bottom edge, in reach of the thumb.
import { html, nothing } from '../../vendor/lit-html.js';
import { observedAt, observedRow } from './observed.js';
import { maySend, roleOn } from './roles.js';
import { isOffline } from './shell.js';
import { openSheet } from './sheet.js';
import { illegalSentence, resultOf, resultSentence } from './words.js';

/** @typedef {import('../../messages').Choice} Choice */

/**
 * Which choices are buttons at once, and which wait behind "Other result": results that nothing speaks for.
 * @param {import('../../messages').Finding & {screen?: import('../../messages').Screen|null}} finding
 * @returns {{first: Choice[], other: Choice[]}}
 */
export function sortChoices(finding) {
  const all = finding.screen?.choices ?? [];
  const results = new Set(finding.outcome === 'undecided' ? finding.alternatives.map(({ outcome }) => resultOf(outcome)) : []);
  const isFirst = (/** @type {Choice} */ choice) =>
    choice.verb !== 'declare-result' || choice.body.result === '*' || results.has(choice.body.result ?? null);
  const first = all.filter(isFirst);
  const other = all.filter((choice) => !isFirst(choice));
  // A single other result needs no further list.
  return other.length === 1 ? { first: [...first, ...other], other: [] } : { first, other };
}

/**
 * The bar at the bottom edge: when the arbiter saw it, and the buttons.
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {import('../../messages').BoardRulingMessage} message
 * @param {{pending: boolean, waits: boolean, also: unknown[]}} state `also`: buttons for alarms that the decision has left open
 */
export function decideBar(app, board, message, state) {
  const role = app.session && roleOn(app.model, app.session.user, board);
  if (!isOffline(app) && !maySend(role, 'confirm')) {
    return html`<div class="decide"><p class="muted">${role ? `As ${role} you may look, not decide.` : 'You have no role on this board: you may look, not decide.'}</p></div>`;
  }
  return html`<div class="decide">${message.body.decision ? nothing : observedRow(app, board, message)}${choiceButtons(app, board, message, state)}</div>`;
}

/** For a decision without a finding: its only choice. @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function takeBackBar(app, board) {
  const role = app.session && roleOn(app.model, app.session.user, board);
  const result = board.ruling?.message.body.decision?.result;
  if (!result || result === '*' || !maySend(role, 'declare-result') || app.commander?.isDenied(board, 'declare-result')) return nothing;
  const offline = isOffline(app);
  const title = 'Take the decision back';
  const open = () => openSheet(app, board, 'declare-result', { body: { result: '*' }, title, sentence: `${resultSentence('*')}.` });
  return html`<div class="decide"><div class="choices" role="group" aria-label="Decide">
    <button id="choice-*" ?disabled=${offline || !board.state} @click=${open}>${offline ? 'no connection' : title}</button></div></div>`;
}

/**
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {import('../../messages').BoardRulingMessage} message
 * @param {{pending: boolean, waits: boolean, also: unknown[]}} state
 */
function choiceButtons(app, board, message, { pending, waits, also }) {
  const finding = /** @type {any} */ (message.body);
  const { first, other } = sortChoices(finding);
  const offline = isOffline(app);
  /** @param {Choice} choice @param {string} id */
  const button = (choice, id) => {
    const lockMissing = choice.verb === 'declare-result' && !board.state;
    const off = offline || waits || lockMissing || (pending && choice.verb === 'confirm') || app.commander?.isDenied(board, choice.verb);
    const depends = finding.outcome === 'undecided' && choice.verb !== 'declare-result'
      ? finding.alternatives.find((/** @type {any} */ one) => one.outcome === 'game_goes_on')?.depends_on : '';
    return html`<button id=${id} class=${choice.verb === 'confirm' ? 'primary' : ''} ?disabled=${off} @click=${() => openChoice(app, board, message, choice)}>
      <span>${offline ? 'no connection' : choice.label}${!offline && depends ? html`<small>${depends}</small>` : nothing}</span></button>`;
  };
  // To reject is to say that the game goes on, but for a finding that says so itself.
  const rejects = finding.outcome === 'game_goes_on' && first[0]?.verb === 'confirm' ? 'choice-none' : 'choice-goes-on';
  const ids = (/** @type {Choice} */ choice) =>
    (choice.verb === 'confirm' && choice === first[0] ? 'choice-confirm' : choice.verb === 'declare-result' ? `choice-${choice.body.result}` : rejects);
  const toggle = () => { app.ui.others = !app.ui.others; app.paint(true); };
  return html`
    <div class="choices" role="group" aria-label="Decide">
      ${app.ui.others && other.length ? html`<div class="others">${other.map((choice) => button(choice, ids(choice)))}</div>` : nothing}
      ${first.map((choice) => button(choice, ids(choice)))}
      ${other.length ? html`<button id="choice-other" aria-expanded=${Boolean(app.ui.others)} ?disabled=${offline}
        @click=${toggle}>${offline ? 'no connection' : 'Other result…'}</button>` : nothing}
      ${also}
    </div>`;
}

/**
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {import('../../messages').BoardRulingMessage} message
 * @param {Choice} choice
 */
function openChoice(app, board, message, choice) {
  const body = choice.body.result ? { result: choice.body.result } : {};
  const finding = /** @type {import('../../messages').Finding} */ (message.body);
  const result = choice.verb === 'confirm' ? resultOf(finding.outcome) : choice.verb === 'reject' ? '*' : choice.body.result;
  openSheet(app, board, choice.verb, {
    body, title: choice.label, sentence: illegalSentence(finding, choice.verb) ?? (result ? `${resultSentence(result)}.` : choice.label), observedAt: message.body.decision ? null : observedAt(app, board, message),
    proposal: /** @type {any} */ (message.body).screen?.proposal,
  });
}
