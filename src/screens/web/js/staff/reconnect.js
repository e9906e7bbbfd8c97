// What becomes of the model when the connection was lost: it stays, and what the broker does not send again is removed.
import { newTime } from './journal-time.js';

/** A new connection began: what is held stays until its retained message comes again. @param {import('./model.js').Model} model */
export function beginConnection(model) {
  model.connection += 1;
  model.version += 1;
  // Journals may have gone on meanwhile with another distance to this device's clock.
  for (const board of model.boards.values()) board.time = newTime();
  for (const node of model.nodes.values()) node.time = newTime();
}

/**
 * Removes what did not come again on this connection: it was deleted meanwhile.
 * @param {import('./model.js').Model} model
 */
export function removeOld(model) {
  model.version += 1;
  /** @template T @param {import('./model.js').Slot<T>|null} slot */
  const kept = (slot) => (slot && slot.connection === model.connection ? slot : null);
  for (const board of model.boards.values()) {
    board.live = kept(board.live);
    board.clock = kept(board.clock);
    board.state = kept(board.state);
    board.ruling = kept(board.ruling);
    for (const [id, slot] of board.alerts) if (!kept(slot)) board.alerts.delete(id);
  }
  for (const node of model.nodes.values()) {
    node.status = kept(node.status);
    node.info = kept(node.info);
    // Health expires at the broker by itself and comes again within 30 s.
  }
  for (const [id, slot] of model.devices) if (!kept(slot)) model.devices.delete(id);
}
