// The fields of a sheet.
import { html, nothing } from '../../vendor/lit-html.js';
import { REASONS } from './verbs.js';

/** @typedef {(name: string, value: any) => void} Set */

/** @param {Event} event */
const valueOf = (event) => /** @type {HTMLInputElement} */ (event.target).value;

/**
 * @param {import('./verbs.js').Field} field
 * @param {Record<string, any>} values
 * @param {Set} set
 * @param {[string, string][]} [options]
 */
export function fieldView(field, values, set, options = field.options ?? []) {
  const value = values[field.name] ?? '';
  const hint = field.hint ? html`<small class="muted">${field.hint}</small>` : nothing;
  switch (field.kind) {
    case 'side': return radios(field, value, set, [['white', 'White'], ['black', 'Black']]);
    case 'result': return radios(field, value, set, [['1-0', '1–0'], ['1/2-1/2', '½–½'], ['0-1', '0–1'], ['*', 'goes on']]);
    case 'check': return html`<label class="tick"><input type="checkbox" .checked=${Boolean(value)}
      @change=${(/** @type {Event} */ event) => set(field.name, /** @type {HTMLInputElement} */ (event.target).checked)}> ${field.label}</label>`;
    case 'choice':
      if (!options.length) return nothing;
      return html`<label>${field.label} <select .value=${value} @change=${(/** @type {Event} */ event) => set(field.name, valueOf(event))}>
        <option value="">${field.optional ? '–' : 'Choose'}</option>${options.map(([name, words]) => html`<option value=${name} ?selected=${name === value}>${words}</option>`)}</select>${hint}</label>`;
    default: return html`<div class="field"><label>${field.label} <input type="text" inputmode=${field.kind === 'number' ? 'numeric' : 'text'} autocomplete="off" spellcheck="false"
        ?required=${!field.optional} .value=${String(value)} @input=${(/** @type {Event} */ event) => set(field.name, valueOf(event).trim())}>${hint}</label>
      ${field.ready ? html`<div class="segments" role="group" aria-label=${field.label}>${field.ready.map(([name, words]) => html`
        <button type="button" aria-pressed=${String(value) === name} @click=${() => set(field.name, String(value) === name ? '' : name)}>${words}</button>`)}</div>` : nothing}</div>`;
  }
}

/** @param {import('./verbs.js').Field} field @param {string} value @param {Set} set @param {[string, string][]} options */
function radios(field, value, set, options) {
  return html`<fieldset><legend>${field.label}</legend><div class="segments">${options.map(([name, words]) => html`
    <button type="button" aria-pressed=${value === name} @click=${() => set(field.name, name)}>${words}</button>`)}</div></fieldset>`;
}

/** @param {Record<string, any>} values @param {Set} set @param {boolean} needed */
export function reasonField(values, set, needed) {
  return html`
    <div class="reason">
      <label>Reason${needed ? '' : ' (if you like)'} <input type="text" maxlength="250" autocomplete="off" ?required=${needed} .value=${values.reason ?? ''}
        @input=${(/** @type {Event} */ event) => set('reason', valueOf(event))}></label>
      ${needed ? html`<div class="ready-reasons">${REASONS.map((words) => html`<button type="button" class="chip"
        @click=${() => set('reason', words)}>${words}</button>`)}</div>` : nothing}
    </div>`;
}
