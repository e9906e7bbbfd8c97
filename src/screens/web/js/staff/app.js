// What both staff pages have in common: login, connection, subscriptions, the clock of the page, painting.
import { connect } from '../common/link.js';
import { randomName } from '../common/random-name.js';
import { endToken } from '../common/token.js';
import { newCommander } from './command.js';
import { newDoor } from './door.js';
import { newLock } from './lock.js';
import { loginView, refusedWords } from './login.js';
import { applyMessage, newModel, noteNotUnderstood } from './model.js';
import { beginConnection, removeOld } from './reconnect.js';
import { applyTheme, readRoute } from './routes.js';
import { keepSession, readSession, writeSession } from './session.js';

/** Messages other than alarms are painted together after this time, milliseconds; on a slow device after so many times what a frame takes,
 * so that it has time to read what arrives, and at the latest after the third value. */
const PAINT_AFTER = 150;
const FRAMES = 4;
const PAINT_WITHIN = 1000;
/** What did not come again this long after a reconnect was deleted meanwhile. Milliseconds. */
const RETAINED_WITHIN = 3000;

/**
 * @typedef {object} App
 * @property {'arbiter'|'operations'} page
 * @property {{version?: string, event: string, round: string, root: string, websocket: string}} config
 * @property {import('./session.js').Session|null} session
 * @property {import('./model.js').Model} model
 * @property {string} linkState
 * @property {number} offlineSince
 * @property {string} loginProblem
 * @property {Set<string>} refusedTopics
 * @property {import('./routes.js').Route} route
 * @property {Record<string, any>} ui what the views remember
 * @property {ReturnType<typeof newCommander>|null} commander
 * @property {ReturnType<typeof newLock>} lock
 * @property {() => number} now
 * @property {(urgent?: boolean) => void} paint
 * @property {(why: string) => void} logOut
 * @property {() => void} resubscribe
 */

/**
 * @param {object} parts
 * @param {'arbiter'|'operations'} parts.page
 * @param {(app: App) => unknown} parts.view
 * @param {(app: App) => string[]} parts.topics what is subscribed besides the topics that every staff page needs
 * @param {(app: App, change: import('./model.js').Change|null) => void} [parts.onChange] called before a painting, and with a change
 */
export async function startApp({ page, view, topics, onChange }) {
  const door = newDoor(/** @type {HTMLElement} */ (document.getElementById('app')));
  /** @type {ReturnType<typeof connect>|null} */
  let link = null;
  /** @type {Set<string>} */
  let subscribed = new Set();
  const replies = randomName();
  let timer = 0;
  let framed = false;
  // What the last frame took, with its layout, milliseconds.
  let took = 0;
  // From a login until the broker has taken it: what was typed stays in the form.
  let entering = false;

  /** @type {any} */
  const made = {
    page, config: { event: '', round: '', root: 'flagfall/1', websocket: '/mqtt' }, session: readSession(), model: newModel(), linkState: 'none',
    offlineSince: 0, loginProblem: '', refusedTopics: new Set(), route: readRoute(), ui: {}, commander: null,
    now: () => Date.now(), paint, logOut, resubscribe,
  };
  /** @type {App} */
  const app = made;
  app.lock = newLock(app);
  applyTheme(app.route);

  function paint(urgent = false) {
    if (urgent) {
      clearTimeout(timer);
      timer = 0;
      if (!framed && !document.hidden) {
        framed = true;
        requestAnimationFrame(draw);
      }
    } else if (!timer) {
      timer = window.setTimeout(() => paint(true), Math.min(PAINT_WITHIN, Math.max(PAINT_AFTER, FRAMES * took)));
    }
  }
  function draw() {
    framed = false;
    const began = performance.now();
    setTimeout(() => { took = performance.now() - began; });
    onChange?.(app, null);
    if (!app.session || entering || app.linkState === 'refused') door.shut(loginView(app, logIn));
    else if (app.session.locked) door.shut(app.lock.view());
    else door.open(view(app));
  }

  /** @param {string} user @param {string} password @param {string} pin */
  function logIn(user, password, pin) {
    app.session = { user, password, token: '', pin, digits: pin.length, locked: false, wrong: 0 };
    app.loginProblem = '';
    entering = true;
    open();
  }
  /** @param {string} why */
  function logOut(why) {
    link?.close();
    link = null;
    entering = false;
    endToken(app.session?.token);
    Object.assign(app, { session: null, linkState: 'none', loginProblem: why, commander: null, model: newModel(), ui: {} });
    writeSession(null);
    door.empty();
    paint(true);
  }
  function open() {
    const session = app.session;
    if (!session) return;
    link?.close();
    // `connect` reports its first state before it returns.
    link = null;
    subscribed = new Set();
    app.linkState = 'connecting';
    link = connect({
      url: app.config.websocket, root: app.config.root, user: session.user, password: session.password, token: session.token,
      onState, onMessage,
      onGarbage: (topic) => noteNotUnderstood(app.model, topic),
      onRefused: (topic) => {
        app.refusedTopics.add(topic);
        paint();
      },
      onSubscribed: () => {
        const { connection } = app.model;
        setTimeout(() => {
          if (connection === app.model.connection && app.linkState === 'live') removeOld(app.model);
          paint();
        }, RETAINED_WITHIN);
      },
    });
    app.commander = newCommander({ publish: link.publish, user: session.user, replies, now: app.now, onChange: () => paint(true) });
    paint(true);
  }
  /** @param {string} state @param {{since?: number, rate?: boolean, token?: string}} detail */
  function onState(state, detail) {
    if (state === 'live') {
      keepSession(app.session, detail.token);
      if (app.linkState !== 'connecting') beginConnection(app.model);
      entering = false;
      app.refusedTopics.clear();
      app.loginProblem = '';
    }
    app.linkState = state;
    app.offlineSince = detail.since ?? app.offlineSince;
    if (state === 'refused') {
      app.loginProblem = refusedWords(app.session, detail.rate);
      if (!detail.rate) writeSession(null);
    }
    resubscribe();
    paint(true);
  }
  /** @param {string} topic @param {any} message @param {{retained: boolean, arrived: number}} about */
  function onMessage(topic, message, about) {
    if (topic.startsWith('reply/')) return message && app.commander?.handleReply(message);
    const change = applyMessage(app.model, topic, message, about);
    if (!change) return;
    if (change.kind === 'node') resubscribe();
    onChange?.(app, change);
    paint(['alert', 'ruling', 'command'].includes(change.kind));
  }
  /** Subscribes to what the page needs now. */
  function resubscribe() {
    if (!link || !app.session) return;
    const base = ['node/+/status', 'node/+/info', 'node/+/health', 'device/+/status', ...(app.config.event ? [`meta/${app.config.event}`] : []), `reply/${app.session.user}/${replies}`];
    const wanted = new Set([...base, ...topics(app)]);
    link.subscribe([...wanted].filter((topic) => !subscribed.has(topic)));
    link.unsubscribe([...subscribed].filter((topic) => !wanted.has(topic)));
    subscribed = wanted;
  }

  addEventListener('popstate', () => {
    app.route = readRoute();
    resubscribe();
    paint(true);
  });
  document.addEventListener('visibilitychange', () => paint(true));
  setInterval(() => {
    app.lock.check();
    // A hidden page is not painted, but its alarms sound.
    if (document.hidden) onChange?.(app, null);
    paint();
  }, 1000);

  try {
    const answer = await fetch('/config.json', { cache: 'no-store' });
    Object.assign(app.config, await answer.json());
  } catch {
    app.loginProblem = 'The server of this page does not answer.';
  }
  if (app.session) open();
  paint(true);
  return app;
}
