#!/usr/bin/env python3
"""A machine whose receiver is killed at random moments, and started again in the same directory.

usage: wire_resume.py SEED KILLS PORT DIRECTORY COMMAND...

COMMAND is the receiver's, which listens at 127.0.0.1:PORT. The machine's stream is always the same, whatever SEED is;
its trace is written to DIRECTORY/trace. A frame that was acknowledged is never sent again. With the environment variable
KEY, the machine has the key of wire.py. Prints what was found wrong; exit status 1 in that case.
"""
import os
import random
import signal
import struct
import subprocess
import sys
import time

import wire

PACE = 12  # frames in flight


class Receiver:
    def __init__(self, port, command):
        self.port = port
        self.command = command
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command)
        place = f":{self.port:04X} ".lower()
        while place not in open("/proc/net/udp").read().lower():
            if self.process.poll() is not None:
                sys.exit(f"the receiver ends with {self.process.returncode}")
            time.sleep(0.01)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Lossy(wire.Machine):
    """Its frames are sent in any order, some are lost, and the receiver is killed between them."""

    def __init__(self, port, chance, receiver):
        super().__init__(port, 0x600D, key=wire.KEY if "KEY" in os.environ else None)
        self.chance = chance
        self.receiver = receiver
        self.kill_at = []

    def restart_receiver(self):
        self.receiver.kill()
        while self.socket.wait(0):  # what it has answered is lost, or not
            pass
        self.receiver.start()

    def take(self, data):
        if not self.key and struct.unpack_from("<I", data, 12)[0] < self.acked:
            sys.exit("a frame that was acknowledged has been forgotten")
        super().take(data)

    def deliver(self):
        until = time.monotonic() + 60
        while self.acked < len(self.frames):
            if time.monotonic() > until:
                sys.exit(f"no acknowledgement comes after frame {self.acked} of {len(self.frames)}")
            last = min(self.acked + PACE, len(self.frames)) - 1
            seqs = list(range(self.acked, last + 1))
            self.chance.shuffle(seqs)
            for seq in seqs:
                if self.kill_at and self.kill_at[0] <= self.acked:
                    self.kill_at.pop(0)
                    self.restart_receiver()
                if self.chance.randrange(100) < 5:
                    continue
                try:
                    self.socket.send(self.built(seq, self.request() if self.chance.randrange(4) == 0 else 0))
                except ConnectionRefusedError:
                    pass
            data = self.socket.wait(0.05)
            while data:
                self.take(data)
                data = self.socket.wait(0)


def fill(machine, directory):
    """HELLO, records of all lengths that frames split, and trace, with a gap that was announced."""
    content = random.Random(3)
    trace = content.randbytes(150000)
    with open(os.path.join(directory, "trace"), "wb") as file:
        file.write(trace)
    machine.hello()
    for at in range(0, len(trace), 5000):
        text = bytes(content.randrange(32, 127) for _ in range(content.randrange(1, 6000)))
        machine.add(wire.RECORDS, wire.record(wire.LOG, text))
        machine.add(wire.TRACE, trace[at : at + 5000])
        if at == 75000:
            gap = struct.pack("<QQQQII", at + 5000, 100000, 0, 0, 5, 0)
            machine.add(wire.RECORDS, wire.record(4, gap, trace_offset=at + 5000))
            machine.offsets[wire.TRACE] += 100000
    machine.end()


def main(seed, kills, port, directory, *command):
    chance = random.Random(int(seed))
    receiver = Receiver(int(port), command)
    machine = Lossy(int(port), chance, receiver)
    fill(machine, directory)
    machine.kill_at = sorted(chance.randrange(len(machine.frames)) for _ in range(int(kills)))
    if machine.key:
        machine.open()
        if machine.kill_at:
            machine.restart_receiver()  # it has no frame yet, but the keys are agreed
    machine.deliver()
    sys.exit(receiver.process.wait())


if __name__ == "__main__":
    main(*sys.argv[1:])
