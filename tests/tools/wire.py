#!/usr/bin/env python3
"""A sender, and forgers, on real sockets. Written from docs/wire.md alone: it shares no code with either side.

usage: wire.py SCENARIO PORT DIRECTORY      the receiver listens at 127.0.0.1:PORT

The machine sends from 127.0.0.2, forgers from other addresses. The bytes of CPU 0's trace are written to
DIRECTORY/trace. Prints what was found wrong; exit status 1 in that case.
"""
import os
import random
import select
import socket
import struct
import sys
import time

MAGIC, VERSION = 0x1A465455, 3
TRACE, RECORDS, ACK, COMMAND = 1, 2, 3, 4
REQUEST = 1
HELLO, LOG, END, STATUS = 1, 5, 6, 7
ESCAPE = "\x1b]0;owned\x07\x1b[2J\x7f\x9b31m"

CRC_TABLE = []
for number in range(256):
    for _ in range(8):
        number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
    CRC_TABLE.append(number)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283


def frame(kind, stream, seq, offset=0, payload=b"", flags=0, cpu=0, version=VERSION):
    head = struct.pack("<IBBHIIQHH", MAGIC, version, kind, cpu, stream, seq, offset, len(payload), flags)
    return head + struct.pack("<I", crc32c(payload + head)) + payload


def record(kind, payload, cpu=0, trace_offset=0):
    data = struct.pack("<HHIQQ", kind, cpu, len(payload), trace_offset, 0) + payload
    return data + bytes(-len(data) % 8)


class Socket:
    def __init__(self, address, port):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.to = ("127.0.0.1", port)

    def send(self, data):
        self.socket.sendto(data, self.to)

    def wait(self, seconds):
        """The next datagram, or None."""
        ready, _, _ = select.select([self.socket], [], [], seconds)
        return self.socket.recv(65536) if ready else None


class Machine:
    """Sends each frame until it is acknowledged; a dozen at a time."""

    def __init__(self, port, stream, address="127.0.0.2"):
        self.socket = Socket(address, port)
        self.stream = stream
        self.offsets = {TRACE: 0, RECORDS: 0}
        self.frames = []
        self.acked = 0
        self.commands = []
        self.disturb = lambda: None

    def add(self, kind, data):
        for at in range(0, len(data), 1000):
            part = data[at : at + 1000]
            self.frames.append((kind, self.offsets[kind], part))
            self.offsets[kind] += len(part)

    def built(self, seq, flags=0):
        kind, offset, part = self.frames[seq]
        return frame(kind, self.stream, seq, offset, part, flags)

    def take(self, data):
        magic, version, kind, _, stream, seq = struct.unpack_from("<IBBHII", data)
        if (magic, version, stream) != (MAGIC, VERSION, self.stream):
            sys.exit(f"an answer of another kind: {data.hex()}")
        if kind == ACK:
            if len(data) != 64 or crc32c(data[32:] + data[:28]) != struct.unpack_from("<I", data, 28)[0]:
                sys.exit(f"a bad acknowledgement: {data.hex()}")
            self.acked = max(self.acked, seq)
        elif kind == COMMAND:
            self.commands.append((seq, data))

    def deliver(self):
        """Until all is acknowledged."""
        until = time.monotonic() + 60
        while self.acked < len(self.frames):
            if time.monotonic() > until:
                sys.exit(f"no acknowledgement comes after frame {self.acked} of {len(self.frames)}")
            last = min(self.acked + 12, len(self.frames)) - 1
            for seq in range(self.acked, last + 1):
                self.disturb()
                self.socket.send(self.built(seq, REQUEST if seq == last else 0))
            data = self.socket.wait(0.2)
            while data:
                self.take(data)
                data = self.socket.wait(0)

    def hello(self, more=""):
        self.add(RECORDS, record(HELLO, f"version 1\nnr_cpus 1\nguest test{more}\n".encode("latin-1")))

    def end(self):
        self.add(RECORDS, record(END, f"trace_bytes {self.offsets[TRACE]}\n".encode()))


def trace_bytes(size, directory):
    """Some bytes of trace, which are written to the directory, too."""
    data = random.Random(5).randbytes(size)
    with open(os.path.join(directory, "trace"), "wb") as file:
        file.write(data)
    return data


def whole(machine, data):
    machine.hello()
    machine.deliver()
    machine.add(TRACE, data)
    machine.end()
    machine.deliver()


def first(port, directory):
    """A stranger's frame comes first, and is acknowledged; then the machine is switched on."""
    stranger = Socket("127.0.0.3", port)
    stranger.send(frame(RECORDS, 0xBAD, 0, 0, record(HELLO, b"nr_cpus 7\n"), REQUEST))
    if not stranger.wait(10):
        sys.exit("the first frame was not answered")
    whole(Machine(port, 0x600D), trace_bytes(100000, directory))


def damaged(data, chance):
    """One bit is wrong."""
    data = bytearray(data)
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def forged(port, directory):
    """While the machine sends, others send all that comes to mind."""
    chance = random.Random(7)
    strangers = [Socket(f"127.0.0.{i}", port) for i in range(3, 8)]
    machine = Machine(port, 0x600D)
    whole_frame = frame(TRACE, 0x600D, 3, 0, b"x" * 500)

    def disturb():
        stranger = chance.choice(strangers)
        number = chance.getrandbits(32)
        stranger.send(
            chance.choice(
                [
                    frame(chance.choice([TRACE, RECORDS]), number, chance.randrange(4), 0, b"forged", REQUEST),
                    frame(TRACE, 0x600D, machine.acked + chance.randrange(12), 0, b"forged", REQUEST),
                    frame(RECORDS, 0x600D, machine.acked, number, b"forged", REQUEST, cpu=chance.choice([1, 200, 300])),
                    frame(ACK, 0x600D, number, 0, bytes(32)),
                    frame(COMMAND, 0x600D, number, 0, bytes(8)),
                    frame(9, 0x600D, number),
                    frame(TRACE, 0x600D, number, 0, b"", version=chance.choice([1, 7])),
                    frame(TRACE, 0x600D, machine.acked, 0, bytes(16384)) + bytes(3000),
                    damaged(machine.built(machine.acked), chance),
                    whole_frame[: chance.randrange(len(whole_frame))],
                    chance.randbytes(chance.randrange(64)),
                ]
            )
        )

    def disturb_all():
        disturb()
        if machine.acked < len(machine.frames):  # on its way from the machine itself: a switch's bad memory
            machine.socket.send(damaged(machine.built(machine.acked), chance))

    machine.disturb = disturb_all
    whole(machine, trace_bytes(300000, directory))
    for stranger in strangers:
        for data in iter(lambda: stranger.wait(0), None):
            if struct.unpack_from("<BBHII", data, 4)[1:5:2] == (ACK, 0x600D):
                sys.exit("a stranger was told about the machine's stream")


def answers(port, directory):
    """The machine answers commands. Somebody else has sent one with a very high number."""
    machine = Machine(port, 0x600D)
    machine.hello("\nnote " + ESCAPE)
    machine.add(RECORDS, record(LOG, ("a line " + ESCAPE).encode("latin-1")))
    machine.add(RECORDS, record(STATUS, f"command {2**31 - 1}\nresult ok\n".encode()))
    machine.deliver()
    last, done = 2**31 - 1, 0
    until = time.monotonic() + 60
    while done < 2 and time.monotonic() < until:
        data = machine.socket.wait(0.2)
        if data:
            machine.take(data)
        while machine.commands:
            number = machine.commands.pop(0)[0]
            if 0 < (number - last) % 2**32 < 2**31:
                last, done = number, done + 1
                text = f"command {number}\nresult ok\nnote {ESCAPE}\n"
                machine.add(RECORDS, record(STATUS, text.encode("latin-1")))
                machine.deliver()
    machine.add(TRACE, trace_bytes(1000, directory))
    machine.end()
    machine.deliver()
    if done < 2:
        sys.exit(f"{done} commands came")


def long(port, directory):
    """More than the receiver may store."""
    machine = Machine(port, 0x600D)
    machine.hello()
    machine.add(TRACE, trace_bytes(3000000, directory))
    for seq in range(len(machine.frames)):
        machine.socket.send(machine.built(seq, REQUEST if seq % 100 == 99 else 0))
        if seq % 100 == 99 and not machine.socket.wait(2):
            return


if __name__ == "__main__":
    scenarios = {"first": first, "forged": forged, "answers": answers, "long": long}
    scenarios[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
