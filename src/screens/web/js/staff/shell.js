// The frame of both staff pages: the bar on top, the menu, the banners.
import { html, nothing } from '../../vendor/lit-html.js';
import { ageText, timeOfDay } from '../common/format.js';
import { clockError } from './journal-time.js';
import { eventLine } from './rounds.js';
import { lockAfter, setLockAfter } from './lock.js';
import { bestRole } from './roles.js';
import { applyTheme } from './routes.js';
import { readSetting, writeSetting } from './session.js';

/** A clock of this device that is off by more than this is mentioned, and from the second value on warned of. Milliseconds. */
const CLOCK_OFF = 2000;
const CLOCK_WRONG = 60_000;

/** @type {Record<string, [string, string]>} sign and words of a state of the connection */
const LINK = {
  none: ['○', 'no connection'], connecting: ['○', 'connecting'], live: ['●', 'live'], offline: ['○', 'offline'], refused: ['○', 'refused'],
};

/** True while nothing can be sent. @param {import('./app.js').App} app */
export const isOffline = (app) => app.linkState !== 'live';

/**
 * @param {import('./app.js').App} app
 * @param {unknown} content
 * @param {unknown} [extra] buttons of the page in the bar
 */
export function shell(app, content, extra = nothing) {
  const [sign, words] = LINK[app.linkState] ?? ['○', app.linkState];
  const role = app.session && bestRole(app.model, app.session.user);
  const link = (/** @type {string} */ page, /** @type {string} */ label) =>
    html`<a href="/${page}/" aria-current=${app.page === page ? 'page' : 'false'}>${label}</a>`;
  return html`
    <header class="bar">
      <span class="brand">flagfall</span>
      <span class="bar-event">${eventLine(app)}</span>
      <nav aria-label="Pages">${link('arbiter', 'Hall')}${link('operations', 'Operations')}</nav>
      <span class="bar-space"></span>
      <span class="link-state ${app.linkState}"><span aria-hidden="true">${sign}</span> ${words}</span>
      <span class="bar-user muted">${app.session?.user} · ${role ?? 'may look'}</span>
      ${extra}
      <button class="quiet" @click=${() => app.lock.lock()}>Lock</button>
      <button class="quiet" aria-haspopup="true" aria-expanded=${Boolean(app.ui.menu)} aria-label="Menu" @click=${() => toggleMenu(app)}>☰</button>
    </header>
    ${app.ui.menu ? menu(app) : nothing}
    ${banners(app)}
    ${content}`;
}

/** @param {import('./app.js').App} app */
function toggleMenu(app) {
  app.ui.menu = !app.ui.menu;
  app.paint(true);
}

/** By how much this device's clock is off, milliseconds; the node whose clock differs least counts. @param {import('./app.js').App} app */
export function deviceClockError(app) {
  const errors = [...app.model.nodes.values()].flatMap((node) => clockError(node.time) ?? []);
  return errors.length ? errors.reduce((best, error) => (Math.abs(error) < Math.abs(best) ? error : best)) : null;
}

/** @param {import('./app.js').App} app */
function menu(app) {
  const error = deviceClockError(app);
  const theme = document.documentElement.dataset.theme === 'light' ? 'dark' : 'light';
  const changeTheme = () => {
    writeSetting('theme', theme);
    applyTheme({ ...app.route, theme: '' });
    app.paint(true);
  };
  const seconds = lockAfter();
  const setAfter = (/** @type {Event} */ event) => setLockAfter(Number(/** @type {HTMLSelectElement} */ (event.target).value));
  const keys = readSetting('keys', 'on') === 'on';
  const setKeys = (/** @type {Event} */ event) => writeSetting('keys', /** @type {HTMLInputElement} */ (event.target).checked ? 'on' : 'off');
  return html`
    <section class="menu" aria-label="Menu">
      <p class="muted menu-only-small">${eventLine(app, true)} · ${app.session?.user}</p>
      <nav class="menu-only-small" aria-label="Pages"><a class="button" href="/arbiter/">Hall</a> <a class="button" href="/operations/">Operations</a></nav>
      <label>Lock this screen after
        <select @change=${setAfter}>
          ${[[30, '30 seconds'], [60, '1 minute'], [300, '5 minutes'], [900, '15 minutes'], [0, 'never (only at a desk)']].map(([value, words]) =>
    html`<option value=${value} ?selected=${value === seconds}>${words}</option>`)}
        </select>
      </label>
      <label class="tick"><input type="checkbox" ?checked=${keys} @change=${setKeys}> Keys of one letter</label>
      <button @click=${changeTheme}>${theme === 'light' ? 'Light colours' : 'Dark colours'}</button>
      <button @click=${() => { app.ui.help = true; app.ui.menu = false; app.paint(true); }}>Keys and signs</button>
      <button @click=${() => app.logOut('')}>Log out</button>
      ${error !== null && Math.abs(error) > CLOCK_OFF ? html`<p class="muted">The clock of this device is ${ageText(Math.abs(error))} ${error > 0 ? 'fast' : 'slow'}; times are shown and sent as the nodes have them.</p>` : nothing}
      <p class="muted">flagfall ${app.config.version ?? ''}</p>
    </section>`;
}

/** @param {import('./app.js').App} app */
function banners(app) {
  const error = deviceClockError(app);
  const { away } = app.ui;
  /** @param {unknown} words */
  const banner = (words) => html`<p class="banner" role="status">${words}</p>`;
  // Who may not read commands misses only what others are doing.
  const topics = [...app.refusedTopics].filter((topic) => !/^(reply|cmd)\//.test(topic));
  return html`
    ${app.linkState === 'offline' ? html`<p class="banner hatched" role="status"><strong>Offline since ${timeOfDay(app.offlineSince, true)}.</strong> What is shown is as of then. Nothing can be sent.</p>` : nothing}
    ${app.linkState === 'connecting' && !app.model.nodes.size ? banner('Connecting…') : nothing}
    ${globalThis.isSecureContext === false ? html`<p class="banner insecure" role="status">This page is served without TLS: everybody in this network can read along.</p>` : nothing}
    ${topics.length ? banner(`User ${app.session?.user} may not read ${[...new Set(topics.map((topic) => `${topic.split('/')[0]}/`))].join(', ')}: ask whoever keeps the broker’s rules.`) : nothing}
    ${error !== null && Math.abs(error) > CLOCK_WRONG ? banner(`The clock of this device is ${ageText(Math.abs(error))} ${error > 0 ? 'fast' : 'slow'}. Set it: times that you type would be wrong.`) : nothing}
    ${away ? html`<p class="banner" role="status">${away} <button class="quiet" @click=${() => { app.ui.away = ''; app.paint(true); }}>OK</button></p>` : nothing}`;
}
