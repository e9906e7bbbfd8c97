// What a finding says to the arbiter who reads it. A shorter line to the same mate raises its revision and says nothing else.
import { actWords } from './words.js';

/** @typedef {import('../../messages').Finding & {screen?: import('../../messages').Screen|null, decision?: import('../../messages').Decision|null}} Shown */

/** What is read, by its name, the proposal first. @type {[string, (finding: Shown) => unknown][]} */
const READ = [
  ['', ({ screen, outcome }) => screen?.proposal.replace(/^Proposal: /, '') ?? outcome],
  ['What to do', ({ screen }) => (screen ? actWords(screen.act) : '')],
  ['Besides', ({ screen }) => screen?.besides?.join(' · ') ?? ''],
  ['Moves', ({ screen }) => screen?.moves ?? ''],
  ['Not known', ({ unknown }) => unknown.join(', ').replaceAll('_', ' ')],
  ['Position', ({ position }) => position],
  ['Choices', ({ screen }) => screen?.choices.map((choice) => choice.label).join(' · ') ?? ''],
  ['Outcome', ({ outcome, alternatives, contested }) => [outcome, contested, ...alternatives.map((one) => `${one.outcome} ${one.depends_on}`)].join(' ')],
];

/** What a ruling says, as one text. @param {import('../../messages').Ruling|null|undefined} body */
export function saidBy(body) {
  if (!body) return '';
  return JSON.stringify([body.decision?.number ?? 0, 'position' in body ? READ.map(([, read]) => read(body)) : '']);
}

/**
 * What it said before where it says something else now: the first part that differs, with its name.
 * @param {Shown} before
 * @param {Shown} after
 */
export function saidBefore(before, after) {
  const [name, read] = READ.find(([, one]) => one(before) !== one(after)) ?? [];
  if (!read) return '';
  return name === 'Position' ? 'another position' : `${name && `${name}: `}${read(before) || 'nothing'}`;
}

/** True while the answer about mate (6.9) is awaited and nothing is proposed yet. @param {import('../../messages').Finding} finding */
export const isWorkedOut = (finding) => finding.winnable.verdict === 'pending' && finding.outcome === 'undecided';
