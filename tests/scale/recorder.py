#!/usr/bin/env python3
"""Reads lines of mosquitto_sub (`-F '%U %r %t %x'`) and writes one JSON object for each message: when and where it arrived, its
digest, and the fields of flagfall's messages by which check.py compares audiences and brokers. With --digests it writes only the
topic and the digest."""

import calendar
import hashlib
import json
import re
import sys
import time

NOTE = re.compile(r"\{[^}]*\}|;[^\n]*|\([^)]*\)")
NUMBER = re.compile(r"^\d+\.+$|^\$\d+$|^(1-0|0-1|1/2-1/2|\*)$")


def seconds(utc):
    """The time of an RFC 3339 text in seconds since 1970."""
    whole, _, part = utc.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + (float("0." + part) if part else 0.0)


def games_of(pgn):
    """The number of half-moves of each game of a PGN, by its id."""
    found, game = {}, None
    for block in pgn.split("\n\n"):
        if block.lstrip().startswith("["):
            named = re.search(r'^\[GameId "([^"]*)"\]', block, re.MULTILINE)
            game = named and named.group(1)
        elif game:
            words = NOTE.sub(" ", block).split()
            found[game] = found.get(game, 0) + sum(not NUMBER.match(word) for word in words)
    return found


def fields(topic, payload):
    """What is compared of a message."""
    if not payload:
        return {}
    if topic.endswith("/pgn"):
        return {"pgn": games_of(payload.decode())}
    try:
        message = json.loads(payload)
    except ValueError:
        return {}
    if not isinstance(message, dict):
        return {}
    body, at = message.get("body", {}), message.get("t", {})
    found = {name: message[name] for name in ("type", "id", "no", "game", "rev") if name in message}
    if "us" in at:
        found["us"], found["utc"] = at["us"], seconds(at["utc"])
    if message.get("type") == "board.state":
        found["plies"] = len(body.get("moves", [])) + sum(len(part.get("moves", [])) for part in body.get("segments", []))
    return found


def main():
    only_digests = "--digests" in sys.argv
    for line in sys.stdin:
        # The last line of a program that was ended may be unfinished.
        if not line.endswith("\n"):
            break
        at, retain, topic, *rest = line.rstrip("\n").split(" ")
        payload = bytes.fromhex(rest[0]) if rest else b""
        digest = hashlib.sha1(payload).hexdigest()
        if only_digests:
            print(topic, digest)
        else:
            print(json.dumps({"at": float(at), "retain": int(retain), "topic": topic, "digest": digest, **fields(topic, payload)}), flush=True)


main()
