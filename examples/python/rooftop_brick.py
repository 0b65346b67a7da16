"""librooftop for Python: says where bricks begin and end, so that rooftop shows them.

    import rooftop_brick as rooftop

    with rooftop.layer(0):
        with rooftop.brick("Qkv") as t:
            y = qkv(x)
            t.work(elements=len(y), bytes=8 * len(y))

    @rooftop.function
    def forward(x): ...

The library is looked for at $ROOFTOP_LIBRARY, then as librooftop.so.1. Without it nothing is
recorded and nothing fails: available() tells. A start and stop through ctypes costs some
microseconds, so time what takes longer than that.
"""

import ctypes
import functools
import os
import threading

NORM, ATTENTION, FFN, OTHER = range(4)
IMMEDIATE, PER_LAYER, DEFERRED, NONE = range(4)
HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = range(3)


class _Timer(ctypes.Structure):
    _fields_ = [("start_ns", ctypes.c_uint64), ("span", ctypes.c_uint64)]


class Stats(ctypes.Structure):
    """Sums of one name, wherever it is in the tree; times in nanoseconds."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in ("count", "total_ns", "min_ns", "max_ns", "elements", "bytes", "flops")
    ]


_u32, _u64, _text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p
_dim3 = _u32 * 3
# name: (result, arguments), as in rooftop/brick.h
_CALLS = {
    "rooftop_register": (_u32, [_text, ctypes.c_int]),
    "rooftop_brick": (_u32, [_text]),
    "rooftop_layer": (_u32, [_u32]),
    "rooftop_function": (_u32, [_text, _text, _u32]),
    "rooftop_kernel": (_u32, [_text, _u64, _dim3, _dim3, _u32]),
    "rooftop_transfer": (_u32, [ctypes.c_int, _text, _text]),
    "rooftop_backend": (_u32, [_text, ctypes.c_double, ctypes.c_double, _text]),
    "rooftop_start_span": (_Timer, [_u32]),
    "rooftop_stop_span": (None, [_Timer, _u64, _u64, _u64]),
    "rooftop_depends": (None, [_u64, _u64]),
    "rooftop_joins": (None, [_u64, _u64]),
    "rooftop_set_sync": (None, [ctypes.c_int]),
    "rooftop_finalize": (ctypes.c_size_t, [_u64]),
    "rooftop_tokens": (None, [_u64]),
    "rooftop_stats_of": (Stats, [_u32]),
    "rooftop_enable": (None, []),
    "rooftop_disable": (None, []),
    "rooftop_total_ns": (_u64, []),
    "rooftop_report": (ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t]),
    "rooftop_path": (_text, []),
    "rooftop_error": (_text, []),
}


def _load():
    try:
        library = ctypes.CDLL(os.environ.get("ROOFTOP_LIBRARY", "librooftop.so.1"))
        for name, (result, arguments) in _CALLS.items():
            call = getattr(library, name)
            call.restype, call.argtypes = result, arguments
        return library, ctypes.c_int.in_dll(library, "rooftop_on"), ""
    except (OSError, AttributeError, ValueError) as error:
        return None, ctypes.c_int(0), str(error)


_lib, _on, _why_not = _load()


def available():
    """Whether the library was found."""
    return _lib is not None


def error():
    """Why nothing is recorded; "" when all is well."""
    return _lib.rooftop_error().decode() if _lib else _why_not


def path():
    """Where the program's file is; "" while there is none."""
    return _lib.rooftop_path().decode() if _lib else ""


def enable(on=True):
    """Turns recording on, or off: what begins while it is off is not recorded."""
    if _lib:
        _lib.rooftop_enable() if on else _lib.rooftop_disable()


def total_ns():
    """What all bricks took, of all threads; one inside of another is in that one's time."""
    return _lib.rooftop_total_ns() if _lib else 0


def report():
    """A summary for people: backends, bricks and kernels by time, categories."""
    if not _lib:
        return "Nothing is recorded: " + _why_not
    text = ctypes.create_string_buffer(_lib.rooftop_report(None, 0) + 4096)
    _lib.rooftop_report(text, len(text))
    return text.value.decode(errors="replace")


class Span:
    """One start and stop, as a context manager."""

    __slots__ = ("_id", "_timer", "_work")

    def __init__(self, id, elements=0):
        self._id, self._timer, self._work = id, None, (elements, 0, 0)

    def __enter__(self):
        if _on.value:
            self._timer = _lib.rooftop_start_span(self._id)
        return self

    def __exit__(self, *exception):
        timer, self._timer = self._timer, None
        if timer is not None and timer.span:
            _lib.rooftop_stop_span(timer, *self._work)
        return False

    def work(self, elements=0, bytes=0, flops=0):
        """What it worked on, moved and computed, as you count it."""
        self._work = (elements, bytes, flops)

    @property
    def span(self):
        """Its number, for depends(); 0 = nothing is recorded."""
        return self._timer.span if self._timer else 0


class _Open(threading.local):
    def __init__(self):
        self.spans = []


class Timed:
    """Something that can be timed, any number of times: `with timed:`, or `@timed`."""

    def __init__(self, id):
        self.id = id
        self._open = _Open()  # each thread has its own

    def start(self, elements=0):
        return Span(self.id, elements)

    def __enter__(self):
        self._open.spans.append(self.start())
        return self._open.spans[-1].__enter__()

    def __exit__(self, *exception):
        return self._open.spans.pop().__exit__(*exception)

    def __call__(self, function):
        @functools.wraps(function)
        def timed(*args, **kwargs):
            with Span(self.id):
                return function(*args, **kwargs)

        return timed

    def stats(self):
        return _lib.rooftop_stats_of(self.id) if _lib else Stats()


def _dims(value):
    value = (value,) if isinstance(value, int) else tuple(value)
    if not 1 <= len(value) <= 3:
        raise ValueError("one to three numbers, not %d" % len(value))
    return _dim3(*(value + (1, 1))[:3])


def brick(name):
    return Timed(_lib.rooftop_brick(name.encode()) if _lib else 0)


def register(name, category=OTHER):
    return Timed(_lib.rooftop_register(name.encode(), category) if _lib else 0)


def layer(index):
    return Timed(_lib.rooftop_layer(index) if _lib else 0)


def kernel(name, hash=0, grid=1, block=1, shared_bytes=0):
    grid, block = _dims(grid), _dims(block)
    return Timed(
        _lib.rooftop_kernel(name.encode(), hash, grid, block, shared_bytes) if _lib else 0
    )


def transfer(direction, source, target):
    return Timed(
        _lib.rooftop_transfer(direction, source.encode(), target.encode()) if _lib else 0
    )


def backend(name, peak_flops=0.0, peak_bytes=0.0, how=""):
    return Timed(
        _lib.rooftop_backend(name.encode(), peak_flops, peak_bytes, how.encode()) if _lib else 0
    )


def scope(name, file="", line=0):
    return Timed(_lib.rooftop_function(name.encode(), file.encode(), line) if _lib else 0)


def function(f):
    """Decorator: every call is a scope with the function's name, file and line."""
    code = f.__code__
    return scope(f.__qualname__, code.co_filename, code.co_firstlineno)(f)


def depends(before, after):
    if _lib:
        _lib.rooftop_depends(before, after)


def joins(awaited, waiting):
    """waiting could not end before awaited had ended: the .span of both."""
    if _lib:
        _lib.rooftop_joins(awaited, waiting)


def tokens(n):
    if _lib:
        _lib.rooftop_tokens(n)


def set_sync(mode):
    if _lib:
        _lib.rooftop_set_sync(mode)


def finalize():
    return _lib.rooftop_finalize(0) if _lib else 0
