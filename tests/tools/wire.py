#!/usr/bin/env python3
"""A sender, and forgers, on real sockets. Written from docs/wire.md alone: it shares no code with either side. Its
SipHash is OpenSSL's.

usage: wire.py SCENARIO PORT DIRECTORY      the receiver listens at 127.0.0.1:PORT

The machine sends from 127.0.0.2, forgers from other addresses. The bytes of CPU 0's trace are written to
DIRECTORY/trace. Prints what was found wrong; exit status 1 in that case.
"""
import ctypes
import os
import random
import select
import socket
import struct
import sys
import time

MAGIC, VERSION = 0x1A465455, 3
TRACE, RECORDS, ACK, COMMAND, OPEN, OPENED, TAGGED = 1, 2, 3, 4, 6, 7, 0x80
KEY = bytes(range(0x40, 0x50))
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


class Param(ctypes.Structure):
    """OSSL_PARAM"""

    _fields_ = [
        ("key", ctypes.c_char_p),
        ("type", ctypes.c_uint),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
        ("returned", ctypes.c_size_t),
    ]


def siphash(key, data):
    """SipHash-2-4 with a result of 16 bytes."""
    crypto = ctypes.CDLL("libcrypto.so.3")
    crypto.EVP_Q_mac.restype = ctypes.c_void_p
    size, used = ctypes.c_size_t(16), ctypes.c_size_t(0)
    result = ctypes.create_string_buffer(16)
    unsigned = 2
    params = (Param * 2)(
        Param(b"size", unsigned, ctypes.cast(ctypes.pointer(size), ctypes.c_void_p), ctypes.sizeof(size), 0),
        Param(None, 0, None, 0, 0),
    )
    if not crypto.EVP_Q_mac(
        None, b"SIPHASH", None, None, params, key, ctypes.c_size_t(len(key)), data, ctypes.c_size_t(len(data)), result,
        ctypes.c_size_t(16), ctypes.byref(used)
    ):
        sys.exit("libcrypto has no SIPHASH")
    return result.raw


def tagged(data, key, number):
    """The datagram of a frame, with a tag."""
    head = data[:5] + bytes([data[5] | TAGGED]) + data[6:28]
    head += struct.pack("<I", crc32c(head))
    return head + siphash(key, struct.pack("<Q", number) + head + data[32:]) + data[32:]


def untagged(data, key, number):
    """The frame of a datagram without its tag; None: the tag is wrong."""
    if not data[5] & TAGGED or crc32c(data[:28]) != struct.unpack_from("<I", data, 28)[0]:
        return None
    if siphash(key, struct.pack("<Q", number) + data[:32] + data[48:]) != data[32:48]:
        return None
    head = data[:5] + bytes([data[5] & ~TAGGED]) + data[6:28]
    return head + struct.pack("<I", crc32c(data[48:] + head)) + data[48:]


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

    def __init__(self, port, stream, address="127.0.0.2", key=None):
        self.key = self.to_receiver = self.to_sender = key
        self.sent = []
        self.socket = Socket(address, port)
        self.stream = stream
        self.offsets = {TRACE: 0, RECORDS: 0}
        self.frames = []
        self.acked = 0
        self.commands = []
        self.requests = set()
        self.disturb = lambda: None

    def add(self, kind, data):
        for at in range(0, len(data), 1000):
            part = data[at : at + 1000]
            self.frames.append((kind, self.offsets[kind], part))
            self.offsets[kind] += len(part)

    def built(self, seq, flags=0):
        kind, offset, part = self.frames[seq]
        data = frame(kind, self.stream, seq, offset, part, flags)
        return tagged(data, self.to_receiver, seq) if self.key else data

    def open(self):
        """Begin a session."""
        nonce = os.urandom(16)
        opening = tagged(frame(OPEN, self.stream, 0, 0, nonce, REQUEST), self.key, 0)
        for _ in range(50):
            self.socket.send(opening)
            data = self.socket.wait(0.2)
            opened = data and untagged(data, self.key, 0)
            if opened and (opened[5], opened[32:48]) == (OPENED, nonce):
                self.to_receiver = siphash(self.key, b"Undertrace frame" + opened[32:])
                self.to_sender = siphash(self.key, b"Undertrace reply" + opened[32:])
                return
        sys.exit("the receiver does not begin a session")

    def request(self):
        """The flags of a frame that requests an acknowledgement."""
        self.requests.add(len(self.requests) % 2**15 << 1 | REQUEST)
        return (len(self.requests) - 1) % 2**15 << 1 | REQUEST

    def take(self, data):
        if self.key:
            number = struct.unpack_from("<I", data, 12)[0]
            data = untagged(data, self.to_sender, number)
            if not data:
                sys.exit("an answer without the right tag")
        magic, version, kind, _, stream, seq = struct.unpack_from("<IBBHII", data)
        if (magic, version, stream) != (MAGIC, VERSION, self.stream):
            sys.exit(f"an answer of another kind: {data.hex()}")
        if kind == ACK:
            length, flags = struct.unpack_from("<HH", data, 24)
            if len(data) != 32 + length or length % 8 or length > 128:
                sys.exit(f"a bad acknowledgement: {data.hex()}")
            if crc32c(data[32:] + data[:28]) != struct.unpack_from("<I", data, 28)[0]:
                sys.exit(f"a bad acknowledgement: {data.hex()}")
            if flags not in self.requests:
                sys.exit(f"an answer to no request: {data.hex()}")
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
                self.sent.append(self.built(seq, self.request() if seq == last else 0))
                self.socket.send(self.sent[-1])
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


def keyed(port, directory):
    """With a key: what others send is ignored, whatever they have recorded."""
    chance = random.Random(11)
    earlier = Machine(port, 0x600D, key=KEY)  # an earlier session, which somebody has recorded
    earlier.hello()
    earlier.open()
    earlier.to_receiver = siphash(KEY, b"Undertrace frame" + bytes(32))
    machine = Machine(port, 0xBEEF, key=KEY)
    stranger = Socket("127.0.0.2", port)  # even from the machine's address
    stranger.send(frame(RECORDS, 0xBEEF, 0, 0, record(HELLO, b"nr_cpus 7\n"), REQUEST))
    stranger.send(tagged(frame(RECORDS, 0xBEEF, 0, 0, record(HELLO, b"nr_cpus 7\n"), REQUEST), b"k" * 16, 0))
    machine.open()

    def disturb():
        number = machine.acked + chance.randrange(12)
        forged_frame = frame(TRACE, 0xBEEF, number, machine.offsets[TRACE], b"forged", REQUEST)
        stranger.send(
            chance.choice(
                [
                    forged_frame,
                    tagged(forged_frame, KEY, number),
                    tagged(forged_frame, machine.to_sender, number),
                    tagged(forged_frame, machine.to_receiver, number + 2**32),
                    tagged(frame(OPEN, 0xBEEF, 0, 0, os.urandom(16)), KEY, 0),
                    tagged(frame(OPENED, 0xBEEF, 0, 0, os.urandom(32)), KEY, 0),
                    earlier.built(0, REQUEST),
                    damaged(machine.built(min(number, len(machine.frames) - 1)), chance),
                ]
            )
        )
        if machine.sent:  # replayed, from the machine's own address and another one
            old = chance.choice(machine.sent)
            machine.socket.send(old[:26] + bytes([old[26] & ~REQUEST]) + old[27:])
            stranger.send(old)

    machine.disturb = disturb
    whole(machine, trace_bytes(60000, directory))
    if any(data[5] & ~TAGGED == ACK for data in iter(lambda: stranger.wait(0), None)):
        sys.exit("a stranger got an acknowledgement")


def otherkey(port, directory):
    """A machine with another key, or none: nothing is received."""
    Machine(port, 0x600D).hello()
    Socket("127.0.0.2", port).send(frame(RECORDS, 0x600D, 0, 0, record(HELLO, b"nr_cpus 1\n"), REQUEST))
    machine = Machine(port, 0x600D, key=b"k" * 16)
    machine.socket.send(tagged(frame(OPEN, 0x600D, 0, 0, bytes(16), REQUEST), machine.key, 0))
    if machine.socket.wait(1):
        sys.exit("there was an answer")


def boots(port, directory):
    """A machine boots three times, and is reset in the second one. Meanwhile another machine sends."""
    key = KEY if "KEY" in os.environ else None
    for number in range(1, 4):
        machine = Machine(port, 0x1000 + number, key=key)
        if key:
            machine.open()
        data = trace_bytes(50000 + number, directory)
        machine.hello()
        machine.deliver()
        if number == 2:
            machine.add(TRACE, data[:20000])
            machine.deliver()
            machine = Machine(port, 0xBAD, "127.0.0.3")
            machine.hello()
            machine.socket.send(machine.built(0, REQUEST))
            if machine.socket.wait(0.3):
                sys.exit("another machine gets an answer")
        else:
            machine.add(TRACE, data)
            machine.end()
            machine.deliver()


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
    scenarios = {"first": first, "forged": forged, "answers": answers, "long": long,
                 "keyed": keyed, "otherkey": otherkey, "boots": boots}
    scenarios[sys.argv[1]](int(sys.argv[2]), sys.argv[3])
