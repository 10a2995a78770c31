#!/usr/bin/env python3
"""Move a truth file's trace offsets: the emulated CPU counts its bytes from 0, the hypervisor from test.first=.

usage: truth_shift.py TRUTH BYTES >SHIFTED      decode/truth.h is the format
"""
import struct
import sys

HEADER_BYTES = 16
SIZES = {1: 48, 2: 80 + 8 * 80}  # TRUTH_CHECKPOINT, TRUTH_END


def main():
    truth, more = open(sys.argv[1], "rb").read(), int(sys.argv[2])
    out, at = bytearray(truth), HEADER_BYTES
    while at < len(truth):
        kind = struct.unpack_from("<I", truth, at)[0]
        # trace_offset and trace_bytes are at the same place.
        struct.pack_into("<Q", out, at + 8, struct.unpack_from("<Q", truth, at + 8)[0] + more)
        at += SIZES[kind]
    assert at == len(truth), "a part is left"
    sys.stdout.buffer.write(out)


main()
