// The sound of a loud alarm: two tones, again after 10 and 30 seconds until somebody opens or acknowledges it. Never speech, which would
// name a board aloud. A browser allows sound only after a tap on the page, so it begins off; the device remembers what was answered.
import { readSetting, writeSetting } from './session.js';

/** When the sound of one alarm is played, milliseconds after it was seen. */
const AT = [0, 10_000, 30_000];

export function newSound() {
  /** @type {AudioContext|null} */
  let context = null;
  let muted = false;
  /** @type {Map<string, {from: number, played: number, device: boolean}>} */
  const rows = new Map();

  /** @param {boolean} device lower tones for a device */
  function play(device) {
    if (!context || muted) return;
    const begin = context.currentTime;
    (device ? [330, 262] : [880, 1175]).forEach((frequency, index) => {
      const tone = /** @type {AudioContext} */ (context).createOscillator();
      const volume = /** @type {AudioContext} */ (context).createGain();
      const from = begin + index * 0.22;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.0001, from);
      volume.gain.exponentialRampToValueAtTime(0.5, from + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, from + 0.2);
      tone.connect(volume).connect(/** @type {AudioContext} */ (context).destination);
      tone.start(from);
      tone.stop(from + 0.22);
    });
    navigator.vibrate?.(device ? [120] : [200, 80, 200]);
  }

  return {
    /** Switches the sound on, which plays it once, or off. To be called in the handler of a tap. */
    toggle() {
      if (!context) {
        context = new AudioContext();
        muted = false;
      } else {
        muted = !muted;
      }
      context.resume();
      writeSetting('sound', muted ? 'off' : 'on');
      if (!muted) play(false);
    },
    /** Switches the sound on where it was on before on this device. To be called in the handler of a tap or key. @returns {boolean} whether it is on from now on */
    wake() {
      if (context || readSetting('sound', '') !== 'on') return false;
      context = new AudioContext();
      context.resume();
      return true;
    },
    keepOff: () => writeSetting('sound', 'off'),
    /** Whether nobody has answered on this device yet. */
    isAsked: () => context === null && readSetting('sound', '') === '',
    isOn: () => context !== null && !muted,
    /**
     * Plays what is due.
     * @param {import('./needs.js').Need[]} needs the rows that are open and that nobody has opened
     * @param {number} now
     * @returns {import('./needs.js').Need[]} the rows that are new
     */
    follow(needs, now) {
      const keys = new Set(needs.map((need) => need.key));
      for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
      const fresh = needs.filter(({ key }) => !rows.has(key));
      for (const { key, device } of fresh) rows.set(key, { from: now, played: 0, device });
      const due = [...rows.values()].filter((row) => row.played < AT.length && now - row.from >= AT[row.played]);
      for (const row of due) row.played += 1;
      // Several alarms of one moment are one sound.
      if (due.length) play(due.every((row) => row.device));
      return fresh;
    },
  };
}
