// Commands and what becomes of them. A command keeps its id and its lock from the moment its sheet opens, so that a second tap is the same
// command and the lock is what the arbiter saw. Nothing is kept for later: without a connection nothing is sent.
import { nodeNow } from './journal-time.js';
import { saidBy } from './said.js';

/** How long an answer may take, milliseconds; the broker drops the command after the same time. */
export const ANSWER_WITHIN = 10_000;

/**
 * @typedef {{game: string, rev?: number, finding?: {id: number, revision: number}}} Lock
 * @typedef {'none'|'game'|'rev'|'finding'} LockKind
 * @typedef {{said: string, state: string}} Read
 * @typedef {'open'|'sending'|'accepted'|'done'|'failed'|'silent'|'refused'} Stage `refused` by the broker, `silent` without an answer
 */
/**
 * @typedef {object} Draft
 * @property {string} id
 * @property {import('./model.js').Board} board
 * @property {string} verb
 * @property {LockKind} lockKind
 * @property {Lock|null} lock what the arbiter saw
 * @property {Lock|null} seen game and revision at that moment
 * @property {Read} read what the arbiter read at that moment
 * @property {Record<string, any>} body
 * @property {string} reason
 * @property {Date|null} observedAt in the time of the node
 * @property {Stage} stage
 * @property {string} code
 * @property {string} message
 * @property {Lock|null} present what the answer says
 */

/** @type {Record<string, LockKind>} The lock of each verb (src/arbiter/verbs.rs); `game` for a verb that is not listed. */
const LOCKS = {
  resync: 'none', confirm: 'finding', reject: 'finding', 'start-game': 'rev', 'correct-move': 'rev', 'take-back': 'rev', 'set-position': 'rev',
  'swap-sides': 'rev', 'set-move-count': 'rev', 'set-clock-record': 'rev', 'set-flag-order': 'rev', 'declare-result': 'rev', accept: 'rev',
  penalty: 'rev',
};

/** The lock that a command needs: a claim that is accepted or refused is a decision. @param {string} verb @param {Record<string, any>} body @returns {LockKind} */
export const lockKind = (verb, body) =>
  (verb === 'claim' && (body.standing === 'accepted' || body.standing === 'refused') ? 'rev' : LOCKS[verb] ?? 'game');

/** Whether `observed_at` of this verb is used. @param {string} verb */
export const usesObservedAt = (verb) => ['confirm', 'reject', 'declare-result', 'penalty', 'accept', 'claim', 'offer', 'resign'].includes(verb);

/**
 * The lock with the present values; null while they are not known.
 * @param {import('./model.js').Board} board
 * @param {LockKind} kind
 * @returns {Lock|null}
 */
export function lockNow(board, kind) {
  const ruling = board.ruling?.message;
  if (kind === 'finding') {
    if (!ruling || !('position' in ruling.body)) return null;
    return { game: ruling.game, finding: { id: ruling.body.id, revision: ruling.body.revision } };
  }
  const state = board.state?.message;
  if (!state) return null;
  return kind === 'rev' ? { game: state.game, rev: state.rev } : { game: state.game };
}

/** What an arbiter reads of a board: the words of the finding, and the state without its clock and without the proof. @param {import('./model.js').Board} board @returns {Read} */
const readNow = (board) => ({ said: saidBy(board.ruling?.message.body), state: JSON.stringify({ ...board.state?.message.body, clock: null, finding: null }) });

/**
 * What is no longer as the arbiter saw it when the sheet opened, '' while nothing is. A revision that says the same is the same.
 * @param {Draft} draft
 * @returns {''|'board'|'finding'}
 */
export function overtakenBy({ board, lockKind: kind, lock, read }) {
  if (kind === 'none') return '';
  const [present, now] = [lockNow(board, kind), readNow(board)];
  if (present?.game !== lock?.game || (kind === 'rev' && now.state !== read.state)) return 'board';
  return kind !== 'game' && (present?.finding?.id !== lock?.finding?.id || now.said !== read.said) ? 'finding' : '';
}

/** 128 random bits. `crypto.randomUUID` is missing on pages without TLS. */
export const randomId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Opens a command: from now on its id and its lock stay.
 * @param {import('./model.js').Board} board
 * @param {string} verb
 * @param {Record<string, any>} body
 * @param {{reason?: string, observedAt?: Date|null}} [also]
 * @returns {Draft}
 */
export function openDraft(board, verb, body, { reason = '', observedAt = null } = {}) {
  const kind = lockKind(verb, body);
  return {
    id: randomId(), board, verb, lockKind: kind, lock: kind === 'none' ? null : lockNow(board, kind), seen: lockNow(board, 'rev'), read: readNow(board), body, reason, observedAt, stage: 'open',
    code: '', message: '', present: null,
  };
}

/**
 * Gives an open command its body. Whether a claim needs a longer lock is known only then; the values are still those of before.
 * @param {Draft} draft
 * @param {Record<string, any>} body
 */
export function setBody(draft, body) {
  draft.body = body;
  const kind = lockKind(draft.verb, body);
  if (kind === draft.lockKind) return;
  draft.lockKind = kind;
  draft.lock = kind === 'game' && draft.seen ? { game: draft.seen.game } : draft.seen;
}

/** The arbiter has seen what changed: the lock is taken anew. A command that was refused gets a new id. @param {Draft} draft */
export function lookAgain(draft) {
  const { board, verb, body, reason, observedAt, stage, id } = draft;
  const fresh = openDraft(board, verb, body, { reason, observedAt });
  Object.assign(draft, fresh, stage === 'open' ? { id } : {});
}

/**
 * @param {{publish: (topic: string, body: object, options: object) => Promise<{reason: number|string}>, user: string, replies: string,
 *   now: () => number, onChange: () => void}} parts
 */
export function newCommander({ publish, user, replies, now, onChange }) {
  /** @type {Map<string, Draft>} */
  const open = new Map();
  /** @type {Set<string>} board and verb that were denied */
  const denied = new Set();
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */
  const timers = new Map();

  /** @param {Draft} draft @param {Stage} stage @param {Partial<Draft>} [also] */
  function become(draft, stage, also = {}) {
    Object.assign(draft, { stage }, also);
    clearTimeout(timers.get(draft.id));
    timers.delete(draft.id);
    if (stage === 'sending' || stage === 'accepted') {
      timers.set(draft.id, setTimeout(() => become(draft, 'silent'), ANSWER_WITHIN));
    }
    onChange();
  }

  /**
   * Sends a command, or the same command again if there was no answer.
   * @param {Draft} draft
   */
  async function send(draft) {
    const again = draft.stage === 'silent' || draft.stage === 'refused' || (draft.stage === 'failed' && draft.code === 'busy');
    if (draft.stage !== 'open' && !again) return;
    if (draft.stage === 'open') {
      if (overtakenBy(draft)) return;
      // The node asks for the present revision, also of what says the same as before.
      if (draft.lock) draft.lock = lockNow(draft.board, draft.lockKind);
    }
    open.set(draft.id, draft);
    become(draft, 'sending', { code: '', message: '' });
    const message = {
      v: '1.2', type: `cmd.${draft.verb}`, id: draft.id, issued: nodeNow(draft.board.time, now()).toISOString(),
      ...(draft.lock && { expect: draft.lock }),
      ...(draft.observedAt && usesObservedAt(draft.verb) && { observed_at: draft.observedAt.toISOString() }),
      ...(draft.reason && { reason: draft.reason }),
      body: draft.body,
    };
    const { event, round, id } = draft.board;
    try {
      const { reason } = await publish(`cmd/${user}/${event}/${round}/${id}/${draft.verb}`, message, {
        expiry: ANSWER_WITHIN / 1000, responseTopic: `reply/${user}/${replies}`, correlation: draft.id,
      });
      if (Number(reason) >= 0x80 && draft.stage === 'sending') {
        become(draft, 'refused', { message: `The broker does not let ${user} send commands.` });
      }
    } catch (error) {
      if (draft.stage !== 'sending') return;
      // A connection that was lost meanwhile may have carried the command.
      if (/** @type {{unsent?: boolean}} */ (error).unsent) become(draft, 'refused', { message: 'No connection: nothing was sent.' });
      else become(draft, 'silent');
    }
  }

  /** Takes an answer. @param {import('../../messages').CmdReplyMessage} reply */
  function handleReply(reply) {
    const draft = open.get(reply.id);
    if (!draft || draft.stage === 'done') return;
    const { stage, code, message, game, rev, finding } = reply.body;
    const present = game ? { game, ...(rev !== undefined && rev !== null && { rev }), ...(finding && { finding }) } : null;
    if (code === 'denied') denied.add(`${draft.board.key} ${draft.verb}`);
    become(draft, stage, { code, message, present });
    if (stage !== 'accepted') open.delete(reply.id);
  }

  return {
    send, handleReply,
    /** @param {import('./model.js').Board} board @param {string} verb */
    isDenied: (board, verb) => denied.has(`${board.key} ${verb}`),
  };
}
