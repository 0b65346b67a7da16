"""A small feed-forward block in Python, told in bricks. Watch it: rooftop -- python3 mlp.py"""

import math
import sys

import rooftop_brick as rooftop


def matvec(rows, x):
    n = len(rows) * len(x)
    with rooftop.kernel("matvec", grid=len(rows)) as t:
        y = [sum(a * b for a, b in zip(row, x)) for row in rows]
        t.work(len(y), 8 * n, 2 * n)  # every weight is read once; a product and a sum each
    return y


def weights(rows, columns, seed):
    return [
        [math.sin(seed + i * columns + j) / columns for j in range(columns)] for i in range(rows)
    ]


@rooftop.function
def forward(x, up, down):
    for i in range(2):
        with rooftop.layer(i):
            with rooftop.brick("UpProjection"):
                h = matvec(up, x)
            with rooftop.brick("SiLU") as t:
                h = [v / (1 + math.exp(-v)) for v in h]
                t.work(elements=len(h))
            with rooftop.brick("DownProjection"):
                x = matvec(down, h)
    return x


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    up, down = weights(128, 64, 1), weights(64, 128, 2)
    x = [1.0] * 64
    for _ in range(n):
        x = [0.5 * a + 1.0 for a in forward(x, up, down)]
        rooftop.tokens(1)
    print("%d passes, sum %.6f" % (n, sum(x)))
    if not rooftop.available():
        print("not recorded: " + rooftop.error())
        return
    for name in ("UpProjection", "SiLU", "DownProjection"):
        s = rooftop.brick(name).stats()
        print("%s calls %d elements %d" % (name, s.count, s.elements))


main()
