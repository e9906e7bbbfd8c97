"""Prints the hand motions of a game of 160 moves of both players without a capture, one move each N seconds: usage hands.py N. No position
occurs five times, so the game does not end by itself."""

import sys

every = float(sys.argv[1])
print("0 set left 5:00:00 right 5:00:00")
print("+0.5 run")
pawns = [("a2", "a3"), ("h2", "h3"), ("b2", "b3"), ("g2", "g3"), ("d2", "d3"), ("e2", "e3"), ("a3", "a4"), ("h3", "h4")]
pawns += [("b3", "b4"), ("g3", "g4"), ("d3", "d4"), ("e3", "e4"), ("f2", "f3"), ("b4", "b5"), ("g4", "g5"), ("a4", "a5")]
knight = [("b1", "c3"), ("c3", "b1"), ("b1", "c3"), ("c3", "b1")]
# Black's knight goes out and back, so that nothing meets.
replies = [("b8", "c6"), ("c6", "b8")]
for number, pawn in enumerate(pawns):
    for turn, white in enumerate([pawn] + knight):
        black = replies[(number * 5 + turn) % 2]
        for side, (origin, target) in (("left", white), ("right", black)):
            print(f"+{every - 0.9:.2f} lift {origin}")
            print(f"+0.5 place {target}")
            print(f"+0.4 press {side}")
