// The arbiters' page: hall, ruling, board.
import { html, nothing } from '../../vendor/lit-html.js';
import { ageText } from '../common/format.js';
import { startApp } from './app.js';
import { boardView } from './board.js';
import { elsewhereView, hallView } from './hall.js';
import { showCount } from './icon.js';
import { KEYS, listenToKeys } from './keys.js';
import { followNeeds, openNeeds } from './needs.js';
import { isMine } from './roles.js';
import { boardsNow, roundsOf } from './rounds.js';
import { boardOfRoute } from './routes.js';
import { rulingView } from './ruling.js';
import { shell } from './shell.js';
import { sheetView } from './sheet.js';
import { newSound } from './sound.js';
import { newSeries } from './events.js';
import { alarmTitle } from './words.js';

/** A page that was hidden longer says what happened meanwhile. Milliseconds. */
const AWAY = 60_000;

/** For so long after a touch somebody looks at the page, milliseconds. */
const LOOKS = 30_000;

const sound = newSound();
/** Alarms that somebody looked at on this page: they make no sound any more. @type {Set<string>} */
const opened = new Set();

/** @param {import('./app.js').App} app */
function topics(app) {
  const hall = roundsOf(app).flatMap((round) => [`arbiter/${round}/+/alert/+`, `arbiter/${round}/+/ruling`, `live/${round}/+/state`, `live/${round}/+/clock`]);
  const board = boardOfRoute(app);
  leave(app, board?.key ?? '');
  return board ? [...hall, ...['moves/+', 'state', 'move', 'audit'].map((what) => `arbiter/${board.key}/${what}`), `cmd/+/${board.key}/+`] : hall;
}

/** Forgets the arbiters' state of the board that was left: it is not kept up to date any more. @param {import('./app.js').App} app @param {string} key */
function leave(app, key) {
  const before = app.ui.onBoard ?? '';
  app.ui.onBoard = key;
  if (!before || before === key) return;
  const left = app.model.boards.get(before);
  if (!left) return;
  left.state = null;
  left.parts.clear();
  left.record = newSeries();
  left.underway.clear();
  Object.assign(app.ui, { others: false, editor: null });
  app.ui.complete?.delete(before);
}

/** @param {import('./app.js').App} app @param {import('./model.js').Change|null} change */
function onChange(app, change) {
  if (change && change.kind !== 'alert' && change.kind !== 'ruling') return;
  const user = app.session?.user ?? '';
  const now = app.now();
  const mine = boardsNow(app).filter((board) => isMine(app.model, user, board));
  followNeeds(app, openNeeds(mine, now));
  // A page that lies there with a board on it is no eye that has seen the alarm.
  const here = app.session?.locked || now - app.lock.touchedAt() > LOOKS ? null : boardOfRoute(app);
  for (const need of app.ui.needs) if (here && need.boards.includes(here)) opened.add(need.key);
  const unseen = app.ui.needs.filter((/** @type {import('./needs.js').Need} */ need) => !need.closed && !opened.has(need.key));
  // What was there when the page opened is not news; what came while there was no connection is.
  const fresh = sound.follow(unseen, now).filter((need) => !need.old || app.model.connection > 1);
  const last = fresh.at(-1);
  if (last) {
    if (document.hidden) app.ui.missedHidden = (app.ui.missedHidden ?? 0) + fresh.length;
    app.ui.announced = `Board ${last.board.id}: ${last.alert ? alarmTitle(last.alert) : 'claim'}`;
  }
  showCount(app.config.event || 'flagfall', app.ui.open);
}

/** @param {import('./app.js').App} app */
function view(app) {
  const board = boardOfRoute(app);
  const page = !app.route.board ? hallView(app)
    : !board ? html`<main><p class="empty">Board ${app.route.board} has not been published.</p><p><a href="/arbiter/">To the hall</a></p></main>`
      : html`${elsewhereView(app, board)}<p class="heard" role="alert">${app.ui.announced ?? ''}</p>${app.route.view === 'ruling' ? rulingView(app, board) : boardView(app, board)}`;
  const bell = html`<button class="quiet bell" aria-label="Sound ${sound.isOn() ? 'on' : 'off'}"
    @click=${() => toggleSound(app)}><span aria-hidden="true">♪</span><span class="bell-words">Sound</span> ${sound.isOn() ? 'on' : 'off'}</button>`;
  return html`${shell(app, html`${!app.route.board && sound.isAsked() ? askForSound(app) : nothing}${page}`, bell)}${sheetView(app)}${app.ui.help ? help(app) : nothing}
    ${app.ui.number ? html`<p class="typed" role="status">Board ${app.ui.number} ↵</p>` : nothing}`;
}

/** @param {import('./app.js').App} app */
function toggleSound(app) {
  sound.toggle();
  keepAwake(app);
  app.paint(true);
}

/** Asked once on a device, in the hall: the browser lets no page begin to sound by itself. @param {import('./app.js').App} app */
function askForSound(app) {
  const none = () => { sound.keepOff(); app.paint(true); };
  return html`<section class="ask-sound card" aria-label="Sound">
    <p class="big">Sound for alarms?</p>
    <p>Two tones, again after 10 and 30 seconds until somebody looks. Without sound an alarm is only seen. ♪ in the bar changes it at any time.</p>
    <p class="sheet-buttons"><button class="primary" @click=${() => toggleSound(app)}>Sound on</button><button @click=${none}>Without sound</button></p>
  </section>`;
}

/** Keeps the screen on, where the browser allows it: only with TLS or on this machine. @param {import('./app.js').App} app */
async function keepAwake(app) {
  try {
    if (!navigator.wakeLock) throw new Error('no wake lock');
    await navigator.wakeLock.request('screen');
  } catch {
    app.ui.away = 'This device may fall asleep: alarms are not heard then.';
    app.paint(true);
  }
}

/** @param {import('./app.js').App} app */
function help(app) {
  const close = () => { app.ui.help = false; app.paint(true); };
  return html`<section class="help card" role="dialog" aria-label="Keys"><h2>Keys</h2>
    <dl>${KEYS.map(([key, words]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${words}</dd></div>`)}</dl><button @click=${close}>Close</button></section>`;
}

const app = await startApp({ page: 'arbiter', view, topics, onChange });
listenToKeys(app, { toggleSound: () => toggleSound(app) });
// A device that was asked before sounds again from the first tap or key on, such as that of the login.
for (const name of ['click', 'keydown']) addEventListener(name, () => { if (sound.wake()) keepAwake(app); });
let hiddenSince = 0;
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    hiddenSince = app.now();
    app.ui.missedHidden = 0;
  } else if (hiddenSince && app.now() - hiddenSince > AWAY && app.session) {
    const missed = app.ui.missedHidden ?? 0;
    app.ui.away = `You were away ${ageText(app.now() - hiddenSince)}; ${missed} ${missed === 1 ? 'alarm' : 'alarms'} since.`;
    if (sound.isOn()) keepAwake(app);
    app.paint(true);
  }
});
