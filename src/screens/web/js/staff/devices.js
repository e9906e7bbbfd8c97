// The tables of devices and nodes.
import { html, nothing, repeat } from '../../vendor/lit-html.js';
import { timeOfDay } from '../common/format.js';
import { manName } from './words.js';
import { openBinding } from './setup.js';
import { worstFirst } from './worst-first.js';
import { maySend, roleOn } from './roles.js';

/** @type {Record<string, string>} */
const WARNINGS = {
  weak_signal: 'weak signal', battery_low: 'battery low', battery_critical: 'battery almost empty', clock_battery_low: 'clock battery low',
};
/** Warnings of which the squares and men themselves are shown. */
const LISTED = ['weak_squares', 'weak_men'];
/** @type {Record<string, [string, string]>} */
const STATES = { online: ['●', 'online'], offline: ['▨', 'offline'], unstable: ['◐', 'unstable'] };

/** @param {import('./app.js').App} app */
export function devicesView(app) {
  const boardOf = (/** @type {string|null|undefined} */ key) => (key ? key.split('/').pop() ?? '' : '');
  const inOrder = [...app.model.devices].sort(([one, a], [other, b]) =>
    boardOf(a.message.body.board).localeCompare(boardOf(b.message.body.board), 'en', { numeric: true }) || one.localeCompare(other, 'en', { numeric: true }));
  const all = inOrder.map(([id, { message }]) => ({ id, device: message.body, weak: toLookAfter(message.body) }));
  const rows = worstFirst(app, 'devices', all, ({ id }) => id, ({ device: { state }, weak }) => (state === 'offline' ? 3 : state === 'unstable' ? 2 : weak.length ? 1 : 0));
  if (!rows.length) return html`<p class="empty">No device has been published yet.</p>`;
  return html`
    <div class="table-scroll" tabindex="0" role="region" aria-label="Devices"><table class="wide">
      <thead><tr>${['Board', 'Device', 'State', 'Port', 'Firmware', 'Battery', 'Signal', 'Dropouts', 'To look after', ''].map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
      <tbody>${repeat(rows, ({ id }) => id, ({ id, device, weak }) => {
    const [sign, words] = STATES[device.state] ?? ['', device.state];
    const board = device.board ? app.model.boards.get(device.board) : null;
    return html`<tr class=${device.state === 'offline' ? 'is-off' : ''}>
          <th scope="row" data-label="Board">${boardOf(device.board) || '–'}</th>
          <td data-label="Device">${id}${device.kind === 'clock' ? ' (clock)' : ''}</td>
          <td data-label="State"><span aria-hidden="true">${sign}</span> ${words}</td>
          <td data-label="Port">${device.transport}${device.port ? html` <small class="muted">${device.port}</small>` : nothing}</td>
          <td data-label="Firmware">${device.firmware ?? ''}${device.clock_firmware ? html` <small class="muted">clock ${device.clock_firmware}</small>` : nothing}</td>
          <td data-label="Battery">${percent(device.battery_percent)}${device.charging ? ' charging' : ''}</td>
          <td data-label="Signal">${typeof device.signal_dbm === 'number' ? `${device.signal_dbm} dBm` : ''}</td>
          <td data-label="Dropouts">${device.dropouts || ''}</td>
          <td data-label="To look after" class=${weak.length ? 'warn' : ''}>${weak.join('; ')}</td>
          <td class="table-button">${bindButton(app, id, board)}</td></tr>`;
  })}</tbody></table></div>`;
}

/** What is to be looked after. @param {import('../../messages').DeviceStatusBody} device */
const toLookAfter = (device) => [
  device.problem ?? '', ...(device.warnings ?? []).filter((one) => !LISTED.includes(one)).map((one) => WARNINGS[one] ?? one.replaceAll('_', ' ')),
  device.weak_squares?.length ? `weak squares ${device.weak_squares.map((one) => one.square).join(' ')}` : '',
  device.weak_men?.length ? `weak men: ${device.weak_men.map((one) => `${manName(one.man)} from ${one.began}`).join(', ')}` : '',
].filter(Boolean);

/** @param {number|null|undefined} value */
const percent = (value) => (typeof value === 'number' ? `${value} %` : '');

/** Binds this device to another board, chosen in the list beside it. @param {import('./app.js').App} app @param {string} id @param {import('./model.js').Board|null|undefined} present */
function bindButton(app, id, present) {
  const boards = [...app.model.boards.values()].filter((board) => board !== present && maySend(app.session && roleOn(app.model, app.session.user, board), 'bind-device'));
  if (!boards.length) return nothing;
  boards.sort((one, other) => one.id.localeCompare(other.id, 'en', { numeric: true }));
  const choose = (/** @type {Event} */ event) => {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    const board = app.model.boards.get(select.value);
    select.value = '';
    if (board) openBinding(app, board, id);
  };
  return html`<select aria-label="Bind ${id} to another board"
    @change=${choose}><option value="">Bind to…</option>${boards.map((board) => html`<option value=${board.key}>${board.id}</option>`)}</select>`;
}

/** @param {import('./app.js').App} app */
export function nodesView(app) {
  const inOrder = [...app.model.nodes.values()].sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
  const nodes = worstFirst(app, 'nodes', inOrder, (node) => node.name, (node) =>
    (node.status?.message.body.state !== 'ready' ? 2 : factsOf(node).some(([, value, wrong]) => wrong && (value || value === 0)) ? 1 : 0));
  if (!nodes.length) return html`<p class="empty">No node has been heard yet.</p>`;
  return html`<ul class="nodes">${repeat(nodes, (node) => node.name, (node) => {
    const status = node.status?.message;
    const state = status?.body.state ?? 'not known';
    const bad = state !== 'ready';
    const rows = factsOf(node);
    return html`<li class="node-card card ${bad ? 'hatched' : ''}">
      <h2>${node.name} <span class="node-state">${bad ? '▨' : '●'} ${state}</span></h2>
      <p class="muted">start ${status?.boot ?? '–'}${status?.t ? ` · since ${timeOfDay(Date.parse(status.t.utc), true)}` : ''}</p>
      <dl class="facts">${[...rows].sort((one, other) => Number(other[2]) - Number(one[2])).map(([name, value, wrong]) => (value || value === 0 ? html`<div class=${wrong ? 'warn' : ''}><dt>${name}</dt><dd>${value}</dd></div>` : nothing))}</dl>
    </li>`;
  })}</ul>
  <p class="muted">${app.model.notUnderstood} ${app.model.notUnderstood === 1 ? 'message' : 'messages'} not understood${app.model.lastNotUnderstood ? `, the last on ${app.model.lastNotUnderstood}` : ''}.</p>`;
}

/** Name and value of what is known about a node, and whether it is wrong. @param {import('./model.js').StaffNode} node @returns {[string, unknown, boolean][]} */
function factsOf(node) {
  const info = node.info?.message.body;
  const health = node.health?.message;
  return [
    ['Version', info?.version ?? health?.body.version, false],
    ['Boards', info ? info.boards.length : '', false],
    ['Delay of the public', info ? `${info.delay ?? 0} s${info.delay_moves ? `, ${info.delay_moves} half-moves` : ''}` : '', false],
    ['Temperature', typeof health?.body.temperature_c === 'number' ? `${Math.round(health.body.temperature_c)} °C` : '', Number(health?.body.temperature_c) > 80],
    ['Voltage', health?.body.under_voltage === undefined || health?.body.under_voltage === null ? '' : health.body.under_voltage ? 'too low' : 'good', health?.body.under_voltage === true],
    ['Free disk', typeof health?.body.disk_free_mib === 'number' ? `${health.body.disk_free_mib} MiB` : '', Number(health?.body.disk_free_mib ?? 9999) < 500],
    ['Journal', health ? (health.body.journal_ok ? 'written' : 'cannot be written') : '', health?.body.journal_ok === false],
    ['Memory', health?.body.rss_kib ? `${Math.round(health.body.rss_kib / 1024)} MiB, ${health.body.threads ?? '–'} threads, ${health.body.fds ?? '–'} files` : '', Number(health?.body.rss_kib) > 200 * 1024],
    ['Journals', health?.body.journal_bytes ? `${Math.ceil(health.body.journal_bytes / 1048576)} MiB` : '', false],
    ['Waits for the broker', health?.body.backlog ? `${health.body.backlog} messages` : '', Number(health?.body.backlog) > 1000],
    ['Reconnections', health?.body.reconnections, false],
    ['Watchdog', typeof health?.body.watchdog_margin_ms === 'number' ? `${(health.body.watchdog_margin_ms / 1000).toFixed(1)} s left` : '', Number(health?.body.watchdog_margin_ms ?? 9999) < 4000],
    ['Clock moved', health?.body.clock_step_ms ? `by ${health.body.clock_step_ms} ms` : '', false],
    ['Clock', health ? (health.t.sync === 'none' ? 'not synchronised' : `${health.t.sync}${health.t.err_ms !== undefined ? `, ±${health.t.err_ms} ms` : ''}`) : '', health?.t.sync === 'none'],
    ['Given up', health?.body.failed_boards.map(short).join(', '), true],
    ['Withheld', health?.body.withheld_boards.map(short).join(', '), true],
    ['Refused by the broker', health?.body.refused_boards?.map(short).join(', '), true],
    ['Name', health?.body.name_taken ? 'used by a second program' : '', true],
    ['Health', health ? '' : 'nothing heard', true],
  ];
}

/** @param {string} board */
const short = (board) => board.split('/').pop();
