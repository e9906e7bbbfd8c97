#!/usr/bin/env python3
"""Compares the record of a hall with that of the relay: check.py HALL RELAY DELAY [TOLERANCE].

Fails if an event of the hall is missing at the relay, if something arrived there that must stay inside, or if the public got anything
sooner than the delay after it happened on the board, or after the live audience had it. The tolerance, in seconds, is for the second
comparison alone: the delay counts from the board, and the live audience has a message some time after it."""

import json
import re
import sys

OUTSIDE = re.compile(r"^flagfall/1/(public/[^/]+/[^/]+/[^/]+/(state|clock|pgn|move|revision)|public/[^/]+/[^/]+/pgn|node/[^/]+/status|meta/[^/]+)$")
EVENT = re.compile(r"^flagfall/1/public/.*/(move|revision)$")


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def board(message):
    return message["topic"].split("/")[5]


def lost(hall, relay):
    """The ids of events that the hall's broker had and the relay did not get, and the number that arrived twice."""
    had = {(m["topic"], m["id"]) for m in hall if EVENT.match(m["topic"])}
    got = [(m["topic"], m["id"]) for m in relay if EVENT.match(m["topic"])]
    return sorted(had - set(got)), len(got) - len(set(got)), len(had)


def gaps(relay):
    """The numbers that are missing in the events of each board."""
    numbers = {}
    for message in relay:
        if EVENT.match(message["topic"]):
            numbers.setdefault(board(message), set()).add(message["no"])
    return [(name, no) for name, nos in sorted(numbers.items()) for no in range(1, max(nos) + 1) if no not in nos]


def live_times(hall):
    """When the live audience first had each event, and each number of half-moves of a game."""
    events, most = {}, {}
    for message in hall:
        if not message["topic"].startswith("flagfall/1/live/"):
            continue
        if message.get("type") in ("board.move", "board.revision"):
            events.setdefault((message["type"], message["game"], message["us"]), message["at"])
        if "plies" in message:
            game = message["game"]
            for plies in range(most.get(game, -1) + 1, message["plies"] + 1):
                events[game, plies] = message["at"]
            most[game] = max(most.get(game, -1), message["plies"])
    return events


def since_live(message, live):
    """How long after the live audience the relay had this message, at least; none if nothing comparable was published live."""
    if message.get("type") in ("board.move", "board.revision"):
        keys = [(message["type"], message["game"], message["us"])]
    elif "plies" in message:
        keys = [(message["game"], message["plies"])]
    else:
        keys = list(message.get("pgn", {}).items())
    known = [message["at"] - live[key] for key in keys if key in live]
    return min(known) if known else None


def main():
    hall, relay, delay = read(sys.argv[1]), read(sys.argv[2]), float(sys.argv[3])
    tolerance = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    problems = []
    outside = sorted({m["topic"] for m in relay if not OUTSIDE.match(m["topic"])})
    problems += [f"outside: {topic}" for topic in outside]
    missing, twice, had = lost(hall, relay)
    problems += [f"lost: {topic} {event}" for topic, event in missing]
    problems += [f"gap: board {name}, number {no}" for name, no in gaps(relay)]

    public = [m for m in relay if m["topic"].startswith("flagfall/1/public/")]
    since_board = [(m["at"] - m["utc"], m) for m in public if "utc" in m]
    problems += [f"early: {m['topic']} after {passed:.3f} s" for passed, m in since_board if passed < delay]
    live = live_times(hall)
    compared = [(passed, m) for m in public if (passed := since_live(m, live)) is not None]
    problems += [f"early: {m['topic']} {passed:.3f} s after live" for passed, m in compared if passed < delay - tolerance]
    if not had or not compared or not since_board:
        problems.append("nothing was compared")

    kinds = sorted({m["topic"].rsplit("/", 1)[1] for m in public})
    print(f"at the relay {len(relay)} messages, of these {len(public)} of public/ ({', '.join(kinds)})")
    print(f"events of the hall {had}, lost {len(missing)}, arrived twice {twice}; topics that must stay inside {len(outside)}")
    if since_board and compared:
        print(f"later than the board by {min(p for p, _ in since_board):.3f} s at least ({len(since_board)} messages), "
              f"than the live audience by {min(p for p, _ in compared):.3f} s ({len(compared)} messages); delay {delay:g} s")
    for problem in problems[:20]:
        print(problem)
    sys.exit(1 if problems else 0)


main()
