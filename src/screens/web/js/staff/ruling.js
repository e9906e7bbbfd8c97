// One ruling, to be read at arm's length within ten seconds. All its words come with the message; this page knows no Laws.
import { html, nothing } from '../../vendor/lit-html.js';
import { ageText, playerName, timeOfDay } from '../common/format.js';
import { formatTime } from '../common/clock.js';
import { ageOf, utcOf } from './journal-time.js';
import { isLive, livenessOf } from './live.js';
import { acknowledgeButton } from './alarms.js';
import { alarmPanel, alarmTabs, chosenAlarm, ownAlarms } from './open-alarms.js';
import { boardName, go, goOnClick, hrefOf } from './routes.js';
import { decideBar, takeBackBar } from './choices.js';
import { recordSeen } from './observed.js';
import { isWorkedOut, saidBefore, saidBy } from './said.js';
import { differing } from './squares.js';
import { decidedBy } from './tiles.js';
import { underwayView } from './underway-view.js';
import { actWords, alarmTitle, resultSign, sideName } from './words.js';
import './diagram.js';

/** How long the buttons are off after the finding changed under the eyes of the arbiter, milliseconds. */
const LOOK_FIRST = 1500;

/**
 * Remembers what the finding that is on the screen says, so that a change is not missed.
 * @param {import('./app.js').App} app
 * @param {import('../../messages').BoardRulingMessage} message
 * @returns {{game: string, body: import('./said.js').Shown, last: import('./said.js').Shown|null, old: string, revision: number, until: number}}
 *   `last`: what was proposed last; `old`: what it said before this revision; `until`: the buttons are off
 */
function watch(app, message) {
  const body = /** @type {import('./said.js').Shown} */ (message.body);
  const before = app.ui.ruling;
  const same = before && before.game === message.game && before.body.id === body.id;
  const isNew = !same || saidBy(before.body) !== saidBy(body);
  // Buttons that have just come are not those of the first answer, which comes in a moment; once it is there, nothing has changed under the finger.
  const waits = same ? !(isWorkedOut(before.body) && app.now() < before.until) : isWorkedOut(body);
  const until = isNew ? (waits ? app.now() + LOOK_FIRST : 0) : before.until;
  // A decision is shown as what it is. While an answer is awaited nothing is proposed: it is compared with what was proposed before.
  const last = same ? before.last : null;
  const isProposal = !isWorkedOut(body);
  const old = isNew ? (last && isProposal && !body.decision && !last.decision ? saidBefore(last, body) : '') : before.old;
  app.ui.ruling = { game: message.game, body, last: isProposal ? body : last, until, old, revision: isNew ? body.revision : before.revision };
  if (isNew && until) setTimeout(() => app.paint(true), LOOK_FIRST + 50);
  return app.ui.ruling;
}

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function rulingView(app, board) {
  const message = board.ruling?.message;
  const toBoard = { board: boardName(app, board), view: 'board' };
  const head = (/** @type {string} */ title, /** @type {unknown} */ age = nothing) => html`<div class="ruling-head">
    <a class="back" href=${hrefOf({})} @click=${goOnClick(app, {})}>‹ Hall</a><h1>Board ${board.id}${title && ` · ${title}`}</h1>${age}
    <a class="to-board" href=${hrefOf(toBoard)} @click=${goOnClick(app, toBoard)}>Board ›</a></div>`;
  if (!message || !('position' in message.body)) {
    return html`<main class="ruling">${head('')}
      <div class="ruling-notes">${underwayView(app, board)}</div>
      <p class="empty">${message ? `Decided ${resultSign(message.body.decision?.result)} by ${decidedBy(board)}.` : 'There is no ruling on this board.'}</p>
      ${message ? takeBackBar(app, board) : nothing}</main>`;
  }
  const finding = message.body;
  const screen = finding.screen;
  const seen = watch(app, message);
  const state = board.state?.message;
  const live = livenessOf(app.model, board, app.now());
  const age = ageOf(board.time, finding.expired_at?.[1] ?? finding.ended_at?.[1] ?? message.t.us, message, app.now());
  const decided = finding.decision;
  const knownAt = timeOfDay(utcOf(message.t.us, message).getTime(), true);
  const pending = finding.winnable.verdict === 'pending';
  const waits = app.now() < seen.until;
  const other = chosenAlarm(app, board, finding);
  if (other) return html`<main class="ruling">${head(alarmTitle(other))}
    ${alarmTabs(app, board, finding)}<div class="ruling-notes">${underwayView(app, board)}</div>${alarmPanel(app, board, other)}</main>`;
  return html`
    <main class="ruling">
      ${head(screen?.headline ?? 'Ruling', html`<span class="age time">${age ? `${age.about ? '≈ ' : ''}${ageText(age.ms)} ago` : ''}</span>`)}
      ${alarmTabs(app, board, finding)}
      <div class="ruling-notes" role="status">
        ${decided || seen.old || pending || !isLive(live) ? nothing : html`<p class="muted">As of ${knownAt}, revision ${seen.revision}.</p>`}
        ${decided ? html`<p class="notice decided">✓ Decided ${resultSign(decided.result)} by ${decidedBy(board)}${decided.reason ? `: ${decided.reason}` : ''}</p>` : nothing}
        ${seen.old ? html`<p class="notice changed">The finding changed (revision ${seen.revision}). Before: <s>${seen.old}</s></p>` : nothing}
        ${pending ? html`<p class="notice">Whether mate is possible (6.9) is being worked out. Confirming is off until then.</p>` : nothing}
        ${!isLive(live) ? html`<p class="notice hatched">Not live: ${live.cause}. This was known at ${knownAt}.</p>` : nothing}
        ${underwayView(app, board)}
      </div>
      <div class="ruling-grid">
        <div class="ruling-say">
          <p class="act ${screen?.act ?? ''}">${screen ? actWords(screen.act) : ''}</p>
          <p class="proposal">${(isWorkedOut(finding) ? screen?.why : screen?.proposal) ?? 'This node sends no words for its ruling.'}</p>
          ${screen?.besides?.length ? html`<ul class="besides">${screen.besides.map((one) => html`<li>${one}</li>`)}</ul>` : nothing}
        </div>
        ${positions(board, finding)}
        <div class="ruling-times">${times(board, finding)}</div>
        <div class="ruling-facts">
          ${screen?.moves ? html`<p class="moves-done">${screen.moves}</p>` : nothing}
          <p>${isWorkedOut(finding) ? html`<b>Until then</b> ${screen?.proposal.replace(/^Proposal: /, '')}` : html`<b>Why</b> ${screen?.why}`}${screen?.line ? html`<details><summary>Line</summary><p class="line">${screen.line}</p>
            ${screen.final_position ? html`<staff-diagram class="small-diagram" .show=${{ fen: screen.final_position, small: true }}></staff-diagram>` : nothing}</details>` : nothing}</p>
          ${screen?.check.length ? html`<p><b>Check</b> ${screen.check.join(' · ')}</p>` : nothing}
          ${finding.contested ? html`<p class="notice amber">△ Contested: see the proposal.</p>` : nothing}
          ${screen?.unknown.length ? html`<p class="notice amber">△ Not known: ${screen.unknown.join(', ')}</p>` : nothing}
          <p class="rules muted">${screen?.rules}</p>
          ${flags(state, message)}
          ${recordSeen(app, board, message)}
        </div>
      </div>
      ${decideBar(app, board, message, { pending, waits, also: decided ? ownAlarms(board, finding).map((alert) => acknowledgeButton(app, board, alert)) : [] })}
    </main>`;
}

/** The position that counts, and beside it what stands now if that differs. @param {import('./model.js').Board} board @param {import('../../messages').Finding} finding */
function positions(board, finding) {
  const now = board.state?.message.body.board;
  const squares = now ? differing(finding.position, now) : [];
  const toMove = finding.position.split(' ')[1] === 'b' ? 'Black' : 'White';
  return html`
    <div class="positions ${squares.length ? 'two' : ''}">
      <figure><staff-diagram .show=${{ fen: finding.position, marks: { outlined: squares } }}></staff-diagram>
        <figcaption>${squares.length ? html`<b>Counts</b> · ` : nothing}${toMove} to move</figcaption></figure>
      ${squares.length && now ? html`<figure><staff-diagram .show=${{ fen: now, small: true, marks: { outlined: squares } }}></staff-diagram>
        <figcaption><b>Stands now</b> · ${squares.slice(0, 6).join(' ')}${squares.length > 6 ? ' …' : ''}</figcaption></figure>` : nothing}
    </div>`;
}

/** Both times as the clock showed them. @param {import('./model.js').Board} board @param {import('../../messages').Finding} finding */
function times(board, finding) {
  const state = board.state?.message.body;
  const players = state?.players ?? board.live?.message.body.players;
  const clock = state?.clock;
  /** @param {'white'|'black'} side */
  const row = (side) => html`<div class="times-row"><span class="muted">${sideName(side)}</span><bdi>${playerName(players?.[side])}</bdi>
    <span class="time big">${clock ? formatTime(clock[`${side}_ms`]) : '–'}<span class="flag-sign">${flagOf(state, side) || finding.flag === side ? ' ⚑' : ''}</span></span></div>`;
  return html`${row('white')}${row('black')}`;
}

/** @param {import('../../messages').ArbiterState|undefined} state @param {string} side */
const flagOf = (state, side) => state?.flags.some((flag) => flag.side === side) ?? false;

/** Two flags or more, in the order in which they fell. @param {import('../../messages').BoardStateArbiterMessage|undefined} state @param {{t: {us: number, utc: string}}} message */
function flags(state, message) {
  const fallen = state?.body.flags ?? [];
  if (fallen.length < 2) return nothing;
  return html`<ol class="flags" aria-label="Flags in the order in which they fell">${fallen.map((flag, index) => html`
    <li><b>${index + 1}. ⚑ ${sideName(flag.side)}</b> <span class="time">${timeOfDay(utcOf(flag.expired_at[1], message).getTime(), true)}</span>
      <span class="muted">${flag.path.replaceAll('_', ' ')}</span></li>`)}</ol>`;
}

/** Goes to the ruling of a board. @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export const openRuling = (app, board) => go(app, { board: boardName(app, board), view: 'ruling' });
