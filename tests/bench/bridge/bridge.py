"""A bridge as one writes it in an afternoon: the position and the move of each DGT board, and nothing else."""
import json, os, select, socket, struct, sys, termios, tty

PIECES = ".PRNBKQprnbkq"


def fen(squares):
    rows = ["".join(PIECES[code] for code in squares[row:row + 8]) for row in range(0, 64, 8)]
    for count in range(8, 0, -1):
        rows = [row.replace("." * count, str(count)) for row in rows]
    return "/".join(rows)


def square(index):
    return "abcdefgh"[index % 8] + str(8 - index // 8)


def publish(topic, value):
    global packet
    packet = packet % 65535 + 1
    body = struct.pack(">H", len(topic)) + topic.encode() + struct.pack(">H", packet) + json.dumps(value).encode()
    length = bytes([len(body)]) if len(body) < 128 else bytes([len(body) % 128 | 128, len(body) // 128])
    broker.sendall(b"\x33" + length + body)


packet, boards, poll = 0, {}, select.epoll()
broker = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
broker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
broker.sendall(b"\x10\x12\x00\x04MQTT\x04\x02\x00\x00\x00\x06python")
poll.register(broker, select.EPOLLIN)
for number, path in enumerate(sys.argv[2:]):
    port = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(port)
    os.write(port, b"\x42\x4b")  # all squares, and from now on each change
    boards[port] = {"number": number, "bytes": b"", "squares": [0] * 64, "lifted": None}
    poll.register(port, select.EPOLLIN)
while True:
    for port, _ in poll.poll():
        if port == broker.fileno():
            broker.recv(4096) or sys.exit()  # acknowledgements
            continue
        board = boards[port]
        board["bytes"] += os.read(port, 4096)
        while len(board["bytes"]) >= 3 and len(board["bytes"]) >= (length := board["bytes"][1] * 128 + board["bytes"][2]):
            message, board["bytes"] = board["bytes"][:length], board["bytes"][length:]
            if message[0] == 0x86:
                board["squares"] = list(message[3:])
            elif message[0] == 0x8E:
                where, code = message[3], message[4]
                board["squares"][where] = code
                if code and board["lifted"] is not None:
                    publish(f"python/{board['number']}/move", {"move": square(board["lifted"]) + square(where)})
                board["lifted"] = None if code else where
            if message[0] in (0x86, 0x8E):
                publish(f"python/{board['number']}/state", {"board": fen(board["squares"])})
