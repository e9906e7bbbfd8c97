// Types of what the pages use of lit-html, so that `tsc` does not read the library itself.
export type TemplateResult = { _$litType$: number };
export function html(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): TemplateResult;
export function render(value: unknown, container: HTMLElement): unknown;
export const nothing: unique symbol;
export const noChange: unique symbol;
export function repeat<T>(items: Iterable<T>, key: (item: T, index: number) => unknown, template: (item: T, index: number) => unknown): unknown;
export function classMap(classes: Record<string, boolean | undefined>): unknown;
export function ifDefined<T>(value: T): T | typeof nothing;
export function live(value: unknown): unknown;
export function guard(values: unknown, make: () => unknown): unknown;
export function keyed(key: unknown, value: unknown): unknown;
export type Ref<T = Element> = { readonly value?: T };
export function createRef<T = Element>(): Ref<T>;
export function ref(use: Ref | ((element: Element | undefined) => void)): unknown;
