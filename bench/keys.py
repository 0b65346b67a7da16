"""Measures the time from a typed key to the first byte of the answer. Called by bench/run.py."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time

MANY = ("import threading, time\nthreading.stack_size(65536)\n"
        "for _ in range({} - 1): threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n"
        "print('ready', flush=True)\ntime.sleep(3600)")


def answers(build, threads, keys=40):
    """Milliseconds of each answer, while rooftop attaches to a process of so many threads."""
    target = subprocess.Popen([sys.executable, "-c", MANY.format(threads)], stdout=subprocess.PIPE)
    target.stdout.readline()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8")
        os.execv(f"{build}/rooftop", ["rooftop", "--no-config", "-p", str(target.pid)])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
    found = []
    for turn in range(keys):
        while select.select([terminal], [], [], 0.01 if turn else 0.5)[0]:  # until it is quiet
            shown = os.read(terminal, 65536)
            os.write(terminal, b"\x1b[0n" * shown.count(b"\x1b[5n"))  # as terminals answer
        typed = time.monotonic()
        os.write(terminal, b"?" if turn % 2 == 0 else b"\x0c")
        select.select([terminal], [], [], 2)
        found.append((time.monotonic() - typed) * 1000)
    os.write(terminal, b"q")
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    os.waitpid(child, 0)
    os.close(terminal)
    target.kill()
    target.wait()
    return found
