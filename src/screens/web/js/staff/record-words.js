// One line for each event of the record.
import { alarmTitle, outcomeWords, resultSign, sideName } from './words.js';

/** @param {string} word */
const plain = (word) => word.replaceAll('_', ' ');

/**
 * @param {any} message an event for arbiters
 * @param {'move'|'audit'} branch
 * @returns {string}
 */
export function recordLine(message, branch) {
  const body = message.body;
  if (branch === 'move') return `${Math.ceil(body.ply / 2)}${body.color === 'white' ? '.' : '…'} ${body.san}${body.how ? ` · ${plain(body.how)}` : ''}${body.after_flag ? ' · after the flag' : ''}`;
  const side = sideName(body.side);
  const squares = Array.isArray(body.squares) ? body.squares.join(' ') : '';
  switch (body.what) {
    case 'flag': return `⚑ ${side}’s flag fell (${plain(body.path)})`;
    case 'game': return `Game ${body.game_no}: ${plain(body.event)}`;
    case 'clock': return `Clock ${plain(body.event)}${side ? ` · ${side}` : ''}`;
    case 'press_out_of_turn': return `${side} pressed out of turn`;
    case 'pressed_back': return `${side} pressed with nothing moved; pressed back`;
    case 'touched': return `${side} touched ${squares} and put it back`;
    case 'stood': return `${side}’s man stood on ${squares} for ${(body.stood_us / 1e6).toFixed(1)} s`;
    case 'rook_first': return `${side} castled with the rook first (${squares})`;
    case 'two_hands': return `${side} may have castled with two hands (${squares})`;
    case 'hint': return `Kings in the centre: ${resultSign(body.result)}, not entered`;
    case 'alarm': return `Alarm ${alarmTitle(body)}: ${plain(body.status)}`;
    case 'finding': return `Finding ${body.id}.${body.revision}: ${plain(body.kind)}, ${outcomeWords(body.outcome)} (${plain(body.status)})`;
    case 'claim': return `${side} claims ${plain(body.ground)}: ${body.standing}${body.correct === true ? ', correct' : body.correct === false ? ', not correct' : ''}`;
    case 'decision': return `Decision ${body.number}: ${plain(body.kind)} ${resultSign(body.result)} by ${body.by ?? 'somebody'}${body.reason ? ` – ${body.reason}` : ''}`;
    case 'revision': return `Moves changed from half-move ${body.from_ply}: ${plain(body.cause)}`;
    case 'restated': return `Numbers from ${body.from} on are given anew`;
    case 'refused': return `Refused: ${body.problem}`;
    case 'command': return `${body.actor ?? 'Somebody'}: ${body.verb}${body.code && body.code !== 'ok' ? ` – ${body.code}` : ''}${body.reason ? ` – ${body.reason}` : ''}${body.message ? ` (${body.message})` : ''}`;
    default: return plain(String(body.what));
  }
}
