#!/usr/bin/env python3
"""animate.py OUT.svg SECONDS:FRAME.svg...: pictures of one size, drawn by rooftop, as one that changes.

Each picture is shown for its seconds, then the next; after the last comes the first. What several pictures have in common
is in the file once, so that twenty of them take little more room than five. A viewer without animations shows the first.
"""

import re
import sys


def frame(path):
    """The opening tag of a picture, and its elements in order. rooftop writes one element a line."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    if not lines[0].startswith("<svg ") or lines[-1] != "</svg>":
        sys.exit(f"animate.py: {path} is no picture of rooftop's")
    return lines[0], lines[1:-1]


def group(shown, ends, elements):
    """Elements that the same pictures have: `shown` is one flag a picture, `ends` when each ends, as a share of all."""
    if all(shown):
        return elements
    values = ["visible" if s else "hidden" for s in shown]
    keep = [i for i in range(len(values)) if i == 0 or values[i] != values[i - 1]]
    times = ["0" if i == 0 else f"{ends[i - 1]:.4f}".rstrip("0") for i in keep]
    return [
        f'<g visibility="{values[0]}"><animate attributeName="visibility" calcMode="discrete" dur="DUR" '
        f'repeatCount="indefinite" values="{";".join(values[i] for i in keep)}" keyTimes="{";".join(times)}"/>',
        *elements,
        "</g>",
    ]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.splitlines()[0])
    seconds, frames, head = [], [], None
    for argument in sys.argv[2:]:
        s, path = argument.split(":", 1)
        opening, elements = frame(path)
        if head and opening != head:
            sys.exit(f"animate.py: {path} is of another size than the first picture")
        head = opening
        seconds.append(float(s))
        frames.append(elements)
    total = sum(seconds)
    ends = [sum(seconds[: i + 1]) / total for i in range(len(seconds))]

    where = {}  # element -> the pictures that have it, in the order in which they first came
    for i, elements in enumerate(frames):
        for e in elements:
            where.setdefault(e, [False] * len(frames))[i] = True
    out = [head]
    for background in (True, False):  # text lies on top of what is behind it
        groups = {}
        for e, shown in where.items():
            if e.startswith("<rect") == background:
                groups.setdefault(tuple(shown), []).append(e)
        for shown, elements in sorted(groups.items(), key=lambda g: -sum(g[0])):
            out += group(shown, ends, elements)
    text = "\n".join([*out, "</svg>", ""]).replace('dur="DUR"', f'dur="{total:g}s"')
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(re.sub(r"\n+", "\n", text))


main()
