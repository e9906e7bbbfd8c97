// Made from config/schema by `flagfall schema --typescript`. Do not edit.

/** An answer to an alarm. */
export type AlarmChoice = {
  /** The body of the command. */
  body: SetRoundGameBody;
  /** The words on the button. */
  label: string;
  /** The command. */
  verb: "set-round-game";
};

/** What is the matter. */
export type AlarmKind = "flag" | "illegal_move" | "promotion_not_replaced" | "pressed_without_move" | "fivefold_repetition" | "seventy_five_moves" | "dead_position" | "pieces_displaced" | "board_lost" | "board_failed" | "not_recorded" | "publish_refused" | "name_taken" | "clock_lost" | "clock_setting_differs" | "clock_count_differs" | "clock_sides_differ" | "wrong_clock_running" | "clock_at_zero" | "wrong_set_up" | "incomplete_move" | "piece_in_hand" | "moved_by_wrong_side" | "position_differs" | "king_missing" | "too_many_men" | "unreadable_square" | "weak_square" | "weak_man" | "battery_low" | "battery_critical" | "clock_battery_low" | "weak_signal" | "clock_weak_signal" | "ambiguous" | "unreachable" | "link_gap" | "promotion_unconfirmed" | "default_time_over" | "clock_not_started" | "flag_after_end" | "joined_in_progress" | "result_missing" | "unpublished_game" | "position_to_restore" | "reopened" | "kings_in_centre" | "clock_sides_exchanged" | "clock_lever_inverted";

/** What has become of an alarm. */
export type AlarmStatus = "open" | "corrected_on_board" | "cured" | "acknowledged" | "game_over";

/** An alarm. */
export type AlertBody = {
  /** The answers to an alarm that asks something: a button each. Besides the body its command needs the lock `game` (`wire/README.md#5`). */
  choices?: AlarmChoice[];
  /** Who should do what. */
  class: Class;
  /** When it was closed, microseconds since the journal began. */
  closed_at: number | null;
  /** Number on this board. 0 and the numbers from 2000000001 on are alarms that the program raises about itself. */
  id: number;
  /** What is the matter. */
  kind: AlarmKind;
  /** When it was opened, microseconds since the journal began. */
  opened_at: number;
  /** What is wrong and what to do, where a device or the program is not well; what the Laws leave, where an illegal move stands (A.5.2). */
  sentence?: string | null;
  /** What is wrong on them, where pieces were set up wrongly (7.2). */
  set_up?: SetUpBody[];
  /** Whose move, press or flag. */
  side: Side | null;
  /** The squares concerned, such as `e4`. */
  squares: string[];
  /** What has become of it. */
  status: AlarmStatus;
};

/** Who should do what about an alarm. */
export type Class = "loud" | "silent" | "note";

/** The body of `set-round-game`. */
export type SetRoundGameBody = {
  /** Whether the game on the board is the round's. */
  of_the_round: boolean;
};

/** A square of a wrong set-up (7.2). */
export type SetUpBody = {
  /** The letter of what should stand there; none if it should be empty. */
  expected: string | null;
  /** Which, such as `e1`. */
  square: string;
  /** The letter that a FEN has for what stands there; none if it is empty. */
  stands: string | null;
};

/** A player's colour. */
export type Side = "white" | "black";

/** An open alarm, for arbiters; an empty payload deletes it. */
export type BoardAlertBody = AlertBody;

export type BoardAlertMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.alert";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardAlertBody;
};

/** One outcome among several, and what it depends on. */
export type Alternative = {
  /** The condition, in a few words. */
  depends_on: string;
  /** The outcome if it holds. */
  outcome: Outcome;
  /** Row of the decision table. */
  row: string;
};

/** Something for the arbiter's record that is neither alarm nor finding. */
export type AuditBody = ({
  what: "flag";
} & FlagBody) | {
  /** What became of it. */
  event: GameEvent;
  /** Number of the game on this board. */
  game_no: number;
  what: "game";
} | {
  /** What happened. */
  event: ClockEvent;
  /** Whose clock. */
  side: Side | null;
  what: "clock";
} | {
  /** Between these two, microseconds since the journal began. */
  pressed_at: [number, number];
  /** Who pressed. */
  side: Side;
  what: "press_out_of_turn";
} | {
  /** Between these two, microseconds since the journal began. */
  pressed_at: [number, number];
  /** Who pressed first. */
  side: Side;
  what: "pressed_back";
} | {
  /** Between these two, microseconds since the journal began. */
  lifted_at: [number, number];
  /** Between these two. */
  put_back_at: [number, number];
  /** Whose man. */
  side: Side;
  /** Its square. */
  squares: string[];
  what: "touched";
} | {
  /** Number of the half-move that was made in the end, from 1. */
  ply: number;
  /** When the board first showed it there, and when it last did, microseconds since the journal began. */
  shown_at: [number, number];
  /** Whose move. */
  side: Side;
  /** Where it stood. */
  squares: string[];
  /** From the one to the other, microseconds. */
  stood_us: number;
  what: "stood";
} | {
  /** When the board told that the rook was lifted and that the king was, microseconds since the journal began. */
  lifted_at: [number, number];
  /** Number of the half-move, from 1. */
  ply: number;
  /** Whose castling. */
  side: Side;
  /** The squares of rook and king. */
  squares: string[];
  what: "rook_first";
} | {
  /** Number of the half-move, from 1. */
  ply: number;
  /** When the board told the one and the other, microseconds since the journal began. */
  shown_at: [number, number];
  /** Whose castling. */
  side: Side;
  /** The squares of rook and king that were left, or reached, together. */
  squares: string[];
  what: "two_hands";
} | ({
  what: "hint";
} & Hint) | ({
  what: "alarm";
} & AlertBody) | ({
  what: "finding";
} & Finding) | ({
  what: "claim";
} & ClaimBody) | ({
  what: "decision";
} & Decision) | ({
  what: "revision";
} & RevisionBody) | {
  /** The first of these numbers. */
  from: number;
  what: "restated";
} | {
  /** Why. */
  problem: string;
  what: "refused";
} | ({
  what: "command";
} & CommandBody);

/** Why a game was changed. */
export type Cause = "take_back" | "set_position" | "correct_move" | "promotion" | "reopened" | "kings_in_centre" | "men_put_back" | "illegal_move_stands" | "unexplained_gap";

/** A claim, and what the record of the game says of it. */
export type ClaimBody = {
  /** The record of the game bears it out; none where it does not tell. */
  correct?: boolean | null;
  /** On what it rests. */
  ground: Ground;
  /** How, for people. */
  note?: string;
  /** The moves that show it, as numbers of plies. For a repetition: after which plies the position stood, 0 = at the start, the intended move included. For fifty moves: the first and the last ply of the record without a capture or pawn move. */
  plies?: number[];
  /** Who claims. */
  side: Side;
  /** Where it stands. */
  standing: Standing;
  /** The move that is intended, UCI; none if it is about the position on the board. */
  uci?: string | null;
};

/** What happened at a clock. */
export type ClockEvent = "started" | "stopped" | "lever_moved" | "corrected" | "period_added" | "rose" | "doubted" | "set_to_start";

/** What the clock said in one report. */
export type ClockShown = {
  /** Black's time, milliseconds. */
  black_ms: number;
  /** Whose clock ran; none if it stood. */
  running: Side | null;
  /** Where it was read, as `rx0:first-end`; on a link of its own, as `clock-rx0:first-end`. */
  source: string;
  /** White's time, milliseconds. */
  white_ms: number;
};

/** A command in the arbiters' record. A command that came without an admission has its verb only. */
export type CommandBody = {
  /** Who sent it. */
  actor?: string | null;
  /** What was admitted: the body as it came. None for a command that was not. */
  body?: Record<string, Plain>;
  /** `ok`, or why it was not carried out. */
  code?: "ok" | "denied" | "invalid" | "stale" | "unsupported" | "expired" | "busy" | "device-offline";
  /** What the sender believed to be the case. */
  expect?: ExpectBody | null;
  /** The sender's id of it. */
  id?: string | null;
  /** The same for people. */
  message?: string | null;
  /** When the arbiter saw what it is about, RFC 3339. */
  observed_at?: string | null;
  /** When the arbiter saw it, microseconds since the journal began; none where that cannot be said. */
  observed_us?: number | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** What they may do; none for a user who is not known. */
  role?: "operator" | "arbiter" | "chief" | "organiser";
  /** What was to be done. */
  verb: string;
};

/** What a question has cost. */
export type Cost = {
  /** Positions generated. */
  nodes: number;
  /** Walls tried. */
  walls: number;
};

/** All positions that can arise, and how the lines end. */
export type Counts = {
  /** Half-moves to the farthest. */
  depth: number;
  /** Mates of the side itself. */
  mated: number;
  /** Too little material from there on. */
  material: number;
  /** Different positions. */
  positions: number;
  /** Stalemates. */
  stalemates: number;
  /** Behind locked walls. */
  walled: number;
  /** Different walls. */
  walls: number;
};

/** Who decided, when, why, and on which evidence. A later decision on the same matter supersedes it; it is never changed. */
export type Decision = {
  /** When it was made, microseconds since the journal began. */
  at: number;
  /** Who decided: a user, or `automatic` where the event has findings that are certain decided without an arbiter; none where it is not known. */
  by?: string | null;
  /** The claim. */
  claim?: ClaimBody | null;
  /** Numbers of the alarms that it closed. */
  closed_alarms?: number[];
  /** Id of the command that it was given by. */
  command?: string | null;
  /** The finding that was confirmed or rejected, as the arbiter saw it; else the one that stood. */
  finding?: FindingKey | null;
  /** What was decided. */
  kind: DecisionKind;
  /** Number of the decision on this board, from 1. */
  number: number;
  /** When the arbiter saw what it is about, microseconds since the journal began; none where that was not said. */
  observed_at?: number | null;
  /** The penalty. */
  penalty?: PenaltyBody | null;
  /** Why, in the arbiter's words. */
  reason?: string | null;
  /** The result that the game has by it; `*` = none, it goes on. */
  result: GameResult;
  /** `organiser` if the organiser's desk entered the result; else left out. Since version 1.2. */
  role?: "organiser";
  /** Whose claim; who was penalised. */
  side?: Side | null;
  /** Number of the decision that it takes the place of. */
  supersedes?: number | null;
};

/** What was decided. */
export type DecisionKind = "confirmed" | "rejected" | "declared" | "agreed" | "claim_accepted" | "claim_refused" | "penalty" | "restart";

/** The lock of a command in the arbiters' record. */
export type ExpectBody = {
  /** The finding that is decided about. */
  finding?: FindingKey | null;
  /** The game. */
  game?: string | null;
  /** The revision of the arbiters' state. */
  rev?: number | null;
};

/** What the daemon finds; an arbiter decides. */
export type Finding = {
  /** The outcomes, where there are several. */
  alternatives: Alternative[];
  /** Articles of the Laws. */
  articles: string[];
  /** The claim that it is about, with what the record of the game says of it. */
  claim?: ClaimBody | null;
  /** Moves that the player completed before the fall; none if it is not known. */
  completed: number | null;
  /** Nobody has observed or claimed the fall yet (6.8): this is what holds if somebody does now. */
  conditional: boolean;
  /** What the rules leave to the event and this rests on: the names of the choices in force. */
  configurable: string[];
  /** The ending was not certainly reached before the flag fell, and the flag would have another outcome. */
  contested: boolean;
  /** The edition of the rules. */
  edition: string;
  /** When the ending that decides was reached, the illegal move completed: between these two, microseconds since the journal began; none where neither decides. */
  ended_at: [number, number] | null;
  /** Where the sign of the clock was read, as `rx0:first-end`; the alarms of illegal moves, as `alarm:` and their number; the commands by which the position, the clock's sides, the time control or the moves completed were set, the fall was observed or something was entered, as `cmd:` and the sender's id; what was entered by a command without an id, as `entered@` and the microseconds since the journal began. */
  evidence: string[];
  /** When the allotted time expired: between these two, microseconds since the journal began; none without a flag. */
  expired_at: [number, number] | null;
  /** The number of this fall among the flags of the game, as in the arbiters' state. */
  fall?: number | null;
  /** Whose flag fell; none where none did. */
  flag: Side | null;
  /** Number of the finding in its game, from 1. */
  id: number;
  /** On what. */
  kind: Kind;
  /** The fall ended the last period; none if it is not known. */
  last_period: boolean | null;
  /** When the fall was observed or claimed, microseconds since the journal began. */
  observed_at: number | null;
  /** Who made the illegal move that it is about (7.5). */
  offender?: Side | null;
  /** The proposal. */
  outcome: Outcome;
  /** By which sign of the clock that was seen. */
  path: FlagPath | null;
  /** Why that position. */
  phase: Phase;
  /** The position that counts, FEN. */
  position: string;
  /** The rulebook: a profile and its add-ons. */
  profile: string;
  /** What the clock said last before the fall was seen, then what it said with it; where it has shown none, what it said last before the fall was observed. */
  readings: ClockShown[];
  /** What the arbiter should do besides. */
  recommended: Recommended[];
  /** Moves to be completed by the end of the period, counted from move 1; none in the last period. */
  required: number | null;
  /** Counts the changes of this finding and the decisions on it, from 1. */
  revision: number;
  /** Row of the decision table. */
  row: string;
  /** What arbiters have made of it. In an event it is the status at that time: a decision is an event of its own. */
  status: FindingStatus;
  /** Inputs that were not known. */
  unknown: string[];
  /** Whether the opponent can checkmate by any possible series of legal moves (6.9). */
  winnable: Verdict;
};

/** One revision of one finding. */
export type FindingKey = {
  /** Number of the finding in its game. */
  id: number;
  /** Which of its revisions. */
  revision: number;
};

/** What arbiters have made of a finding. */
export type FindingStatus = "proposed" | "confirmed" | "rejected" | "superseded";

/** A flag as arbiters see it. */
export type FlagBody = {
  /** The game had ended before. */
  after_end: boolean;
  /** When the time expired: between these two, microseconds since the journal began. */
  expired_at: [number, number];
  /** The number of the fall in its game, from 1. No number is used twice in a game. A finding names it. */
  number?: number | null;
  /** When it was observed or claimed, microseconds since the journal began. */
  observed_at: number | null;
  /** By which sign. */
  path: FlagPath;
  /** Period, from 1. */
  period: number;
  /** Number of the decision about it that stands. */
  ruled?: number | null;
  /** Whose. */
  side: Side;
};

/** By which sign of the clock a fall was seen (`dgt/clock.md#5.2`). */
export type FlagPath = "blocked" | "shown" | "running_at_zero" | "period_at_zero" | "zero_after_other" | "on_connect" | "observed_by_arbiter";

/** The only moves there are. */
export type Forced = {
  /** UCI. */
  line: string[];
  /** As chess writes it, numbered from 1. */
  san: string;
};

/** What became of a game. */
export type GameEvent = "armed" | "joined" | "over" | "reopened" | "left_open";

/** The result of a game. */
export type GameResult = "1-0" | "0-1" | "1/2-1/2" | "*";

/** On what a claim rests. */
export type Ground = "repetition" | "fifty_moves" | "additional_time" | "normal_means";

/** A series of legal moves that ends in mate. */
export type Helpmate = {
  /** The position with the mate, FEN. */
  final_fen: string;
  /** The moves of both sides, UCI; none if the mate is on the board. Castling as the game writes it. */
  line: string[];
  /** The same as chess writes it, numbered from 1; `1... ` if Black begins. */
  san: string;
  /** One sentence. */
  sentence: string;
  /** It is known that no shorter series exists. */
  shortest: boolean;
};

/** A result that was shown, not entered. */
export type Hint = {
  /** When, microseconds since the journal began. */
  at: number;
  /** How it was shown. */
  kind: Sign;
  /** The result. */
  result: GameResult;
};

/** How it became sure that a move was made. */
export type How = "press" | "next_move" | "game_end" | "clock_running" | "settled" | "stood" | "repair" | "arbiter";

/** On what there is something to find. */
export type Kind = "flag_fall" | "illegal_move" | "resignation" | "agreement" | "claim" | "move_on_board";

/** Men of one kind. */
export type Men = {
  /** At most so many at a time. */
  count: number;
  /** Letter of a FEN: `K` White's king, `k` Black's. */
  man: string;
  /** The squares that they can ever reach, `a1 b1 …`. */
  squares: string;
};

/** A move as arbiters see it. */
export type MoveBody = {
  /** Made after a flag had fallen. */
  after_flag: boolean;
  /** Black's time, milliseconds. */
  black_ms: number | null;
  /** `white` or `black`. */
  color: Side;
  /** Completed (6.2.1) between these two, microseconds since the journal began. */
  completed_at: [number, number] | null;
  /** How it became sure; none while it is not. */
  how: How | null;
  /** Made on the board between these two, microseconds since the journal began. */
  made_at: [number, number];
  /** Number of the half-move in the game, from 1. */
  ply: number;
  /** Pressed between these two, microseconds since the journal began. */
  pressed_at: [number, number] | null;
  /** Standard algebraic notation. */
  san: string;
  /** UCI notation. */
  uci: string;
  /** White's time, milliseconds; none before the clock was heard. */
  white_ms: number | null;
};

/** Why there is no such series. */
export type NoMate = {
  /** Where all positions were looked at: how many, and how the lines end. */
  closure?: Counts | null;
  /** Where every move of both sides is the only one: the moves. */
  forced?: Forced | null;
  /** The kind of reason. */
  reason: Word;
  /** One sentence. */
  sentence: string;
  /** Behind locked walls: where each man can ever stand. */
  wall?: Wall | null;
};

/** What should become of the game. */
export type Outcome = "white_wins" | "black_wins" | "draw" | "game_goes_on" | "undecided" | "result_not_entered";

/** One value for White and one for Black. */
export type Pair = {
  /** Black's. */
  black: number;
  /** White's. */
  white: number;
};

/** What a penalty consists of. */
export type PenaltyBody = {
  /** Number of the alarm of an illegal move. */
  alarm?: number | null;
  /** That move counts towards the player's second one (7.5.5). */
  counts?: boolean | null;
  /** Seconds that each player's time was changed by; less than 0 = taken away. */
  seconds?: Pair | null;
};

/** In which part of the running move the flag found the players (`laws/README.md#2.4`). */
export type Phase = "idle" | "touched" | "made" | "illegal";

/** A value in the body of a command. */
export type Plain = null | boolean | number | string | Plain[] | Record<string, Plain>;

/** What an arbiter should do. */
export type Recommended = {
  act: "restore_position";
} | {
  act: "replace_by_queen";
} | {
  act: "add_time";
  /** How much. */
  seconds: number;
  /** Who gets it. */
  side: Side;
} | {
  act: "play_indicated_move";
  /** By whom. */
  side: Side;
} | {
  act: "bring_scoresheets_up_to_date";
};

/** The game was changed from a ply on. */
export type RevisionBody = {
  /** Why. */
  cause: Cause;
  /** The first ply that differs, from 1. */
  from_ply: number;
  /** The moves from there on. */
  moves: MoveBody[];
};

/** How a result is shown with the men. */
export type Sign = "kings_in_centre";

/** Where a claim stands. */
export type Standing = "lodged" | "accepted" | "refused";

/** Where the question of 6.9 stands. */
export type Verdict = {
  verdict: "not_asked";
} | {
  verdict: "pending";
} | ({
  verdict: "winnable";
} & Helpmate) | ({
  verdict: "unwinnable";
} & NoMate) | ({
  verdict: "undecided";
} & Cost);

/** Where each man can ever stand. */
export type Wall = {
  /** All others. */
  men: Men[];
  /** The men that can neither move nor be taken, first part of a FEN. */
  steady: string;
};

/** The kind of reason in one word group. */
export type Word = "mated" | "stalemate" | "bare-king" | "material" | "forced-capture" | "forced-stalemate" | "loser-mates-by-force" | "forced-circle" | "locked-walls" | "exhausted-closure";

/** One entry of a board's record, for arbiters. */
export type BoardAuditBody = AuditBody;

export type BoardAuditMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** <journal>:<boot>:<no>, with the start in which the number was given: the same id is the same event. Version 1.0 wrote <journal>:<no>. */
  id: string;
  /** Number of the event, without a gap for each board and audience. */
  no: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.audit";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardAuditBody;
};

/** The clock block every audience gets. */
export type ClockBody = {
  /** Black's time, milliseconds. */
  black_ms: number | null;
  /** When it was read, microseconds since the journal began. */
  read_us: number;
  /** Steps in which the times are reported, milliseconds; 0 before the clock was heard. */
  resolution_ms: number;
  /** Whose clock runs; none while it stands. */
  running: Side | null;
  /** The device family that told them. */
  source: string;
  /** White's time, milliseconds; none before the clock was heard. */
  white_ms: number | null;
};

/** The times of a board, for the live and public audiences. */
export type BoardClockBody = ClockBody;

export type BoardClockMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.clock";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardClockBody;
};

/** A move that is sure, for arbiters. */
export type BoardMoveArbiterBody = MoveBody;

export type BoardMoveArbiterMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** <journal>:<boot>:<no>, with the start in which the number was given: the same id is the same event. Version 1.0 wrote <journal>:<no>. */
  id: string;
  /** Number of the event, without a gap for each board and audience. */
  no: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.move";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardMoveArbiterBody;
};

/** A move as the live and public audiences see it. */
export type LiveMove = {
  /** Black's time after it, milliseconds. */
  black_ms: number | null;
  /** Number of the half-move in the game, from 1. */
  ply: number;
  /** Standard algebraic notation. */
  san: string;
  /** UCI notation. */
  uci: string;
  /** White's time after it, milliseconds; none before the clock was heard. */
  white_ms: number | null;
};

/** A made move, for the live and public audiences. */
export type BoardMoveLiveBody = LiveMove;

export type BoardMoveLiveMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** <journal>:<boot>:<no>, with the start in which the number was given: the same id is the same event. Version 1.0 wrote <journal>:<no>. */
  id: string;
  /** Number of the event, without a gap for each board and audience. */
  no: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.move";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardMoveLiveBody;
};

/** Body of `board.moves`: some moves before those that the state has, in order. */
export type MovesPart = {
  /** The checksum of the part before; 0 in the first part. */
  after: number;
  /** The start position of these moves, FEN, where they begin a segment of the game. Without it they go on from the part before. */
  initial_fen?: string | null;
  /** The moves. */
  moves: MoveBody[];
  /** The checksum of all moves up to here: another one if any of them is another one. Only equality has a meaning. */
  sum: number;
};

/** Moves of a game before those in its state, for arbiters; an empty payload deletes them. */
export type BoardMovesArbiterBody = MovesPart;

export type BoardMovesArbiterMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.moves";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardMovesArbiterBody;
};

/** Body of `board.moves`: some moves before those that the state has, in order. */
export type BoardMovesLiveMovesPart = {
  /** The checksum of the part before; 0 in the first part. */
  after: number;
  /** The start position of these moves, FEN, where they begin a segment of the game. Without it they go on from the part before. */
  initial_fen?: string | null;
  /** The moves. */
  moves: LiveMove[];
  /** The checksum of all moves up to here: another one if any of them is another one. Only equality has a meaning. */
  sum: number;
};

/** Moves of a game before those in its state, for the live and public audiences; an empty payload deletes them. */
export type BoardMovesLiveBody = BoardMovesLiveMovesPart;

export type BoardMovesLiveMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.moves";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardMovesLiveBody;
};

/** Body of `board.restated`: numbers may have been given twice (`wire/README.md#3`). */
export type Restated = {
  /** The first number that may have been given to another event before. */
  from: number;
};

/** Numbers from one on may have been given to other events before. */
export type BoardRestatedBody = Restated;

export type BoardRestatedMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** <journal>:<boot>:<no>, with the start in which the number was given: the same id is the same event. Version 1.0 wrote <journal>:<no>. */
  id: string;
  /** Number of the event, without a gap for each board and audience. */
  no: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.restated";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardRestatedBody;
};

/** Why a game was changed, as far as the live and public audiences may know. */
export type LiveCause = "correction";

/** The game was changed from a ply on, as the live and public audiences see it. */
export type LiveRevision = {
  /** Why. */
  cause: LiveCause;
  /** The first ply that differs, from 1. */
  from_ply: number;
  /** The moves from there on. */
  moves: LiveMove[];
};

/** The moves were changed from a ply on. */
export type BoardRevisionBody = LiveRevision;

export type BoardRevisionMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** <journal>:<boot>:<no>, with the start in which the number was given: the same id is the same event. Version 1.0 wrote <journal>:<no>. */
  id: string;
  /** Number of the event, without a gap for each board and audience. */
  no: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.revision";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardRevisionBody;
};

/** What to do first. */
export type Act = "stop_the_clocks" | "wait_for_a_claim" | "ask_for_the_result" | "nothing";

/** One choice: a button, and the command that it sends. Besides the body the command needs its lock (`wire/README.md#5`): the finding of this ruling, or the revision of the state; and `reject` a reason. */
export type Choice = {
  /** The body of the command. */
  body: ChoiceBody;
  /** The words on the button. */
  label: string;
  /** The command. */
  verb: "confirm" | "reject" | "declare-result";
};

/** The body of the command of a choice. */
export type ChoiceBody = {
  /** The result that `declare-result` gives. */
  result?: GameResult | null;
};

/** The last finding or decision in full. */
export type Ruling = {
  /** The outcomes, where there are several. */
  alternatives: Alternative[];
  /** Articles of the Laws. */
  articles: string[];
  /** The claim that it is about, with what the record of the game says of it. */
  claim?: ClaimBody | null;
  /** Moves that the player completed before the fall; none if it is not known. */
  completed: number | null;
  /** Nobody has observed or claimed the fall yet (6.8): this is what holds if somebody does now. */
  conditional: boolean;
  /** What the rules leave to the event and this rests on: the names of the choices in force. */
  configurable: string[];
  /** The ending was not certainly reached before the flag fell, and the flag would have another outcome. */
  contested: boolean;
  /** The decision that stands. */
  decision?: Decision | null;
  /** The edition of the rules. */
  edition: string;
  /** When the ending that decides was reached, the illegal move completed: between these two, microseconds since the journal began; none where neither decides. */
  ended_at: [number, number] | null;
  /** Where the sign of the clock was read, as `rx0:first-end`; the alarms of illegal moves, as `alarm:` and their number; the commands by which the position, the clock's sides, the time control or the moves completed were set, the fall was observed or something was entered, as `cmd:` and the sender's id; what was entered by a command without an id, as `entered@` and the microseconds since the journal began. */
  evidence: string[];
  /** When the allotted time expired: between these two, microseconds since the journal began; none without a flag. */
  expired_at: [number, number] | null;
  /** The number of this fall among the flags of the game, as in the arbiters' state. */
  fall?: number | null;
  /** Whose flag fell; none where none did. */
  flag: Side | null;
  /** Number of the finding in its game, from 1. */
  id: number;
  /** On what. */
  kind: Kind;
  /** The fall ended the last period; none if it is not known. */
  last_period: boolean | null;
  /** When the fall was observed or claimed, microseconds since the journal began. */
  observed_at: number | null;
  /** Who made the illegal move that it is about (7.5). */
  offender?: Side | null;
  /** The proposal. */
  outcome: Outcome;
  /** By which sign of the clock that was seen. */
  path: FlagPath | null;
  /** Why that position. */
  phase: Phase;
  /** The position that counts, FEN. */
  position: string;
  /** The rulebook: a profile and its add-ons. */
  profile: string;
  /** What the clock said last before the fall was seen, then what it said with it; where it has shown none, what it said last before the fall was observed. */
  readings: ClockShown[];
  /** What the arbiter should do besides. */
  recommended: Recommended[];
  /** Moves to be completed by the end of the period, counted from move 1; none in the last period. */
  required: number | null;
  /** Counts the changes of this finding and the decisions on it, from 1. */
  revision: number;
  /** Row of the decision table. */
  row: string;
  /** The words for an arbiter, in the order in which they are read. Every ruling has them since version 1.1. */
  screen?: Screen | null;
  /** What arbiters have made of it. In an event it is the status at that time: a decision is an event of its own. */
  status: FindingStatus;
  /** Inputs that were not known. */
  unknown: string[];
  /** Whether the opponent can checkmate by any possible series of legal moves (6.9). */
  winnable: Verdict;
} | {
  /** The decision. */
  decision: Decision;
};

/** The words of a ruling, as `flagfall adjudicate` prints them. How long ago it happened and the present times are not in it: a screen knows them. */
export type Screen = {
  /** What to do first. */
  act: Act;
  /** What to do besides: restore a position, add time. */
  besides?: string[];
  /** What the arbiter should look at. */
  check: string[];
  /** What can be chosen; the proposal first, if there is one to confirm. */
  choices: Choice[];
  /** The position in which the line ends, FEN. */
  final_position?: string | null;
  /** What happened. The board is in the topic. */
  headline: string;
  /** The line that ends in mate, as chess writes it. */
  line?: string | null;
  /** The moves completed and required, and the move that is made and not pressed; empty without a flag. */
  moves: string;
  /** The proposal, with what it depends on; after a decision also what was decided. */
  proposal: string;
  /** Profile, row and Articles. */
  rules: string;
  /** What is not known. */
  unknown: string[];
  /** Why, in one sentence. */
  why: string;
};

/** The last finding or decision in full, for arbiters; an empty payload deletes it. */
export type BoardRulingBody = Ruling;

export type BoardRulingMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.ruling";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardRulingBody;
};

/** What is played after an illegal move on which nobody has ruled (7.5.1). */
export type AfterIllegalMove = {
  /** The player who made the illegal move. */
  by: Side;
  /** The position that it left, FEN. `set-position` with this position makes the moves part of the game. */
  initial_fen: string;
  /** The moves that were made from there. */
  moves: MoveBody[];
};

/** The picture for arbiters. */
export type ArbiterState = {
  /** What is played after an illegal move that awaits a ruling. */
  after_illegal_move?: AfterIllegalMove | null;
  /** What is played after the result, with plies that go on from `moves`. It belongs to the game only if the result is taken back. */
  after_result?: MoveBody[];
  /** Open alarms. */
  alarms: AlertBody[];
  /** What the sensors show, the placement field of a FEN. */
  board: string;
  /** The times. */
  clock: ClockBody;
  /** Whether there is a clock that tells them. */
  clock_status: ClockStatus;
  /** Moves completed; none where earlier moves are unknown. */
  completed: BoardStateArbiterPair;
  /** Every decision of the game, superseded or not, in their order; at most the last 64. */
  decisions?: Decision[];
  /** What ended the game by itself. */
  ending: Ending | null;
  /** What was entered at the arbiter's desk. */
  entries?: EntryBody[];
  /** Position after the last sure move, FEN. */
  fen: string;
  /** The last finding. */
  finding: Finding | null;
  /** Latched flags in the order in which they fell. */
  flags: FlagBody[];
  /** Number of the game on this board. */
  game_no: number;
  /** Results that were shown on the board. */
  hints: Hint[];
  /** Start position, FEN. */
  initial_fen: string;
  /** Whose lever is up. */
  lever_up: Side | null;
  /** The sure moves. */
  moves: MoveBody[];
  /** The ply of the first move in `moves`, if moves before it are in the parts: then `initial_fen` is the position before this ply. */
  moves_from?: number | null;
  /** The parts that have all moves before `moves`, those of earlier segments too; none while the state has the whole game. */
  parts?: PartsBefore | null;
  /** Moves that stand on the board and are not yet sure. */
  pending: MoveBody[];
  /** Period of each player, from 1. */
  period: Pair2;
  /** Phase of the running move. */
  phase: Phase;
  /** The players, as far as they are known. */
  players?: Players | null;
  /** Who must record his moves. */
  recording: Pair3;
  /** The result, if it is known. */
  result: GameResult | null;
  /** White sits at the right-hand side of the connector. */
  rotated: boolean;
  /** The segments of the game before the present one, at most the last eight; left out if they are in the parts. */
  segments?: Segment[];
  /** Where the game is. */
  stage: Stage;
  /** Men that were touched and put back (4.3), at most the last sixteen of the game. */
  touched_men?: TouchedMan[];
  /** Why this game is not published to the live audience and to the public (`wire/README.md#7.1`); absent if it is. */
  unpublished?: Unpublished | null;
  /** True in the last state of a board that its node serves no more. */
  withdrawn?: boolean;
};

/** Whether there is a clock. Where there is none nothing is found on time, and no press is concluded from moves. */
export type ClockStatus = "not_available" | "not_heard" | "reporting" | "lost";

/** What ends a game by itself (Articles 5.1.1, 5.2.1, 5.2.2, 9.6). */
export type Ending = "checkmate" | "stalemate" | "dead_position" | "fivefold_repetition" | "seventy_five_moves";

/** One entry of the arbiter's desk. */
export type EntryBody = {
  /** What the record of the game says of a claim. */
  claim?: ClaimBody | null;
  /** Id of the command that it was entered by. */
  command?: string | null;
  /** When it was entered, microseconds since the journal began. */
  entered_at: number;
  /** When it happened: between these two, microseconds since the journal began. */
  happened_at: [number, number];
  /** Who offered, agreed, resigned, claimed, moved. */
  side: Side;
} & ({
  kind: "offer";
} | {
  kind: "agreement";
} | {
  kind: "resignation";
} | {
  /** On what it rests. */
  ground: Ground;
  kind: "claim";
  /** Where it stands. */
  standing: Standing;
} | {
  /** Number of its alarm in the game; 0 = an arbiter saw it and no sensor did (7.5.4). */
  alarm: number;
  /** It counts towards the player's second one (7.5.5). */
  counts: boolean;
  kind: "illegal_move";
});

/** One value for White and one for Black. */
export type BoardStateArbiterPair = {
  /** Black's. */
  black: number | null;
  /** White's. */
  white: number | null;
};

/** One value for White and one for Black. */
export type Pair2 = {
  /** Black's. */
  black: number;
  /** White's. */
  white: number;
};

/** One value for White and one for Black. */
export type Pair3 = {
  /** Black's. */
  black: Recording;
  /** White's. */
  white: Recording;
};

/** One value for White and one for Black. */
export type Pair4 = {
  /** Black's. */
  black: number;
  /** White's. */
  white: number;
};

/** Which parts stand before the moves of a state. */
export type PartsBefore = {
  /** The checksum of the last one. If it has another one, the state or a part is still to come. */
  sum: number;
  /** How many: `moves/0` and so on. */
  total: number;
};

/** What a penalty consists of. */
export type BoardStateArbiterPenaltyBody = {
  /** Number of the alarm of an illegal move. */
  alarm?: number | null;
  /** That move counts towards the player's second one (7.5.5). */
  counts?: boolean | null;
  /** Seconds that each player's time was changed by; less than 0 = taken away. */
  seconds?: Pair4 | null;
};

/** A player, for people. Fields that are not known are left out. */
export type Player = {
  /** The federation, three letters as FIDE writes it. */
  federation?: string | null;
  /** The number of the player at FIDE. */
  fide_id?: number | null;
  /** The name. */
  name?: string | null;
  /** The rating. */
  rating?: number | null;
  /** The title, such as `WFM`. */
  title?: string | null;
};

/** The players of a board. A player of whom nothing is known is left out. */
export type Players = {
  /** Black. */
  black?: Player | null;
  /** White. */
  white?: Player | null;
};

/** A player's duty to record the moves (8.1, 8.4). */
export type Recording = "unknown" | "required" | "suspended" | "not_required";

/** A part of a game with its own start position. A new part begins where no legal move leads on: an illegal move stands, or an arbiter has set a position. */
export type Segment = {
  /** Start position, FEN. */
  initial_fen: string;
  /** The moves, counted from 1 in each part. */
  moves: MoveBody[];
};

/** Where the game is. */
export type Stage = "awaiting_set_up" | "armed" | "playing" | "over";

/** A man that its player lifted in his own time and put back on its square (4.2, 4.3). Whether he must move it is for the arbiter. */
export type TouchedMan = {
  /** Between these two, microseconds since the journal began. */
  lifted_at: [number, number];
  /** The letter that a FEN has for the man. */
  man: string;
  /** The number of the half-move for which the player was to move, from 1. */
  ply: number;
  /** Between these two. */
  put_back_at: [number, number];
  /** Its square, such as `g1`. */
  square: string;
};

/** Why a game is not published to the live audience and to the public. */
export type Unpublished = "before_the_round" | "after_the_round" | "no_pairing";

/** The picture of a board for arbiters. */
export type BoardStateArbiterBody = ArbiterState;

export type BoardStateArbiterMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.state";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardStateArbiterBody;
};

/** Whether a board is heard. */
export type Link = "up" | "down";

/** The picture for the live and public audiences. */
export type LiveState = {
  /** When the first move of the game was made, for people; left out if there is none, or if no synchronised clock has told it. */
  began?: string | null;
  /** The times. */
  clock: ClockBody;
  /** Whether there is a clock that tells them. */
  clock_status?: ClockStatus;
  /** What ended the game on the board, if the result is the one that follows from it. */
  ending?: Ending | null;
  /** Position after the last made move, FEN. */
  fen: string;
  /** Number of the game on this board. */
  game_no: number;
  /** Start position, FEN. */
  initial_fen: string;
  /** Whether the board is heard. */
  link?: Link;
  /** The made moves. */
  moves: LiveMove[];
  /** The ply of the first move in `moves`, if moves before it are in the parts: then `initial_fen` is the position before this ply. */
  moves_from?: number | null;
  /** The parts that have all moves before `moves`, those of earlier segments too; none while the state has the whole game. */
  parts?: PartsBefore | null;
  /** The players, as far as they are known. */
  players?: Players | null;
  /** The result, if it is known. */
  result: GameResult | null;
  /** Where the result comes from. */
  result_by?: ResultBy | null;
  /** Which game of the round it is, from 1, where the node knows how many games the round has. A later game with the same number takes the place of this one: it was begun anew, or goes on from another position. */
  round_game?: number | null;
  /** The segments of the game before the present one, at most the last eight; left out if they are in the parts. */
  segments?: BoardStateLiveSegment[];
  /** True in the last state of a board that its node serves no more. */
  withdrawn?: boolean;
};

/** Where a result comes from. */
export type ResultBy = "board" | "arbiter";

/** A part of a game with its own start position. A new part begins where no legal move leads on: an illegal move stands, or an arbiter has set a position. */
export type BoardStateLiveSegment = {
  /** Start position, FEN. */
  initial_fen: string;
  /** The moves, counted from 1 in each part. */
  moves: LiveMove[];
};

/** The picture of a board for the live and public audiences. */
export type BoardStateLiveBody = LiveState;

export type BoardStateLiveMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** The game: <event>-<round>-<board>-g<number>; a board may have several. */
  game: string;
  /** Who says it. */
  node: string;
  /** Counts what changed for this audience; clock ticks do not count. */
  rev: number;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "board.state";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: BoardStateLiveBody;
};

/** A player accepted the opponent's offer: the game is drawn (5.2.3). */
export type CmdAcceptBody = {
  /** Who. */
  side: Side;
};

export type CmdAcceptMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.accept";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdAcceptBody;
};

/** An alarm is dealt with. */
export type CmdAcknowledgeAlertBody = {
  /** Number of the alarm in the game. */
  alarm: number;
};

export type CmdAcknowledgeAlertMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.acknowledge-alert";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdAcknowledgeAlertBody;
};

/** From now on this device is the board's: exactly one of the three is given. */
export type CmdBindDeviceBody = {
  /** Its id in topics. */
  device?: string;
  /** The path of its port. */
  port?: string;
  /** Its own serial number. */
  serial?: string;
};

export type CmdBindDeviceMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.bind-device";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdBindDeviceBody;
};

/** A flag-fall was observed by an arbiter or validly claimed (6.8), whether or not the clock has shown it. */
export type CmdClaimBody = {
  /** Whose flag. */
  flag: Side;
  /** The period whose time it ended, from 1. If none: the flag of that side that fell last; if the clock has shown none, that of the present period. */
  period?: number | null;
} | {
  /** On what it rests. */
  ground: Ground;
  /** Who claims. */
  side: Side;
  /** Where it stands. */
  standing: Standing;
  /** The move that the player wrote down and intends to make, UCI (9.2.1, 9.3.1); if none, it is about the position on the board. */
  uci?: string | null;
};

export type CmdClaimMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.claim";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdClaimBody;
};

/** What a finding proposes is decided. */
export type CmdConfirmBody = {};

export type CmdConfirmMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    };
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.confirm";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdConfirmBody;
};

/** The tentative moves, or these moves after the sure ones, were made. */
export type CmdCorrectMoveBody = {
  /** Plies before the corrected move. */
  plies: number;
  /** The move that was made, UCI. */
  uci: string;
};

export type CmdCorrectMoveMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.correct-move";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdCorrectMoveBody;
};

/** The game has this result. */
export type CmdDeclareResultBody = {
  /** The result. */
  result: GameResult;
};

export type CmdDeclareResultMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.declare-result";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdDeclareResultBody;
};

/** The organiser's desk enters the result of the game that the lock names. It counts if the game is not in play, nothing in it waits for an arbiter, and no arbiter decided otherwise. Since version 1.2. */
export type CmdEnterResultBody = {
  /** The result; `*` = the desk takes its own entry back. */
  result: GameResult;
};

export type CmdEnterResultMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.enter-result";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdEnterResultBody;
};

/** A player offered a draw (9.1). */
export type CmdOfferBody = {
  /** Who. */
  side: Side;
};

export type CmdOfferMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.offer";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdOfferBody;
};

/** One value for White and one for Black. */
export type CmdPenaltyPair2 = {
  /** Black's. */
  black: number;
  /** White's. */
  white: number;
};

/** A penalty, an adjustment of times, a ruling on an illegal move (7.5, 9.5.3, 12.9): at least one of them. */
export type CmdPenaltyBody = {
  /** Number of the alarm of an illegal move in the game; with `counts`. If none, no sensor saw the move (7.5.4). */
  alarm?: number | null;
  /** That move counts towards the player's second one (7.5.5). */
  counts?: boolean | null;
  /** Seconds that each player's time was changed by on the clock; less than 0 = taken away. */
  seconds?: CmdPenaltyPair2 | null;
  /** Whom it is given to; of an illegal move, who made it. */
  side: Side;
};

export type CmdPenaltyMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.penalty";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdPenaltyBody;
};

/** What a finding proposes is not so: the game goes on. */
export type CmdRejectBody = {};

export type CmdRejectMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    };
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason: string;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.reject";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdRejectBody;
};

/** Why, in one word for programs. */
export type Code = "ok" | "denied" | "invalid" | "stale" | "unsupported" | "expired" | "busy" | "device-offline";

/** The answer to a command: body of `cmd.reply`, but for `id`, which stands in the header, and where it goes. */
export type Reply = {
  /** Why. */
  code: Code;
  /** `corr` of the command. */
  corr?: string | null;
  /** The finding now, of a command that decides about one. */
  finding?: FindingKey | null;
  /** The game now; not for who may not know it. */
  game?: string | null;
  /** The same for people; empty if there is nothing to say. */
  message: string;
  /** The revision of the arbiters' state now; not for who may not know it: it moves with every flag and finding. */
  rev?: number | null;
  /** How far it has come. */
  stage: CmdReplyStage;
};

/** How far a command has come. */
export type CmdReplyStage = "accepted" | "done" | "failed";

/** The answer to a command. */
export type CmdReplyBody = Reply;

export type CmdReplyMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Id of the command; empty if it could not be read. */
  id: string;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "cmd.reply";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdReplyBody;
};

/** A player resigned (5.1.2). */
export type CmdResignBody = {
  /** Who. */
  side: Side;
};

export type CmdResignMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.resign";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdResignBody;
};

/** The arbiter restarted the chessclock. */
export type CmdRestartClocksBody = {};

export type CmdRestartClocksMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.restart-clocks";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdRestartClocksBody;
};

/** Events are to be sent again. */
export type CmdResyncBody = {
  /** Whose events. */
  audience: "arbiter" | "live" | "public";
  /** The first number that is missing. */
  from: number;
};

export type CmdResyncMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect?: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game?: string | null;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  } | null;
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.resync";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdResyncBody;
};

/** What the arbiter set on the clock, or which time control is right. */
export type CmdSetClockRecordBody = {
  /** Additional time per move from here on, seconds (Guideline III.4). */
  additional_time?: number | null;
  /** A flag that the arbiter takes back. */
  flag_taken_back?: Side | null;
  /** Time control from here on, in PGN notation. */
  time_control?: string | null;
};

export type CmdSetClockRecordMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.set-clock-record";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdSetClockRecordBody;
};

/** Of two flags that are down, the flag of this side fell first, as the arbiter has established (III.3.1) or, by the club's rules, both players agree. It concerns the last flag of each side. */
export type CmdSetFlagOrderBody = {
  /** Whose flag fell first. */
  first: Side;
};

export type CmdSetFlagOrderMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.set-flag-order";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdSetFlagOrderBody;
};

/** One value for White and one for Black. */
export type CmdSetMoveCountPair = {
  /** Black's. */
  black: number;
  /** White's. */
  white: number;
};

/** Moves completed by each player so far in the game. */
export type CmdSetMoveCountBody = {
  /** The counts. */
  completed: CmdSetMoveCountPair;
};

export type CmdSetMoveCountMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.set-move-count";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdSetMoveCountBody;
};

/** The game goes on from this position (7.5.1, 8.5.3). */
export type CmdSetPositionBody = {
  /** The position, FEN. */
  fen: string;
};

export type CmdSetPositionMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.set-position";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdSetPositionBody;
};

/** Whether the game on the board, which only arbiters see, is the round's: if it is, it is published from its beginning; if not, it is private. */
export type CmdSetRoundGameBody = {
  /** It is the round's game. */
  of_the_round: boolean;
};

export type CmdSetRoundGameMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.set-round-game";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdSetRoundGameBody;
};

/** A new game begins from the initial position, or from this one. */
export type CmdStartGameBody = {
  /** Start position, FEN; the initial position if none. */
  fen?: string | null;
};

export type CmdStartGameMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.start-game";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdStartGameBody;
};

/** The arbiter stopped the chessclock (6.11.1). */
export type CmdStopClocksBody = {};

export type CmdStopClocksMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev?: number | null;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.stop-clocks";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdStopClocksBody;
};

/** White's display is the other one. */
export type CmdSwapSidesBody = {};

export type CmdSwapSidesMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.swap-sides";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdSwapSidesBody;
};

/** The moves that were made up to this one stay; the rest are taken back. */
export type CmdTakeBackBody = {
  /** Plies that stay. */
  plies: number;
};

export type CmdTakeBackMessage = {
  /** What the answer shall bear, for clients without correlation data. */
  corr?: string | null;
  /** What the sender believes to be the case; if it is not, nothing is done. */
  expect: {
    /** The finding that is decided about, as the sender knows it. */
    finding?: {
      /** Number of the finding. */
      id: number;
      /** Which of its revisions. */
      revision: number;
    } | null;
    /** The game. */
    game: string;
    /** The revision of the arbiters' state. */
    rev: number;
  };
  /** The sender's id of it: the same id is the same command, and is answered the same. */
  id: string;
  /** When it was sent, RFC 3339. */
  issued?: string | null;
  /** When the arbiter saw what it is about, RFC 3339; it may be before it was sent. */
  observed_at?: string | null;
  /** Why, in the sender's words. */
  reason?: string | null;
  /** Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic. */
  reply_to?: string | null;
  sync?: "ntp" | "ptp" | "gps" | "rtc" | "none" | null;
  type: "cmd.take-back";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: CmdTakeBackBody;
};

/** Body of `device.raw`. */
export type DeviceRaw = {
  /** The bytes, lower-case hex. */
  bytes: string;
  /** The channel of the link, 0 on a serial line. */
  channel: number;
};

/** Bytes as they were read. */
export type DeviceRawBody = DeviceRaw;

export type DeviceRawMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "device.raw";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: DeviceRawBody;
};

/** What a device is. */
export type DeviceKind = "board" | "clock";

/** Whether a device answers. */
export type DeviceState = "online" | "offline" | "unstable";

/** Body of `device.status`. What is not known is left out. */
export type DeviceStatus = {
  /** What it says is left of that, minutes. */
  battery_minutes?: number | null;
  /** Charge of its battery, percent. */
  battery_percent?: number | null;
  /** The board it serves, as `<event>/<round>/<board>`. */
  board?: string | null;
  /** Its battery is being charged. */
  charging?: boolean | null;
  /** Firmware of the clock at the board, `major.minor`. */
  clock_firmware?: string | null;
  /** How often a square lost its man for a moment, since this board was first seen: told at most every five seconds. */
  dropouts?: number;
  /** Its firmware, `major.minor`. */
  firmware?: string | null;
  /** What it is. */
  kind: DeviceKind;
  /** The port. */
  port?: string | null;
  /** What keeps it from working, in words. */
  problem?: string | null;
  /** Its own serial number. */
  serial?: string | null;
  /** How strongly a device by Bluetooth was received when it was connected, dBm. */
  signal_dbm?: number | null;
  /** Whether it answers. */
  state: DeviceState;
  /** How often the men on it have changed since the start of the node while no game was on; published at most once a second. So a person finds out which device stands where. */
  touched?: number;
  /** How it is reached: one word. */
  transport: string;
  /** What to look after, one word each. */
  warnings?: DeviceWarning[];
  /** Men of the present game that are lost wherever they stand. */
  weak_men?: WeakMan[];
  /** Squares that lose whatever stands on them. */
  weak_squares?: WeakSquare[];
};

/** Something about a device that somebody should look after. */
export type DeviceWarning = "weak_signal" | "battery_low" | "battery_critical" | "clock_battery_low" | "weak_squares" | "weak_men";

/** A man that is lost wherever he stands. */
export type WeakMan = {
  /** Where he began the game, or where a pawn became him. */
  began: string;
  /** How often he was lost in this game. */
  dropouts: number;
  /** Who, as in a FEN: `N` = a white knight. */
  man: string;
  /** A pawn became him there. */
  promoted?: boolean;
};

/** A square that loses whatever stands on it. */
export type WeakSquare = {
  /** How often it lost its man since this board was first seen. */
  dropouts: number;
  /** The square as White sees it, such as `e4`. */
  square: string;
};

/** A board or clock; an empty payload deletes it. */
export type DeviceStatusBody = DeviceStatus;

export type DeviceStatusMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "device.status";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: DeviceStatusBody;
};

/** Body of `meta.event`, on `meta/<event>`. */
export type MetaEvent = {
  /** Whether rounds that have not begun are Chess960. */
  chess960: boolean;
  /** The country, three letters; empty if it is not known. */
  country: string;
  /** The delay of the public, seconds. A node takes the larger one of this and its own. */
  delay: number;
  /** The delay of the public in half-moves. A node takes the larger one of this and its own. */
  delay_moves: number;
  /** Whether boards change to the current round even while their game goes on. Only a person may set it. */
  force: boolean;
  /** The name of the event. */
  name: string;
  /** The rules of rounds that have not begun. */
  profile?: string | null;
  /** The id of the current round. */
  round: string;
  /** The number of rounds. */
  rounds: number;
  /** The town; empty if it is not known. */
  site: string;
  /** The time control of rounds that have not begun, in PGN notation. */
  time_control?: string | null;
  /** Identifies the event on all machines: 32 hexadecimal digits, with or without hyphens. */
  uuid: string;
};

/** What the organiser says of the event and its current round. */
export type MetaEventBody = MetaEvent;

export type MetaEventMessage = {
  /** The number of the publication: a message whose number has not grown is refused. */
  rev: number;
  type: "meta.event";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: MetaEventBody;
};

/** Body of `meta.round`, on `meta/<event>/<round>`. */
export type MetaRound = {
  /** The pairings. */
  boards: Pairing[];
  /** Its date, `YYYY-MM-DD`. */
  date?: string | null;
  /** The id of the round at lichess. */
  lichess_round?: string | null;
  /** The number of the round. */
  number: number;
  /** What the organiser asked of outputs, by their names. */
  outputs?: Record<string, OutputRequests>;
  /** When it begins, RFC 3339. */
  start?: string | null;
};

/** What the organiser asked of an output. Each number counts how many times that was; a collector acts when it grows. */
export type OutputRequests = {
  /** Empty the round at the receiver and send everything again. */
  reset: number;
  /** Try to send now. */
  retry: number;
};

/** Two players at a board. */
export type Pairing = {
  /** Black. */
  black: Player;
  /** The id of the board in topics. */
  board: string;
  /** The id of the device on this board. */
  device?: string | null;
  /** The number of the game on this board that is the round's game, if a person chose it. */
  game?: number | null;
  /** How many games of this board belong to the round; one if it is left out. */
  games?: number | null;
  /** The number of the board. */
  number: number;
  /** How many times the players of this board were replaced by others. */
  replaced?: number;
  /** How many times a person asked to take the board's present state, even if it has fewer moves. */
  reset?: number;
  /** The result of a game without moves on an electronic board. */
  result?: PairingResult | null;
  /** White. */
  white: Player;
};

/** The result of a pairing. Unlike the result of a game on the board it can be a forfeit. */
export type PairingResult = "1-0" | "0-1" | "1/2-1/2" | "+/-" | "-/+" | "-/-" | "0-0" | "1/2-0" | "0-1/2";

/** The pairings of a round, by the organiser. */
export type MetaRoundBody = MetaRound;

export type MetaRoundMessage = {
  /** The number of the publication: a message whose number has not grown is refused. */
  rev: number;
  type: "meta.round";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: MetaRoundBody;
};

/** Body of `node.health`. What is not known is left out. */
export type NodeHealth = {
  /** Messages that the broker has not acknowledged yet, in memory and in journals. */
  backlog?: number;
  /** The last movement of this machine's clock since the start of the program, milliseconds, below zero if it went back. Left out if it never moved by more than 50 ms. */
  clock_step_ms?: number | null;
  /** Free space for journals, MiB. */
  disk_free_mib?: number | null;
  /** Boards that were parked after repeated failure. */
  failed_boards: string[];
  /** Open file descriptors of the program. */
  fds?: number | null;
  /** Bytes of all journals. */
  journal_bytes?: number | null;
  /** Every journal takes what is given to it. */
  journal_ok: boolean;
  /** A second daemon publishes under the name of this node. */
  name_taken?: boolean;
  /** Connections to the broker since the start of the program, after the first. */
  reconnections?: number;
  /** Messages that were given up since the start of the program because the broker does not take them. */
  refused?: number;
  /** Boards with messages that the broker does not take, or takes only in part. */
  refused_boards?: string[];
  /** Resident memory of the program, KiB. */
  rss_kib?: number | null;
  /** How often since the start of the program another client took over the connection, as far as the broker reports it. */
  takeovers?: number;
  /** Temperature of the processor, degrees Celsius. */
  temperature_c?: number | null;
  /** Threads of the program: two for each board, and about ten. */
  threads?: number | null;
  /** The supply voltage is or was too low. */
  under_voltage?: boolean | null;
  /** Version of the program. */
  version?: string | null;
  /** The least time since the message before until systemd's watchdog would have restarted the program, milliseconds. Left out without a watchdog. */
  watchdog_margin_ms?: number | null;
  /** Boards that another node claims. */
  withheld_boards: string[];
};

/** How a node is. */
export type NodeHealthBody = NodeHealth;

export type NodeHealthMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "node.health";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: NodeHealthBody;
};

/** A round, or the same round with other pairings, that a node does not use yet. It changes with all its boards at once. */
export type NextRound = {
  /** The boards that the node will serve, as `<event>/<round>/<board>`. */
  boards: string[];
  /** What it waits for and what would end that, in sentences for people. Empty: it changes now. */
  held_by: string[];
  /** The round, as `<event>/<round>`. */
  round: string;
};

/** Body of `node.info`. */
export type NodeInfo = {
  /** The boards it serves, as `<event>/<round>/<board>`. */
  boards: string[];
  /** What this build can do, one word each. */
  capabilities: string[];
  /** The round whose games it sends to broadcasts, as `<event>/<round>`. */
  collects?: string[];
  /** How much later the public gets everything, seconds. */
  delay?: number | null;
  /** By how many half-moves the public is behind at least. */
  delay_moves?: number | null;
  /** The round that the organiser published, as long as the node waits before it uses it (`wire/README.md#11`). Since version 1.2. */
  next_round?: NextRound | null;
  /** The organiser's messages that it cannot use, with the reasons, a sentence for people each. */
  problems?: string[];
  /** Who may send commands; without this field, nobody. */
  roles?: Record<string, UserRole>;
  /** The rounds it serves, as `<event>/<round>`. */
  rounds?: string[];
  /** The audiences for which a made move waits for its press, `live` and `public` (`wire/README.md#7.2`). Since version 1.2. */
  until_press?: string[];
  /** Version of the program. */
  version: string;
};

/** The roles (`wire/README.md#6`). */
export type Role = "operator" | "arbiter" | "chief" | "organiser";

/** What a user may do at a node (`wire/README.md#6`). */
export type UserRole = {
  /** The ids of the boards that the role holds for; without this field, all boards of the node. */
  boards?: string[];
  /** The role. */
  role: Role;
};

/** What a node is and serves. */
export type NodeInfoBody = NodeInfo;

export type NodeInfoMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "node.info";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: NodeInfoBody;
};

/** What is wrong with one board. */
export type BoardMessage = {
  /** The id of the board. */
  board: string;
  /** A sentence for people. */
  message: string;
};

/** What an output does. */
export type OutputState = "ok" | "waiting" | "retrying" | "refused" | "off";

/** Body of `node.output`, on `node/<collector>/output/<name>`. */
export type OutputStatus = {
  /** The number of attempts since the receiver last took everything. */
  attempts: number;
  /** What is wrong with single boards. */
  boards?: BoardMessage[];
  /** The last status code, of a receiver that speaks HTTP. */
  http?: number | null;
  /** A sentence for people that says what is wrong and what to do; empty if nothing is wrong. */
  message?: string;
  /** The number of half-moves that the receiver has. */
  plies: number;
  /** When the receiver last took everything, UTC. */
  sent?: string | null;
  /** Since when it has been in this state, UTC. */
  since: string;
  /** What the output does. */
  state: OutputState;
};

/** Whether an output of a collector works; an empty payload deletes it. */
export type NodeOutputBody = OutputStatus;

export type NodeOutputMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "node.output";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: NodeOutputBody;
};

/** Where a node is in its life (`wire/README.md#4`). */
export type NodeState = "init" | "ready" | "stopped" | "lost";

/** Body of `node.status`. */
export type NodeStatus = {
  /** A random value that is made at each start of the program: another value under the same name is another run, or a second daemon. Messages before 1.1 have none. */
  run?: string | null;
  /** Where it is in its life. */
  state: NodeState;
};

/** Where a node is in its life; the will says no time. */
export type NodeStatusBody = NodeStatus;

export type NodeStatusMessage = {
  /** How often the node was started: a will of an earlier run is recognised by it. */
  boot: number;
  /** Who says it. */
  node: string;
  /** When it happened; for the public, when it happened on the board. */
  t?: {
    /** Estimated error of utc, milliseconds; left out if nobody knows. */
    err_ms?: number;
    /** What a clock on the wall goes by. */
    sync: "ntp" | "ptp" | "gps" | "rtc" | "none";
    /** Microseconds since the journal, or for node.* the machine, began: for order and durations. */
    us: number;
    /** The same for people, RFC 3339. */
    utc: string;
  };
  type: "node.status";
  /** Version of the schema, major.minor: a minor version only adds fields. */
  v: string;
  body: NodeStatusBody;
};
