#!/usr/bin/env python3
"""bench/big_program.py DIRECTORY [UNITS]: makes a C++ program of about 100 MB, most of it debug information, to measure
symbols with: templates, inlining in several levels, many files. Prints its path. It is made once and kept in DIRECTORY.
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FUNCTIONS = 60  # in a unit
HEADER = """
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>
template <int N> struct lane {
    double v[8];
    inline double fold(double x) const { double s = x; for (int i = 0; i < 8; i++) s += v[i] * (x + N); return s; }
    inline lane scaled(double k) const { lane r = *this; for (auto &x : r.v) x *= k; return r; }
};
template <int N> inline double kernel(const std::vector<double> &in, double k)
{
    lane<N> l{{1, 2, 3, 4, 5, 6, 7, N}};
    double sum = 0;
    for (double x : in)
        sum += x > N ? l.scaled(k).fold(x) : l.fold(x * k);
    return sum;
}
"""


def unit(number):
    lines = ['#include "big.h"', f"namespace unit{number} {{"]
    for i in range(FUNCTIONS):
        n = number * FUNCTIONS + i
        lines += [
            f"struct part{i} {{ int key; double weight; std::string label; double run(std::vector<double> &d, int n); }};",
            f"double part{i}::run(std::vector<double> &d, int n) {{",
            f"    d.push_back(kernel<{n}>(d, weight));",
            "    std::sort(d.begin(), d.end(), [n](double a, double b) { return a * n < b; });",
            f"    std::map<int, part{i}> m; m[n] = *this; label += 'x';",
            f"    if (n > {i}) return kernel<{n + 1}>(d, m.begin()->second.weight) + n;",
            "    return d.front(); }",
        ]
    calls = " + ".join(f"part{i}{{{i}, 1.5, \"p\"}}.run(d, n)" for i in range(FUNCTIONS))
    return "\n".join(lines + [f"double all(std::vector<double> &d, int n) {{ return {calls}; }}", "}"]) + "\n"


def main():
    directory, units = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
    program = f"{directory}/big-{units}"
    if not os.path.exists(program):
        os.makedirs(directory, exist_ok=True)
        with open(f"{directory}/big.h", "w", encoding="ascii") as file:
            file.write(HEADER)
        with open(f"{directory}/main.cpp", "w", encoding="ascii") as file:
            file.write('#include "big.h"\n')
            file.writelines(f"namespace unit{i} {{ double all(std::vector<double> &, int); }}\n" for i in range(units))
            file.write("int main(int argc, char **) { std::vector<double> d(9); double s = 0;\n")
            file.writelines(f"s += unit{i}::all(d, argc);\n" for i in range(units))
            file.write("return s > 1e300; }\n")
        for i in range(units):
            with open(f"{directory}/unit{i}.cpp", "w", encoding="ascii") as file:
                file.write(unit(i))
        names = ["main"] + [f"unit{i}" for i in range(units)]

        def build(name):
            subprocess.run(["c++", "-O2", "-g", "-c", f"{name}.cpp", "-o", f"{name}.o"], cwd=directory, check=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(build, names))
        subprocess.run(["c++", *(f"{name}.o" for name in names), "-o", os.path.basename(program)], cwd=directory,
                       check=True)
        for name in names:
            os.remove(f"{directory}/{name}.o")
    print(program)


if __name__ == "__main__":
    main()
