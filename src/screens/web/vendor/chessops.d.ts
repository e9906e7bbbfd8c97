// Types of what the pages use of chessops.
export type NormalMove = { from: number; to: number; promotion?: string };
export type Setup = object;
type Result<T> = { isErr: false; isOk: true; value: T } | { isErr: true; isOk: false; error: Error };
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
export const fen: { parseFen(text: string): Result<Setup>; makeFen(setup: Setup): string };
export const san: { makeSan(position: Chess, move: NormalMove): string; parseSan(position: Chess, text: string): NormalMove | undefined };
export function parseUci(text: string): NormalMove | undefined;
export function makeUci(move: NormalMove): string;
export function parseSquare(name: string): number | undefined;
export function makeSquare(square: number): string;
