"""Writes a perf.data file with a sample at each of the given addresses of a program, so that `perf report` resolves the
same addresses as rooftop."""
import os
import struct

MAGIC = b"PERFILE2"
ATTR_SIZE = 64  # PERF_ATTR_SIZE_VER0: every perf reads it
SAMPLE_IP, SAMPLE_TID, SAMPLE_TIME, SAMPLE_PERIOD = 1, 2, 4, 256
RECORD_MMAP, RECORD_COMM, RECORD_SAMPLE = 1, 3, 9
MISC_USER = 2
PID = 4242


def attr():
    """Software event cpu-clock; one sample type for all; records carry no trailing identification."""
    sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_PERIOD
    return struct.pack("<IIQQQQQ", 1, ATTR_SIZE, 0, 1000000, sample_type, 0, 0).ljust(ATTR_SIZE, b"\0")


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(value):
    raw = value.encode() + b"\0"
    return raw.ljust((len(raw) + 7) // 8 * 8, b"\0")


def write(path, program, segment, addresses):
    """segment: address, file offset and size of the program's code, which is taken as mapped where it says."""
    at, offset, size = segment
    page = os.sysconf("SC_PAGESIZE")
    skew = at % page
    data = record(RECORD_COMM, 0, struct.pack("<II", PID, PID) + text("big"))
    data += record(RECORD_MMAP, MISC_USER, struct.pack("<IIQQQ", PID, PID, at - skew, size + skew, offset - skew)
                   + text(program))
    samples = [record(RECORD_SAMPLE, MISC_USER, struct.pack("<QIIQQ", ip, PID, PID, i + 1, 1000000))
               for i, ip in enumerate(addresses)]
    data += b"".join(samples)
    head = 104
    entry = attr() + struct.pack("<QQ", head, 0)  # an attribute, and where its ids are: none
    with open(path, "wb") as file:
        file.write(MAGIC + struct.pack("<QQ", head, len(entry)))
        file.write(struct.pack("<QQQQQQ", head, len(entry), head + len(entry), len(data), 0, 0) + bytes(32))
        file.write(entry + data)
