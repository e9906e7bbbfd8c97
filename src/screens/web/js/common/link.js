// The connection of a page to the broker: one MQTT client, its subscriptions, and connecting again. The only module that knows MQTT.
import { connect as connectMqtt } from '../../vendor/mqtt.js';
import { readMessage } from './message.js';
import { randomName } from './random-name.js';
import { givenToken } from './token.js';

/** Wait before connecting again, milliseconds: doubled from the first to the last value, a quarter more or less. */
const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 15000;
/** A connection that lasted this long was good: the next wait is the first one again. */
const GOOD_MS = 10000;
/** Wait after too many wrong passwords, when the broker compares one a second. */
const RATE_WAIT_MS = 4000;
const REASON = { notAuthorized: 0x87, rateExceeded: 0x9f };
/** Reasons for which another attempt with the same name and password makes no sense. */
const WRONG_LOGIN = [0x84, 0x85, 0x86, REASON.notAuthorized, 0x8a, 0x8c];

/**
 * @typedef {import('./message.js').Message} Message
 * @typedef {'connecting'|'live'|'offline'|'refused'} LinkState
 */

/**
 * Connects, and connects again by itself after a loss. Topics are given and delivered without the root.
 *
 * States: `connecting` until the first answer; `live`, with `{token}` if the relay gave one; `offline` with `{since}` (milliseconds,
 * `Date.now()`); `refused` with `{code, rate}`: wrong name or password, after which nothing is tried until the caller connects anew, or with
 * `rate: true` too many wrong passwords, after which it tries again in a few seconds.
 *
 * @param {object} options
 * @param {string} options.url a path of the page's own server, such as `/mqtt`, or `ws:` / `wss:`
 * @param {string} options.root such as `flagfall/1`
 * @param {string} [options.user]
 * @param {string} [options.password]
 * @param {string} [options.token] used in the place of the password, as long as it is accepted
 * @param {(state: LinkState, detail: {since?: number, code?: number, rate?: boolean, token?: string}) => void} options.onState
 * @param {(topic: string, message: Message|null, about: {retained: boolean, arrived: number}) => void} options.onMessage null for an
 *   empty payload, which deletes; `retained`: kept by the broker, so possibly old; `arrived` in milliseconds, `Date.now()`
 * @param {(topic: string, why: string) => void} [options.onGarbage] a payload that is no message
 * @param {(topic: string) => void} [options.onRefused] the broker does not let this user read the topic
 * @param {(topics: string[]) => void} [options.onSubscribed] the broker has acknowledged all of them, also after connecting again
 */
export function connect(options) {
  const url = new URL(options.url, window.location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const prefix = `${options.root}/`;
  const topics = new Set();
  /** @type {Set<(error: Error) => void>} */
  const unanswered = new Set();
  /** @type {any} the client of mqtt.js */
  let client = null;
  let state = '';
  let since = Date.now();
  let liveFrom = 0;
  let wait = FIRST_WAIT_MS;
  let timer = 0;
  let closed = false;
  let secret = options.token || options.password;

  function tell(next, detail = {}) {
    if (next === state && next !== 'offline') return;
    if (next === 'offline' && state !== 'offline') since = Date.now();
    const known = next === 'offline' && state === 'offline';
    state = next;
    if (!known) options.onState(next, next === 'offline' ? { since, ...detail } : detail);
  }

  function open(newSecret = secret) {
    secret = newSecret;
    clearTimeout(timer);
    timer = 0;
    if (closed || client) return;
    if (state === '') tell('connecting');
    const own = connectMqtt(url.href, {
      protocolVersion: 5, clean: true, clientId: randomName(), username: options.user, password: secret, keepalive: 60,
      connectTimeout: 10000, reconnectPeriod: 0, resubscribe: false, queueQoSZero: false,
      // The other timers run in a worker made of a blob, which the policy of the page forbids.
      timerVariant: 'native',
      properties: { sessionExpiryInterval: 0 },
    });
    client = own;
    /** @type {{code?: number}} */
    let why = {};
    own.on('connect', answer => {
      if (own !== client) return;
      liveFrom = Date.now();
      const token = givenToken(answer);
      secret = token ?? secret;
      tell('live', { token });
      send([...topics]);
    });
    own.on('message', (topic, payload, packet) => deliver(topic, payload, packet));
    own.on('error', error => {
      why = { code: error.code };
      // A broker that closes without a reason leaves only the event `close`.
      if (own === client && !own.connected) setTimeout(() => lost(own, why));
    });
    own.on('disconnect', packet => (why = { code: packet.reasonCode }));
    own.on('close', () => lost(own, why));
  }

  /** @param {any} own @param {{code?: number}} why */
  function lost(own, { code }) {
    if (own !== client) return;
    client = null;
    own.on('error', () => {});
    own.end(true);
    for (const reject of unanswered) reject(new Error('The connection was lost before the broker answered.'));
    unanswered.clear();
    if (closed) return;
    const refused = state !== 'live' && WRONG_LOGIN.includes(code ?? 0);
    // The server was started again, or the token was revoked.
    if (refused && options.password && secret !== options.password) return open(options.password);
    if (refused) return tell('refused', { code });
    if (state === 'live' && Date.now() - liveFrom >= GOOD_MS) wait = FIRST_WAIT_MS;
    const rate = code === REASON.rateExceeded;
    if (rate) tell('refused', { code, rate: true });
    else tell('offline', { code });
    timer = setTimeout(() => open(), (rate ? RATE_WAIT_MS : wait) * (0.75 + Math.random() / 2));
    wait = Math.min(LAST_WAIT_MS, wait * 2);
  }

  function deliver(topic, payload, packet) {
    if (!topic.startsWith(prefix)) return;
    const name = topic.slice(prefix.length);
    const about = { retained: Boolean(packet.retain), arrived: Date.now() };
    if (payload.length === 0) return options.onMessage(name, null, about);
    const [message, why] = readMessage(payload);
    if (message) options.onMessage(name, message, about);
    else options.onGarbage?.(name, why);
  }

  function send(wanted) {
    const own = client;
    let open = wanted.length;
    for (const topic of wanted) {
      own.subscribe(prefix + topic, { qos: 1 }, (_error, _wanted, answer) => {
        if (own !== client || !answer?.granted) return;
        if (answer.granted[0] >= 0x80) options.onRefused?.(topic);
        open -= 1;
        if (open === 0) options.onSubscribed?.(wanted);
      });
    }
  }

  const retryNow = () => timer && state === 'offline' && open();
  const onVisible = () => document.visibilityState === 'visible' && retryNow();
  window.addEventListener('online', retryNow);
  document.addEventListener('visibilitychange', onVisible);
  open();

  return {
    /** Topics stay subscribed over losses of the connection, until `unsubscribe`. @param {string[]} wanted */
    subscribe(wanted) {
      const fresh = wanted.filter(topic => !topics.has(topic));
      fresh.forEach(topic => topics.add(topic));
      if (client?.connected && fresh.length > 0) send(fresh);
    },
    /** @param {string[]} unwanted */
    unsubscribe(unwanted) {
      const held = unwanted.filter(topic => topics.delete(topic));
      if (client?.connected && held.length > 0) client.unsubscribe(held.map(topic => prefix + topic), () => {});
    },
    /**
     * Publishes once (QoS 1, not retained). Rejects at once, with an error that is `unsent`, while not live: nothing is kept for later.
     * @param {string} topic
     * @param {object} body the whole message
     * @param {{expiry?: number, responseTopic?: string, correlation?: string|Uint8Array}} [how] `expiry` in seconds; the response topic
     *   without the root
     * @returns {Promise<{reason: number}>} the reason code of the broker; from 0x80 on it refused
     */
    publish(topic, body, { expiry = 10, responseTopic, correlation } = {}) {
      const own = client;
      if (state !== 'live' || !own?.connected) return Promise.reject(Object.assign(new Error('There is no connection.'), { unsent: true }));
      const properties = { messageExpiryInterval: expiry, contentType: 'application/json', payloadFormatIndicator: true };
      if (responseTopic) properties.responseTopic = prefix + responseTopic;
      if (correlation) properties.correlationData = typeof correlation === 'string' ? new TextEncoder().encode(correlation) : correlation;
      return new Promise((resolve, reject) => {
        unanswered.add(reject);
        own.publish(prefix + topic, JSON.stringify(body), { qos: 1, retain: false, properties }, (error, packet) => {
          unanswered.delete(reject);
          if (error && error.code === undefined) reject(error);
          else resolve({ reason: error?.code ?? packet?.reasonCode ?? 0 });
        });
      });
    },
    close() {
      closed = true;
      clearTimeout(timer);
      window.removeEventListener('online', retryNow);
      document.removeEventListener('visibilitychange', onVisible);
      if (client) lost(client, {});
    },
  };
}
