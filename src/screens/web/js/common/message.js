// From the bytes of a payload to a message. Touches no DOM.

/** A larger payload is not read: the longest state of a game is a tenth of it. */
const LARGEST_PAYLOAD = 1 << 20;

/**
 * A message as in src/wire/README.md.
 * @typedef {{v: string, type: string, body: object, t?: {us: number, utc: string, sync: string}, node?: string, boot?: number,
 *   no?: number, id?: string, game?: string, rev?: number}} Message
 */

/**
 * Reads a payload, which is untrusted.
 * @param {Uint8Array} payload
 * @returns {[Message|null, string]} the message, or why it is none
 */
export function readMessage(payload) {
  if (payload.length > LARGEST_PAYLOAD) return [null, 'The payload is too large.'];
  try {
    const message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
    const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject(message) || !isObject(message.body)) return [null, 'The payload is no message: there is no body.'];
    if (typeof message.type !== 'string' || !/^1\.\d+$/.test(message.v ?? '')) return [null, 'The version of the message is not 1.'];
    return [message, ''];
  } catch {
    return [null, 'The payload is not JSON in UTF-8.'];
  }
}
