// The hall: who needs somebody, and the grid of boards.
import { guard, html, nothing, ref, repeat } from '../../vendor/lit-html.js';
import { ageText, foldAccents, playerName, shortName } from '../common/format.js';
import { shownClock } from '../common/clock.js';
import { deviceTime } from './journal-time.js';
import { isAbout, openFinding } from './needs.js';
import { readClock, tileOf } from './tiles.js';
import { boardsNow } from './rounds.js';
import { goOnClick, hrefOf, placeOf } from './routes.js';
import { actWords, alarmLine, alarmTitle, sideName } from './words.js';

/** @type {[string, string][]} */
const FILTERS = [['all', 'All'], ['needs', 'Needs me'], ['playing', 'Playing'], ['ready', 'Set up'], ['finished', 'Finished'], ['dead', 'Not live']];

/** The boards in the order of the hall: by number, then by name. @param {import('./app.js').App} app */
export const boardsInOrder = (app) => boardsNow(app).sort((one, other) =>
  one.event.localeCompare(other.event) || one.round.localeCompare(other.round, 'en', { numeric: true })
  || one.id.localeCompare(other.id, 'en', { numeric: true }));

/** @type {WeakMap<import('./model.js').Board, {stamp: string, tile: import('./tiles.js').Tile}>} */
const tiles = new WeakMap();

/** The tile of a board; the same one as before until something changed or a second has passed. @param {import('./app.js').App} app @param {import('./model.js').Board} board @param {number} now */
function tileNow(app, board, now) {
  const { model } = app;
  const stamp = `${board.version} ${model.version} ${model.boards.size} ${Math.floor(now / 1000)}`;
  const before = tiles.get(board);
  if (before?.stamp === stamp) return before.tile;
  const tile = tileOf(model, board, now);
  tiles.set(board, { stamp, tile });
  return tile;
}

/** The boards that the search and the filter leave, with their tiles. @param {import('./app.js').App} app */
export function shownBoards(app) {
  const now = app.now();
  const words = foldAccents(String(app.ui.search ?? '').trim());
  const filter = app.ui.filter ?? 'all';
  const all = boardsInOrder(app).map((board) => ({ board, tile: tileNow(app, board, now) }));
  const found = words ? all.filter(({ board }) => matches(board, words)) : all;
  return { all, shown: found.filter(({ tile }) => filter === 'all' || tile.group === filter) };
}

/** @param {import('./model.js').Board} board @param {string} words */
function matches(board, words) {
  if (/^\d+$/.test(words)) return board.id.includes(words);
  const players = board.live?.message.body.players;
  return [board.id, playerName(players?.white), playerName(players?.black)].some((text) => foldAccents(text).includes(words));
}

/** @param {import('./app.js').App} app */
export function hallView(app) {
  const { all, shown } = shownBoards(app);
  const filter = app.ui.filter ?? 'all';
  const set = (/** @type {string} */ name) => { app.ui.filter = name; app.paint(true); };
  const search = (/** @type {Event} */ event) => { app.ui.search = /** @type {HTMLInputElement} */ (event.target).value; app.paint(true); };
  const count = (/** @type {string} */ name) => (name === 'all' ? all.length : all.filter(({ tile }) => tile.group === name).length);
  return html`
    <main class="hall">
      <h1 class="heard">Hall</h1>
      ${needsList(app)}
      <div class="filters" role="group" aria-label="Filter">
        ${FILTERS.map(([name, label]) => html`<button class="chip" aria-pressed=${filter === name} @click=${() => set(name)}>${label} <b>${count(name)}</b></button>`)}
        <input type="search" id="search" aria-label="Search by number or name" placeholder="Board or name" .value=${app.ui.search ?? ''} @input=${search}>
      </div>
      ${all.length === 0 ? html`<p class="empty">${app.linkState === 'live' ? 'No board has been published yet. A node lists its boards when it is ready.' : 'Waiting for the boards.'}</p>` : nothing}
      ${all.length > 0 && shown.length === 0 ? html`<p class="empty">No board fits.</p>` : nothing}
      <ul class="tiles ${app.linkState === 'live' ? '' : 'frozen'}">${repeat(shown, ({ board }) => board.key, ({ board, tile }) => guard([tile], () => tileView(app, board, tile)))}</ul>
    </main>`;
}

/** @param {import('./app.js').App} app */
function needsList(app) {
  /** @type {import('./needs.js').Need[]} */
  const needs = app.ui.needs ?? [];
  const open = needs.filter((need) => !need.closed).length;
  const below = needs.length ? app.ui.needsBelow ?? 0 : 0;
  const count = (/** @type {Element|undefined} */ list) => { if (list) queueMicrotask(() => countBelow(app, list)); };
  const down = () => {
    const list = document.querySelector('.needs ul');
    list?.scrollBy({ top: list.clientHeight * 0.9 });
  };
  return html`
    <section class="needs" aria-label="Needs you" ?hidden=${needs.length === 0}>
      <div class="needs-head"><h2>Needs you <span class="count">${open}</span></h2><button class="quiet needs-more" ?hidden=${!below} @click=${down}>${below} more ↓</button></div>
      <ul ${ref(count)} @scroll=${(/** @type {Event} */ event) => countBelow(app, /** @type {Element} */ (event.target))}>${repeat(needs.filter((need) => !need.device), (need) => need.key, (need) => needRow(app, need))}
        ${repeat(needs.filter((need) => need.device), (need) => need.key, (need) => needRow(app, need))}</ul>
    </section>
    <p class="heard" role="alert">${app.ui.announced ?? ''}</p>`;
}

/** Counts the rows that the list has no room for, so that it says how many there are. @param {import('./app.js').App} app @param {Element} list */
function countBelow(app, list) {
  const end = list.getBoundingClientRect().top + list.clientHeight;
  const below = [...list.children].filter((row) => !row.classList.contains('closed')).map((row) => row.getBoundingClientRect()).filter(({ top, height }) => top + height / 2 > end).length;
  if (below === (app.ui.needsBelow ?? 0)) return;
  app.ui.needsBelow = below;
  app.paint(true);
}

/** @param {import('./app.js').App} app @param {import('./needs.js').Need} need */
function needRow(app, need) {
  const { board, alert } = need;
  const age = need.since === null ? '' : `${need.about ? '≈ ' : ''}${ageText(Math.max(0, app.now() - need.since))}`;
  const finding = openFinding(board);
  const screen = finding && (!alert || isAbout(finding, alert)) ? finding.screen : null;
  const todo = screen ? actWords(screen.act) : alert ? alarmLine(alert) : '';
  const several = need.boards.length > 1;
  const place = placeOf(app, board, alert);
  const players = board.live?.message.body.players;
  return html`
    <li class="need ${need.closed ? 'closed' : ''} ${need.device ? 'device' : ''}">
      <a href=${hrefOf(place)} @click=${goOnClick(app, place)} data-need=${need.key}>
        <span class="need-sign" aria-hidden="true">${need.what === 'claim' ? '?' : alert?.kind === 'flag' ? '⚑' : '!'}</span>
        <span class="need-board">${several ? need.node : board.id}</span>
        <span class="need-title">${alert ? alarmTitle(alert) : claimTitle(finding?.claim)}${several ? ` · ${need.boards.length} boards` : ''}</span>
        <span class="need-age time">${need.closed ? 'closed' : age}</span>
        <span class="need-todo">${several ? need.boards.map((one) => one.id).join(', ') : todo}</span>
        <span class="need-who muted">${several ? '' : [shortName(players?.white, 14), shortName(players?.black, 14)].filter(Boolean).join(' – ')}</span>
        <span class="need-open" aria-hidden="true">Open</span>
      </a>
    </li>`;
}

/** What a player claims. @param {import('../../messages').ClaimBody|null|undefined} claim */
const claimTitle = (claim) => (claim ? `${sideName(claim.side)} claims: ${claim.ground.replaceAll('_', ' ')}` : 'Claim');

/** One line with the other boards that want somebody, while one board is on the screen. @param {import('./app.js').App} app @param {import('./model.js').Board} here */
export function elsewhereView(app, here) {
  /** @type {import('./needs.js').Need[]} */
  const others = (app.ui.needs ?? []).filter((/** @type {import('./needs.js').Need} */ need) => !need.closed && !need.boards.includes(here));
  // A board with several alarms is there once.
  const needs = others.filter((/** @type {import('./needs.js').Need} */ need, /** @type {number} */ at) =>
    others.findIndex((/** @type {import('./needs.js').Need} */ other) => other.board === need.board && other.device === need.device) === at);
  needs.sort((/** @type {import('./needs.js').Need} */ one, /** @type {import('./needs.js').Need} */ other) => Number(one.device) - Number(other.device));
  if (!needs.length) return nothing;
  return html`<nav class="elsewhere" aria-label="Also needs you"><span class="muted">${needs.length} more</span> ${repeat(needs, (need) => need.key, (need) => {
    const place = placeOf(app, need.board, need.alert);
    return html`<a class="chip ${need.device ? '' : 'loud'}" href=${hrefOf(place)} @click=${goOnClick(app, place)}>
      ${need.alert?.kind === 'flag' ? '⚑' : '!'} ${need.boards.length > 1 ? need.node : need.board.id} <small>${need.alert ? alarmTitle(need.alert) : 'Claim'}</small></a>`;
  })}</nav>`;
}

/**
 * @param {import('./app.js').App} app
 * @param {import('./model.js').Board} board
 * @param {import('./tiles.js').Tile} tile
 */
function tileView(app, board, tile) {
  const body = board.live?.message.body;
  const clock = readClock(board);
  const read = clock && deviceTime(board.time, clock.read_us, board.clock?.message ?? board.live?.message);
  const shown = shownClock(clock ? { ...clock, at: read?.at ?? app.now(), about: read?.about } : null, app.now(), 'staff');
  const place = placeOf(app, board, tile.alert);
  const dead = tile.kind === 'dead' || tile.kind === 'quiet' || tile.kind === 'waiting';
  /** @param {'white'|'black'} side */
  const row = (side) => {
    const runs = shown.running === side && tile.live && !tile.result;
    return html`<span class="tile-player ${runs ? 'runs' : ''}">
      <span class="tile-name"><bdi>${shortName(body?.players?.[side], 18) || (side === 'white' ? 'White' : 'Black')}</bdi></span>
      <span class="tile-run" aria-label=${runs ? 'to move' : ''}>${runs ? '▶' : ''}</span>
      <span class="tile-time time ${shown[side].stale || !tile.live ? 'old' : ''}">${tile.result ? '' : shown[side].text}</span>
    </span>`;
  };
  return html`
    <li class="tile ${tile.kind} ${dead ? 'hatched' : ''} ${tile.result ? 'with-result' : ''}">
      <a href=${hrefOf(place)} @click=${goOnClick(app, place)} data-board=${board.key}>
        <span class="tile-head"><span class="tile-number">${board.id}</span>
          <span class="tile-word">${tile.sign ? html`<span aria-hidden="true">${tile.sign}</span> ` : nothing}${tile.word}</span></span>
        ${row('white')}${row('black')}
        ${tile.result ? html`<span class="tile-result">${tile.result}</span>` : nothing}
        <span class="tile-foot">${tile.foot}</span>
      </a>
    </li>`;
}
