// One board: position, clocks, moves, alarms of all classes, record, and what can be done.
import { html, nothing } from '../../vendor/lit-html.js';
import { ageText, playerName, timeOfDay } from '../common/format.js';
import { shownClock } from '../common/clock.js';
import { alarmsView } from './alarms.js';
import { doView } from './do.js';
import { deviceTime } from './journal-time.js';
import { deviceOf, isLive, livenessOf } from './live.js';
import { movesView } from './moves.js';
import { alarmLinks } from './open-alarms.js';
import { recordView } from './record.js';
import { boardName, go, goOnClick, hrefOf } from './routes.js';
import { differing } from './squares.js';
import { decidedBy, decisionOf } from './tiles.js';
import { underwayView } from './underway-view.js';
import { resultSign, sideName } from './words.js';
import './diagram.js';

/** @type {[string, string][]} */
const TABS = [['position', 'Position'], ['moves', 'Moves'], ['alarms', 'Alarms'], ['record', 'Record'], ['do', 'Do']];
/** @type {Record<string, string>} */
const PHASES = { idle: 'nothing touched', touched: 'a man is lifted', made: 'move made, not completed', illegal: 'no legal move stands' };
/** @type {Record<string, string>} */
const STAGES = { awaiting_set_up: 'waits for the men', armed: 'set up, not begun', playing: 'playing', over: 'over' };
/** @type {Record<string, string>} */
const RECORDING = { unknown: 'not known', required: 'every move', suspended: 'suspended to the end of the period', not_required: 'not required' };

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
export function boardView(app, board) {
  const tab = app.route.tab || 'position';
  const alarms = board.state?.message.body.alarms.length ?? board.alerts.size;
  const place = (/** @type {string} */ name) => ({ board: boardName(app, board), view: 'board', tab: name });
  const live = livenessOf(app.model, board, app.now());
  const ruling = board.ruling?.message.body;
  const toRuling = { board: boardName(app, board), view: 'ruling' };
  return html`
    <main class="board">
      <div class="ruling-head">
        <a class="back" href=${hrefOf({})} @click=${goOnClick(app, {})}>‹ Hall</a>
        <h1>Board ${board.id}</h1>
        <span class="muted">${isLive(live) ? STAGES[board.state?.message.body.stage ?? ''] ?? '' : `not live: ${live.cause}`}</span>
        ${ruling && 'position' in ruling ? html`<a class="to-board" href=${hrefOf(toRuling)} @click=${goOnClick(app, toRuling)}>Ruling</a>` : nothing}
      </div>
      ${underwayView(app, board)}
      ${tab === 'alarms' ? nothing : alarmLinks(app, board)}
      <nav class="tabs" aria-label="Board ${board.id}">${TABS.map(([name, label]) => html`
        <a href=${hrefOf(place(name))} aria-current=${tab === name ? 'page' : 'false'} class="tab-${name}"
          @click=${(/** @type {MouseEvent} */ event) => { event.preventDefault(); go(app, place(name), true); }}>${label}${name === 'alarms' && alarms ? html` <b class="count">${alarms}</b>` : nothing}</a>`)}</nav>
      <div class="board-grid show-${tab}">
        <section class="board-position" aria-label="Position">${positionView(app, board)}</section>
        <section class="board-tab" aria-label=${TABS.find(([name]) => name === tab)?.[1] ?? 'Moves'}>${tabView(app, board, tab)}</section>
      </div>
    </main>`;
}

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {string} tab */
function tabView(app, board, tab) {
  const state = board.state?.message.body;
  if (tab === 'alarms') return alarmsView(app, board);
  if (tab === 'record') return recordView(app, board);
  if (tab === 'do') return doView(app, board);
  // On a wide page the position is always there, so its tab shows the moves beside it.
  return state ? movesView(state) : waiting(app);
}

/** @param {import('./app.js').App} app */
const waiting = (app) => html`<p class="empty">${app.linkState === 'live' ? 'Nothing has been published about this board for arbiters.' : 'No connection.'}</p>`;

/** @param {import('./app.js').App} app @param {import('./model.js').Board} board */
function positionView(app, board) {
  const message = board.state?.message;
  if (!message) return waiting(app);
  const state = message.body;
  // While a move is made the board differs for a moment, and the arrow says how.
  const squares = state.pending.length || state.phase === 'touched' ? [] : differing(state.fen, state.board);
  const arrows = state.pending.map((move) => ({ from: move.uci.slice(0, 2), to: move.uci.slice(2, 4) }));
  const orientation = app.ui.flipped ? 'black' : 'white';
  const read = deviceTime(board.time, state.clock.read_us, message);
  const clock = shownClock({ ...state.clock, at: read?.at ?? app.now(), about: read?.about }, app.now(), 'staff');
  const [top, bottom] = app.ui.flipped ? ['white', 'black'] : ['black', 'white'];
  const flip = () => { app.ui.flipped = !app.ui.flipped; app.paint(true); };
  return html`
    ${player(state, /** @type {any} */ (top), clock)}
    <staff-diagram .show=${{ fen: state.fen, orientation, marks: { lastMove: state.moves.at(-1)?.uci ?? null, arrows, outlined: squares } }}></staff-diagram>
    ${player(state, /** @type {any} */ (bottom), clock)}
    <p class="board-line">${state.fen.split(' ')[1] === 'b' ? 'Black' : 'White'} to move · ${PHASES[state.phase] ?? state.phase}
      <button class="quiet" @click=${flip}>Flip</button></p>
    ${squares.length ? html`<p class="notice">The board differs on ${squares.slice(0, 10).join(' ')}${squares.length > 10 ? ' …' : ''}.</p>` : nothing}
    ${facts(app, board, message)}`;
}

/** @param {import('../../messages').ArbiterState} state @param {'white'|'black'} side @param {ReturnType<typeof shownClock>} clock */
function player(state, side, clock) {
  const runs = clock.running === side;
  const flag = state.flags.some((one) => one.side === side);
  return html`<p class="board-player ${runs ? 'runs' : ''}"><span class="board-name"><bdi>${playerName(state.players?.[side]) || sideName(side)}</bdi></span>
    <span>${flag ? '⚑' : ''}${runs ? ' ▶' : ''}</span><span class="time big ${clock[side].stale ? 'old' : ''}">${clock[side].text}</span></p>`;
}

/** What arbiters may know besides. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {import('../../messages').BoardStateArbiterMessage} message */
function facts(app, board, message) {
  const state = message.body;
  const device = deviceOf(app.model, board.key)?.slot.message.body;
  const pair = (/** @type {any} */ white, /** @type {any} */ black) => `${white ?? 'not known'} / ${black ?? 'not known'}`;
  const read = deviceTime(board.time, state.clock.read_us, message);
  const decision = decisionOf(board);
  /** @type {[string, unknown][]} */
  const rows = [
    ['Moves completed', pair(state.completed.white, state.completed.black)],
    ['Period', pair(state.period.white, state.period.black)],
    ['Lever', state.lever_up ? `${sideName(state.lever_up)}’s is up` : 'not known'],
    ['Clock', state.clock_status === 'reporting' ? `read ${read ? ageText(Math.max(0, app.now() - read.at)) : ''} ago${state.clock.running ? '' : ', stands'}` : state.clock_status.replaceAll('_', ' ')],
    ['Must record', state.recording.white === state.recording.black ? RECORDING[state.recording.white] ?? '' : pair(RECORDING[state.recording.white], RECORDING[state.recording.black])],
    ['Result', state.result ? `${resultSign(state.result)}${state.ending ? ` · ${state.ending.replaceAll('_', ' ')}` : ''}` : ''],
    ['Decided', decision ? `${resultSign(decision.result)} · ${decidedBy(board)}` : ''],
    ['Shown, not entered', state.hints.map((hint) => `${resultSign(hint.result)} with the kings in the centre`).join(', ')],
    ['Touched', (state.touched_men ?? []).slice(-3).map((man) => `${man.man}${man.square}`).join(', ')],
    ['Not published', state.unpublished ? state.unpublished.replaceAll('_', ' ') : ''],
    ['Device', device ? [device.transport, device.port, device.battery_percent !== undefined && device.battery_percent !== null ? `battery ${device.battery_percent} %` : '',
      device.signal_dbm ? `${device.signal_dbm} dBm` : '', device.problem].filter(Boolean).join(' · ') : 'none'],
    ['Published', `${timeOfDay(Date.parse(message.t.utc), true)} · revision ${message.rev}`],
  ];
  return html`<p class="facts-head muted">White / Black</p><dl class="facts">${rows.map(([name, value]) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : nothing))}</dl>`;
}
