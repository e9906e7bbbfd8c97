"""The cable between an emulated board and the USB port of the virtual machine: copies bytes between a pseudo-terminal and the socket of
qemu's device `usb-serial`, which is plugged in while this program runs. With --flood N it sends N random bytes a second instead."""

import argparse
import os
import random
import select
import socket
import time
import tty


def flood(port, rate):
    """Sends what no board would send, and prints once a second how much. What the other side writes is read, because a full device
    stops all of qemu."""
    noise = random.Random(1)
    began, sent, said = time.monotonic(), 0, 0
    port.setblocking(False)
    while True:
        due = int((time.monotonic() - began) * rate) - sent
        readable, writable, _ = select.select([port], [port] if due > 0 else [], [], 0.01)
        if readable and not port.recv(65536):
            return
        if writable:
            try:
                sent += port.send(noise.randbytes(min(due, 512)))
            except BlockingIOError:
                pass
        if time.monotonic() - began >= said + 1:
            said += 1
            print(f"sent {sent}", flush=True)


def join(port, board):
    """Copies in both directions until one side ends."""
    while True:
        for source in select.select([port, board], [], [])[0]:
            if source is port:
                data = port.recv(65536)
                os.write(board, data)
            else:
                data = os.read(board, 65536)
                port.sendall(data)
            if not data:
                return


parser = argparse.ArgumentParser()
parser.add_argument("socket", help="the socket of the USB device")
parser.add_argument("board", nargs="?", help="the path of the emulated board")
parser.add_argument("--flood", type=int, metavar="N", help="bytes a second")
options = parser.parse_args()
port = socket.socket(socket.AF_UNIX)
port.connect(options.socket)
if options.flood:
    flood(port, options.flood)
else:
    board = os.open(options.board, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(board)
    join(port, board)
