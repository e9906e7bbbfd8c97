#!/usr/bin/env python3
"""Compares what arrived at the brokers of two halls and of their chief arbiter: chief.py FOLDER, with the records of chief.sh."""

import json
import sys

work = sys.argv[1]


def read(place):
    with open(f"{work}/{place}/all.record") as file:
        # The last line may be unfinished.
        return [json.loads(line) for line in file if line.endswith("\n")]


def commands(records, name):
    return sum(m["topic"].startswith("flagfall/1/cmd/") and m.get("id") == name for m in records)


chief, halls = read("chief"), {"one": read("one"), "two": read("two")}
problems = []
events = [m["id"] for m in chief if m["topic"].startswith("flagfall/1/arbiter/") and "no" in m]
problems += [f"twice at the chief's broker: {event}" for event in set(events) if events.count(event) > 1]
for place, board in (("one", "1"), ("two", "3")):
    other = "3" if board == "1" else "1"
    branches = ("arbiter", "live", "public")
    strange = {m["topic"] for m in halls[place] if m["topic"].split("/")[2] in branches and m["topic"].split("/")[5] == other}
    problems += [f"in hall {place}: {topic}" for topic in strange]
    nodes = {m["topic"].split("/")[3] for m in halls[place] if m["topic"].startswith("flagfall/1/node/")}
    problems += [f"in hall {place}: node {node}" for node in nodes - {"pi-1" if place == "one" else "pi-2"}]
    had = {m["id"] for m in halls[place] if m["topic"].startswith("flagfall/1/arbiter/") and "no" in m}
    problems += [f"lost: {event}" for event in had - set(events)]
    print(f"hall {place}: {len(had)} events of arbiters, {len(had - set(events))} lost on the way to the chief")
for name, place, wanted in (("carol-1", "one", 1), ("anna-1", "one", 0), ("anna-1", "two", 0), ("carol-2", "two", 0)):
    if commands(halls[place], name) != wanted:
        problems.append(f"command {name} arrived {commands(halls[place], name)} times in hall {place}")
if any(m["topic"].startswith("flagfall/1/public/") for m in chief):
    problems.append("public/ at the chief's broker")
print("\n".join(problems) or "nothing lost, nothing twice, nothing in circles")
sys.exit(bool(problems))
