"""Reads what a subscriber saw, a topic and a message a line, and checks the numbers of the events of each board and audience: none is left
out, and none comes twice with another content."""

import json
import sys

series = {}
problems = 0
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
    events = series.setdefault("/".join(words[2:6]), {})
    content = (message["type"], json.dumps(message["body"], sort_keys=True))
    if events.setdefault(number, content) != content:
        problems += 1
        print(f"vm: host: {topic.decode()}: number {number} has two contents: {events[number]} and {content}")
for name, events in sorted(series.items()):
    missing = sorted(set(range(min(events), max(events) + 1)) - set(events))
    problems += len(missing)
    print(f"vm: host: {name}: {len(events)} events, numbers {min(events)} to {max(events)}, missing {missing or 'none'}")
if not series:
    problems += 1
    print("vm: host: no event was seen")
sys.exit(problems != 0)
