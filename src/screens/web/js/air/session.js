// What wall, board and overlay have in common: settings of the server, login, connection, the round that is shown, and when to draw.
import { connect } from '../common/link.js';
import { endToken } from '../common/token.js';
import { noteStopped } from './live.js';
import { forgetLogin, keepLogin, keptLogin } from './login.js';
import { readQuery } from './query.js';
import { createStore } from './store.js';

/** How often times and ages are drawn again, milliseconds. */
const TICK_MS = 250;
/** What did not come again so long after subscribing is no more. */
const SETTLED_MS = 3000;
/** A page that nobody looks after tries again with the login that it has. */
const TRY_AGAIN_MS = 30000;

/**
 * @typedef {object} Session
 * @property {ReturnType<typeof readQuery>} query
 * @property {any} config of `/config.json`, null before it is there
 * @property {import('./store.js').Store} store
 * @property {{state: string, since: number, rate: boolean}} link `state` as in link.js, and `loading` and `unreachable` (no `/config.json`)
 * @property {boolean} settled what the broker holds has arrived
 * @property {string[]} unreadable topics that the broker does not let this user read
 * @property {string} user who is logged in, '' for nobody
 * @property {boolean} typed the login was typed by somebody, here or earlier
 * @property {(login: {user: string, password: string}, onDevice: boolean) => void} logIn
 * @property {() => void} logOut
 * @property {() => void} redraw draws in the next frame
 * @property {(boards: string[]) => void} watch boards to subscribe to; none means all
 */

/**
 * Starts a page. `draw` runs in an animation frame after something changed, and four times a second for times and ages.
 * @param {(session: Session, now: number) => void} draw
 * @returns {Session}
 */
export function startSession(draw) {
  const query = readQuery(window.location.search);
  document.documentElement.dataset.theme = query.theme;
  const store = createStore(query.audience);
  /** @type {ReturnType<typeof connect>|null} */
  let link = null;
  let login = keptLogin(query.audience);
  let keepsOnDevice = false;
  let boards = query.board ? [query.board] : query.boards;
  let topics = new Set();
  let frame = 0;
  let settling = 0;
  /** @type {Session} */
  const session = { query, config: null, store, link: { state: 'loading', since: Date.now(), rate: false }, settled: false,
    unreadable: [], user: '', typed: false, logIn, logOut, redraw, watch };
  setInterval(() => document.hidden || redraw(), TICK_MS);
  loadConfig();
  return session;

  function redraw() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      const now = Date.now();
      noteStopped(store, session.link, now);
      draw(session, now);
    });
  }

  async function loadConfig() {
    try {
      const answer = await fetch(new URL('../../config.json', import.meta.url), { cache: 'no-store' });
      if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
      session.config = await answer.json();
    } catch {
      session.link = { state: 'unreachable', since: session.link.since, rate: false };
      setTimeout(loadConfig, 5000);
      return redraw();
    }
    store.event = query.event || session.config.event || '';
    store.round = query.round || session.config.round || '';
    open();
  }

  function open() {
    link?.close();
    const { config } = session;
    const publicUser = query.audience === 'public' ? config.public_user : null;
    const used = login ?? publicUser;
    Object.assign(session, { user: used?.user ?? '', typed: Boolean(login), unreadable: [], settled: false });
    topics = new Set();
    link = connect({
      url: config.websocket ?? '/mqtt', root: config.root, user: used?.user, password: used?.password, token: login?.token,
      onState: onLinkState,
      onMessage(topic, message, about) {
        const change = store.take(topic, message, about);
        if (!change) return;
        if (change.kind === 'meta') subscribe();
        if (change.kind === 'state' && change.round === wantedRound() && change.round !== store.round) showRound(change.round);
        redraw();
      },
      onGarbage: () => (store.dropped += 1),
      onRefused(topic) {
        session.unreadable.push(topic);
        redraw();
      },
      onSubscribed() {
        clearTimeout(settling);
        settling = setTimeout(() => {
          store.removeUnconfirmed();
          session.settled = true;
          redraw();
        }, SETTLED_MS);
      },
    });
    subscribe();
  }

  /** @param {string} state @param {{since?: number, rate?: boolean, token?: string}} detail */
  function onLinkState(state, { since, rate, token }) {
    if (state === 'live' && login && token) {
      login.token = token;
      keepLogin(query.audience, login, keepsOnDevice);
    }
    if (state === 'refused' && !rate && login && !login.password) {
      // The token has ended: the page is as it was before the login.
      forgetLogin(query.audience);
      login = null;
      return open();
    }
    if (state !== 'live') {
      clearTimeout(settling);
      store.unconfirm();
    }
    session.link = { state, since: since ?? Date.now(), rate: Boolean(rate) };
    // A page that nobody sees draws nothing, and its clocks stand all the same.
    noteStopped(store, session.link, Date.now());
    if (state === 'refused' && !rate) setTimeout(() => session.link.state === state && open(), TRY_AGAIN_MS);
    redraw();
  }

  /** The round of the address, else the one that the organiser has published, else the server's. */
  function wantedRound() {
    return query.round || store.meta?.round || session.config.round || '';
  }

  /** At a change of round the old one stays until the first state of the new one comes. */
  function showRound(round) {
    store.round = round;
    store.forgetOtherRounds();
    subscribe();
  }

  function subscribe() {
    if (!link) return;
    const { event } = store;
    if (!store.boards().size) store.round = wantedRound();
    const rounds = [...new Set([store.round, wantedRound()])].filter(Boolean);
    const list = boards.length > 0 ? boards : ['+'];
    // A page with many boards shows the last move of each, which its state has.
    const kinds = [...(boards.length === 1 ? ['moves/+'] : []), 'state', 'clock'];
    const wanted = new Set(['node/+/status', ...(event ? [`meta/${event}`] : []), ...rounds.flatMap(round =>
      list.flatMap(board => kinds.map(kind => `${query.audience}/${event}/${round}/${board}/${kind}`)))]);
    link.unsubscribe([...topics].filter(topic => !wanted.has(topic)));
    const fresh = [...wanted].filter(topic => !topics.has(topic));
    topics = wanted;
    if (fresh.length > 0) session.settled = false;
    link.subscribe(fresh);
  }

  function watch(wanted) {
    boards = wanted;
    subscribe();
  }

  function logIn(typed, onDevice) {
    login = typed;
    keepsOnDevice = onDevice;
    forgetLogin(query.audience);
    open();
  }

  function logOut() {
    endToken(login?.token);
    forgetLogin(query.audience);
    login = null;
    open();
  }
}
