// Types of what the pages use of chessops.
export type NormalMove = { from: number; to: number; promotion?: string };
export type Setup = object;
type Result<T> = { unwrap(): T } & ({ isErr: false; isOk: true; value: T } | { isErr: true; isOk: false; error: Error });
export class Chess {
  static fromSetup(setup: Setup): Result<Chess>;
  static default(): Chess;
  turn: 'white' | 'black';
  clone(): Chess;
  play(move: NormalMove): void;
  isLegal(move: NormalMove): boolean;
  dests(square: number): Iterable<number>;
  allDests(): Map<number, Iterable<number>>;
  toSetup(): Setup;
}
export function parseFen(text: string): Result<Setup>;
export function makeFen(setup: Setup): string;
export function makeSan(position: Chess, move: NormalMove): string;
export function parseSan(position: Chess, text: string): NormalMove | undefined;
export function parseUci(text: string): NormalMove | undefined;
export function makeUci(move: NormalMove): string;
export function parseSquare(name: string): number | undefined;
export function makeSquare(square: number): string;
