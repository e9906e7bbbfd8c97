// The nine ticks of a board before the round: what is ready, and what to do about the rest.
import { deviceOf, lists, nodeOf } from './live.js';
import { alarmLine } from './words.js';
import { isOpen } from './needs.js';

/** Below this charge a battery is to be changed, percent; at this signal or below a board may be lost, dBm; free disk, MiB. */
const BATTERY = 25;
const SIGNAL = -85;
const DISK = 500;

/** @typedef {{name: string, state: 'yes'|'no'|'open', todo: string}} Tick `open`: not known yet */

/**
 * @param {import('./model.js').Model} model
 * @param {import('./model.js').Board} board
 * @param {{felt: boolean, exchanged: string}|null} touch what the touch test says; null while games are played
 * @returns {Tick[]}
 */
export function ticksOf(model, board, touch) {
  const node = nodeOf(model, board);
  const device = deviceOf(model, board.key)?.slot.message.body;
  const clock = deviceOf(model, board.key, 'clock')?.slot.message.body;
  const state = board.state?.message.body ?? board.live?.message.body;
  const alarm = (/** @type {string} */ kind) => [...board.alerts.values()].map((slot) => slot.message.body).find((alert) => alert.kind === kind && isOpen(alert));
  /** @param {string} name @param {boolean|null} good null = not known @param {string} todo @returns {Tick} */
  const tick = (name, good, todo) => ({ name, state: good === null ? 'open' : good ? 'yes' : 'no', todo: good ? '' : todo });
  const life = node?.status?.message.body.state;
  const setting = alarm('clock_setting_differs');
  const setUp = alarm('wrong_set_up');
  const battery = device?.battery_percent;
  const signal = [device?.signal_dbm, clock?.signal_dbm].filter((value) => typeof value === 'number').sort((one, other) => Number(one) - Number(other))[0];
  const status = state && 'clock_status' in state ? state.clock_status : undefined;
  return [
    tick('Node', life ? life === 'ready' : null, life ? `node ${node?.name} is ${life}` : 'no node serves this board'),
    tick('Board', device ? device.state !== 'offline' : false, device ? device.problem ?? 'plug the board in' : 'no device: plug it in, or bind one'),
    tick('Clock', status ? status === 'reporting' : null, CLOCK[status ?? ''] ?? 'not known yet'),
    tick('Battery', !device ? null : battery === undefined || battery === null || battery >= BATTERY || device.charging === true, `${battery} %: charge or change it`),
    tick('Signal', !device ? null : signal === undefined || Number(signal) > SIGNAL, `${signal} dBm: move the receiver nearer`),
    tick('Times', status === 'reporting' ? !setting : null, setting ? alarmLine(setting) : 'when the clock reports'),
    tick('Men', state ? !setUp && !isEmpty(state) : null, setUp ? alarmLine(setUp) : 'set the men up'),
    healthTick(node, board, tick),
    ...(touch ? [tick('Touch', touch.felt ? true : touch.exchanged ? false : null, touch.exchanged || 'lift the e2 pawn')] : []),
  ];
}

/** @type {Record<string, string>} */
const CLOCK = { not_available: 'this board has no clock', not_heard: 'connect the clock and switch it on', lost: 'the clock is gone: look at its cable' };

/** A board without a game waits for the men. @param {any} state */
const isEmpty = (state) => state.stage === 'awaiting_set_up';

/**
 * @param {import('./model.js').StaffNode|null} node
 * @param {import('./model.js').Board} board
 * @param {(name: string, good: boolean|null, todo: string) => Tick} tick
 */
function healthTick(node, board, tick) {
  const health = node?.health?.message;
  if (!health) return tick('Health', null, 'nothing heard yet');
  const wrong = [
    health.body.journal_ok ? '' : 'the journal cannot be written',
    (health.body.disk_free_mib ?? DISK) < DISK ? `only ${health.body.disk_free_mib} MiB free` : '',
    health.body.under_voltage ? 'the supply voltage is too low: use a better power supply' : '',
    ['ntp', 'ptp', 'gps'].includes(health.t.sync) ? '' : 'its clock is not synchronised',
    lists(health.body.failed_boards, board) ? 'it has given this board up' : '',
    health.body.name_taken ? 'a second program uses its name' : '',
  ].filter(Boolean);
  return tick('Health', wrong.length === 0, wrong.join('; '));
}
