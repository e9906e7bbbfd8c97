"""Checks the numbers of the events of each board and audience: numbers.py MESSAGES [JOURNAL ...].

MESSAGES is what a subscriber saw, a topic and a message a line. Without journals no number may be left out, and none may come twice with
another content. With the journals after power cuts numbers may be left out, because the broker lost them with the machine, but each event
that was seen must be in a journal as it was seen. What a later start has declared void (`src/wire/README.md`, "restated") does not count,
but only what was not yet on the disk may be void: a few events of each cut."""

import json
import re
import sys

OUT = re.compile(rb" out (\d+) (\w+) .*?(\{.*\}) \*")
recorded = {}
for path in sys.argv[2:]:
    for line in open(path, "rb"):
        found = OUT.search(line)
        if found:
            recorded[found[2].decode(), int(found[1])] = json.loads(found[3])["body"]

# The largest number of events of a series that one start may declare void.
MOST_VOID = 4
series = {}
# The boot of the last `restated` of a series, and its `from`.
void = {}
problems = voided = 0


def report(text):
    global problems
    problems += 1
    print(f"vm: host: {text}")


for line in open(sys.argv[1], "rb"):
    topic, _, text = line.partition(b" ")
    words = topic.decode().split("/")
    try:
        message = json.loads(text)
    except ValueError:
        # A power cut may leave half of a line; retained messages that are deleted have no text.
        continue
    number = message.get("no") if isinstance(message, dict) else None
    if number is None or words[2] not in ("public", "live", "arbiter") or words[-1] not in ("move", "revision", "audit"):
        continue
    name = "/".join(words[2:6])
    events = series.setdefault(name, {})
    boot = int(message["id"].split(":")[1])
    void_boot, void_from = void.get(name, (0, 0))
    if boot < void_boot and number >= void_from:
        continue
    if message["type"] == "board.restated" or message["body"].get("what") == "restated":
        void[name] = (boot, message["body"]["from"])
        lost = [other for other in events if other >= message["body"]["from"] and events[other][0] != boot]
        if len(lost) > MOST_VOID:
            report(f"{topic.decode()}: start {boot} declared {len(lost)} events void that were seen: {lost}")
        voided += len(lost)
        for later in lost:
            del events[later]
    content = (boot, message["type"], message["body"])
    if events.setdefault(number, content) != content:
        report(f"{topic.decode()}: number {number} has two contents: {events[number]} and {content}")
for name, events in series.items():
    audience = name.split("/")[0]
    for number, (_, _, body) in events.items():
        if recorded and audience != "public" and recorded.get((audience, number)) != body:
            report(f"{name}: number {number} is not in the journal as it was seen: {body}")
for name, events in sorted(series.items()):
    # A subscriber that was there from the beginning has seen number 1.
    missing = sorted(set(range(1, max(events) + 1)) - set(events))
    problems += 0 if recorded else len(missing)
    print(f"vm: host: {name}: {len(events)} events, numbers {min(events)} to {max(events)}, missing {missing or 'none'}")
print(f"vm: host: {voided} events were declared void after they had been seen")
if not series:
    report("no event was seen")
sys.exit(problems != 0)
