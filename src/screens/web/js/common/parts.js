// Joins the moves of a state with the parts that have those before them (src/wire/README.md, section 2.2). Touches no DOM.

/** The largest number of parts that is kept of one board. */
const MOST_PARTS = 210;

/** @typedef {Map<number, {initial_fen?: string|null, moves: any[], after: number, sum: number}>} Parts by their number */

/**
 * Keeps a part, or forgets it. Returns whether it was one.
 * @param {Parts} parts
 * @param {string} number the last level of its topic
 * @param {any} body null deletes
 */
export function keepPart(parts, number, body) {
  if (!/^\d{1,3}$/.test(number) || Number(number) >= MOST_PARTS) return false;
  if (body) parts.set(Number(number), body);
  else parts.delete(Number(number));
  return true;
}

/**
 * The state with all its moves; as it is if a part is missing, or has other moves than the state names.
 * @template {{initial_fen: string, moves: any[], moves_from?: number|null, parts?: {total: number, sum: number}|null, segments?: any[]}} Body
 * @param {Parts} parts
 * @param {Body} body
 * @returns {Body}
 */
export function withParts(parts, body) {
  if (!body.parts) return body;
  let { sum } = body.parts;
  const found = [];
  for (let number = body.parts.total - 1; number >= 0; number -= 1) {
    const part = parts.get(number);
    if (!part || part.sum !== sum) return body;
    found.unshift(part);
    sum = part.after;
  }
  /** @type {{initial_fen: string, moves: any[]}[]} */
  const segments = [];
  for (const { initial_fen: start, moves } of found) {
    if (start) segments.push({ initial_fen: start, moves: [...moves] });
    else segments.at(-1)?.moves.push(...moves);
  }
  const from = body.moves_from ?? 1;
  const present = from > 1 ? segments.pop() : { initial_fen: body.initial_fen, moves: [] };
  if (sum !== 0 || present?.moves.length !== from - 1) return body;
  return { ...body, initial_fen: present.initial_fen, moves: [...present.moves, ...body.moves], segments, moves_from: null, parts: null };
}

/**
 * Joins the state in a slot with its parts. Returns whether that changed it.
 * @param {Parts} parts
 * @param {{message: {body: any}}|null} slot
 */
export function completeSlot(parts, slot) {
  const body = slot && withParts(parts, slot.message.body);
  if (!slot || body === slot.message.body) return false;
  slot.message = { ...slot.message, body };
  return true;
}
