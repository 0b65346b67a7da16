"""Measures keys on a line of 9600 baud: a pseudo-terminal that is read at 960 bytes a second, and answers requests."""

import fcntl
import os
import pty
import statistics
import struct
import termios
import time

BYTES_PER_S, STEP_S = 960, 0.025
QUESTION, ANSWER = b"\x1b[5n", b"\x1b[0n"
# the typed key, and the text of its effect that is searched for in the output
KEYS = [(b"2", b"counters by"), (b"1", b"processes by"), (b"/", b"search"), (b"\x1b", b"Menu"), (b"p", b"PAUSED")]


class Line:
    def __init__(self, program):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", ROOFTOP_CONFIG="/dev/null")
            os.environ.pop("COLORTERM", None)
            os.execv(program, [program, "-d", "0.2"])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.set_blocking(self.fd, False)
        self.came, self.carried, self.due = b"", 0, time.monotonic()

    def carry(self):
        self.due += STEP_S
        time.sleep(max(0, self.due - time.monotonic()))
        try:
            some = os.read(self.fd, int(BYTES_PER_S * STEP_S))
        except BlockingIOError:
            return
        self.came = (self.came + some)[-4096:]
        self.carried += len(some)
        if QUESTION in self.came:
            self.came = self.came.replace(QUESTION, b"")
            os.write(self.fd, ANSWER)

    def wait(self, text, seconds):
        begun = time.monotonic()
        while time.monotonic() < begun + seconds:
            if text in self.came:
                return time.monotonic() - begun
            self.carry()
        return seconds

    def idle(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.carry()


def measure(build, say, quick):
    line = Line(f"{build}/rooftop")
    line.wait(b"processes", 20)
    line.idle(4)
    took = []
    for _ in range(1 if quick else 4):
        for key, text in KEYS:
            line.idle(1.3)
            line.came = b""
            os.write(line.fd, key)
            took.append(line.wait(text, 10))
        os.write(line.fd, b"p")  # goes on
    before, begun = line.carried, time.monotonic()
    line.idle(5)
    used = (line.carried - before) / (time.monotonic() - begun) / BYTES_PER_S
    os.kill(line.pid, 9)
    os.waitpid(line.pid, 0)
    os.close(line.fd)
    say("### Keys over 9600 baud (960 bytes a second, 80x24, sampling at 0.2 s)")
    say()
    say(f"{len(took)} keys: seen after {statistics.median(took):.2f} s (median), {max(took):.2f} s (longest); target 1 s. "
        f"Data use {used:.0%} of the line.")
    say()
