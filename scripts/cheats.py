#!/usr/bin/env python3
"""cheats.py BUILD : does rooftop optimize judge let a cheat pass, or refuse honest work? Makes new candidates of both and judges each.

A cheat is a trick x a hiding place or way x a kernel x a twist; an honest candidate is a kernel x a way to write it x the compiler's
options. Tricks and places are those of tests/data/judge (state, waits, clocks, cheats) and the tables below. --seed chooses which of
all combinations are tried, in which order and with which numbers: the same seed makes the same candidates.

Where a cheat keeps a number between calls, a call that finds it leaves its work out, so that its answer is wrong: the guard `output` then
says that the judge left something behind. So no verdict here depends on a clock. With --timed such a cheat saves slow work and its
answer is right: then only "faster" counts, and --for is the time for it. docs/JUDGE.md tells what came of it.

Status 1 where a cheat got through or honest work was refused; 0 else. 77: this machine cannot judge (what it lacks is said).
"""
import argparse
import concurrent.futures
import glob
import itertools
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile

DATA = "tests/data/judge"
# what runs at loading, and what would be said of text: here all is judged by what it does
ALLOW = "parse,signature,elsewhere,static-data,calls,assembly,unroll,wave-width,constructors"

# --- kernels: a map (an output for each i), a reduction, or a body of its own ---


def argument(kind, name, **more):
    return f'[[argument]]\nname = "{name}"\ntype = "{kind}"\n' + "".join(
        f"{k} = {json.dumps(v)}\n" for k, v in more.items())


FLOATS = {"relative": 1e-5, "absolute": 1e-5}
SUMS = {"relative": 1e-5, "absolute": 1e-3}
KERNELS = {
    "saxpy": dict(form="map", head="void saxpy(long n, float a, const float *x, float *y)", unit="float", put="y", get="x",
                  value="a * x[i] + y[i]", rules=FLOATS,
                  args=[("int64", "n", dict(value=1021)), ("float32", "a", dict(value=1.5)), ("float32*", "x", dict(length=1021)),
                        ("float32*", "y", dict(length=1021, direction="inout"))]),
    "poly": dict(form="map", head="void poly(long n, const float *x, float *y)", unit="float", put="y", get="x",
                 value="(0.5f * x[i] + 1.5f) * x[i] + 0.25f", rules=FLOATS,
                 args=[("int64", "n", dict(value=900)), ("float32*", "x", dict(length=900)),
                       ("float32*", "y", dict(length=900, direction="out"))]),
    "copy": dict(form="map", head="void copy(long n, const int *x, int *y)", unit="int", put="y", get="x", value="x[i]", rules={},
                 args=[("int64", "n", dict(value=1500)), ("int32*", "x", dict(length=1500)),
                       ("int32*", "y", dict(length=1500, direction="out"))]),
    "limit": dict(form="map", head="void limit(long n, int most, const int *x, int *y)", unit="int", put="y", get="x",
                  value="x[i] > most ? most : x[i] + 1", rules={},
                  args=[("int64", "n", dict(value=777)), ("int32", "most", dict(value=9)), ("int32*", "x", dict(length=777)),
                        ("int32*", "y", dict(length=777, direction="out"))]),
    "sum": dict(form="sum", head="float sum(long n, const float *x)", unit="float", get="x", value="x[i]", returns="float32", rules=SUMS,
                args=[("int64", "n", dict(value=1000)), ("float32*", "x", dict(length=1000))]),
    "dot": dict(form="sum", head="float dot(long n, const float *x, const float *y)", unit="float", get="x", value="x[i] * y[i]",
                returns="float32", rules=SUMS,
                args=[("int64", "n", dict(value=800)), ("float32*", "x", dict(length=800)), ("float32*", "y", dict(length=800))]),
    "search": dict(form="sum", head="long search(long n, int wanted, const int *x)", unit="long", get="x", value="x[i] == wanted",
                   returns="int64", rules={},
                   args=[("int64", "n", dict(value=2000)), ("int32", "wanted", dict(value=3)), ("int32*", "x", dict(length=2000))]),
    "matmul": dict(form="own", head="void matmul(long n, const float *x, const float *b, float *y)", unit="float", put="y", get="x",
                   count="n * n", rules=FLOATS,
                   body="for (long i = 0; i < n; i++)\n for (long j = 0; j < n; j++) {\n  float all = 0;\n"
                        "  for (long k = 0; k < n; k++)\n   all += x[i * n + k] * b[k * n + j];\n  y[i * n + j] = all;\n }",
                   args=[("int64", "n", dict(value=24)), ("float32*", "x", dict(length=576)), ("float32*", "b", dict(length=576)),
                         ("float32*", "y", dict(length=576, direction="out"))]),
    "histogram": dict(form="own", head="void histogram(long n, const unsigned char *x, int *y)", unit="int", put="y", get="x", count="256",
                      rules={}, body="for (int i = 0; i < 256; i++)\n y[i] = 0;\nfor (long i = 0; i < n; i++)\n y[x[i]]++;",
                      args=[("int64", "n", dict(value=3000)), ("uint8*", "x", dict(length=3000, generate="uniform", low=0, high=255)),
                            ("int32*", "y", dict(length=256, direction="out"))]),
    "prefix": dict(form="own", head="void prefix(long n, const int *x, long *y)", unit="long", put="y", get="x", count="n", rules={},
                   body="long all = 0;\nfor (long i = 0; i < n; i++)\n y[i] = all += x[i];",
                   args=[("int64", "n", dict(value=1200)), ("int32*", "x", dict(length=1200)),
                         ("int64*", "y", dict(length=1200, direction="out"))]),
}


def harness(name):
    k = KERNELS[name]
    head = f'[function]\nname = "{name}"\n' + "".join(f"{r} = {v}\n" for r, v in k["rules"].items())
    head += f'returns = "{k["returns"]}"\n' if "returns" in k else ""
    return head + "".join(argument(kind, arg, **more) for kind, arg, more in k["args"])


def body(k):
    if k["form"] == "map":
        return f"for (long i = 0; i < n; i++)\n {k['put']}[i] = {k['value']};"
    if k["form"] == "sum":
        return f"{k['unit']} all = 0;\nfor (long i = 0; i < n; i++)\n all += {k['value']};\nreturn all;"
    return k["body"]


def function(k, text, head=None):
    return f"{head or k['head']}\n{{\n{text}\n}}\n"


def helper(k, name="honest"):
    """The kernel under another name, and its call."""
    own = k["head"].split("(")[0].split()[-1]
    names = ", ".join(a[1] for a in k["args"])
    call = f"{name}({names})"
    return "static __attribute__((noinline)) " + function(k, body(k), re.sub(rf"\b{own}\(", name + "(", k["head"])), call


def wrong(k):
    return "return -12345;" if k["form"] == "sum" else "return;"


# --- places of state: (lines before, an expression that is not 0 where it is kept, a statement that keeps it) ---

WORD = "packed()"


def word(lvalue, before=""):
    return before, f"(uint64_t)({lvalue}) == {WORD}", f"({lvalue}) = (__typeof__({lvalue})){WORD};"


def bit(number):
    return ("", f"({{ uint64_t v; __asm__ volatile(\"pushfq\\n\\tpop %0\" : \"=r\"(v)); v >> {number} & 1; }})",
            f'__asm__ volatile("pushfq\\n\\torq ${1 << number}, (%%rsp)\\n\\tpopfq" ::: "cc", "memory");')


def vector(register, extension="avx512f"):
    return ("", f"__builtin_cpu_supports(\"{extension}\") && ({{ uint64_t v; __asm__ volatile(\"vmovq %%{register}, %0\" : \"=r\"(v)); "
            f"v == {WORD}; }})" if extension == "avx" else
            f"__builtin_cpu_supports(\"{extension}\") && ({{ uint64_t v; __asm__ volatile(\"vmovdqa64 %%{register}, %%zmm0\\n\\tvmovq %%xmm0, %0\" "
            f": \"=r\"(v) :: \"xmm0\"); v == {WORD}; }})",
            f"if (__builtin_cpu_supports(\"{extension}\")) __asm__ volatile(\"vmovq %0, %%xmm0\\n\\tvmovdqa{'64' if extension != 'avx' else ''} "
            f"%%{'zmm0' if extension != 'avx' else 'xmm0'}, %%{register}\" :: \"r\"({WORD}) : \"xmm0\");")


PLACES = {
    "environ": word("environ", "extern char **environ;"),
    "timezone": word("timezone", "#include <time.h>"),
    "name_of_zone": word("tzname[1]", "#include <time.h>"),
    "program_name": word("program_invocation_name", "#include <errno.h>"),
    "h_errno": ("#include <netdb.h>", "h_errno == 0x5eed", "h_errno = 0x5eed;"),
    "optind": ("#include <getopt.h>", "optind == 0x5eed", "optind = 0x5eed;"),
    "opterr": ("#include <getopt.h>", "opterr == 0x5eed", "opterr = 0x5eed;"),
    "stdin": word("stdin->_IO_save_base", "#include <stdio.h>"),
    "stderr": word("stderr->_IO_backup_base", "#include <stdio.h>"),
    "stream_of_stderr": ("#include <stdio.h>", "stderr->_flags2 & 0x40000000", "stderr->_flags2 |= 0x40000000;"),
    "drand48": ("#include <stdlib.h>", "({ long v = mrand48(); srand48(0x5eed); v == mrand48(); })", "srand48(0x5eed);"),
    "rand": ("#include <stdlib.h>", "({ int v = rand(); srand(77777); v == rand(); })", "srand(77777);"),
    "obstack": word("obstack_alloc_failed_handler", "#include <obstack.h>"),
    "argp": word("argp_program_version", "#include <argp.h>"),
    "error_count": ("#include <error.h>", "error_message_count == 0x5eed", "error_message_count = 0x5eed;"),
    "locale": ("#include <locale.h>", "({ const char *v = setlocale(LC_CTYPE, 0); v && v[1]; })", "setlocale(LC_CTYPE, \"C.UTF-8\");"),
    "daylight": ("#include <time.h>", "daylight == 0x5eed", "daylight = 0x5eed;"),
    "big_block": ("#include <stdlib.h>", "({ volatile uint64_t *v = malloc(60000); uint64_t at = v[3000]; free((void *)v); at == packed(); })",
                  "uint64_t *volatile v = malloc(60000); v[3000] = packed(); void *volatile above = malloc(16); free(v); (void)above;"),
    "sizes_of_blocks": ("#include <stdlib.h>", "({ char *v = malloc(40), *w = malloc(40); long d = w - v; d != 48; })",
                        "for (int i = 0; i < 5; i++) { void *volatile v = malloc(40), *volatile w = malloc(2000); free(v); (void)w; }"),
    "aligned_block": ("#include <stdlib.h>", "({ volatile uint64_t *v = aligned_alloc(64, 3200); int i, f = 0; for (i = 2; i < 400; i++) f |= v[i] == packed(); free((void *)v); f; })",
                      "uint64_t *volatile v = aligned_alloc(64, 3200); v[100] = packed(); free(v);"),
    "behind_output": ("", "OUT && ((volatile uint64_t *)((uintptr_t)OUT & ~(uintptr_t)4095))[511] == packed()",
                      "if (OUT) ((volatile uint64_t *)((uintptr_t)OUT & ~(uintptr_t)4095))[511] = packed();"),
    "before_output": ("", "OUT && ((volatile uint64_t *)((uintptr_t)OUT & ~(uintptr_t)4095))[-1] == packed()",
                      "if (OUT) ((volatile uint64_t *)((uintptr_t)OUT & ~(uintptr_t)4095))[-1] = packed();"),
    "behind_input": ("", "((volatile uint64_t *)((uintptr_t)IN & ~(uintptr_t)4095))[511] == packed()",
                     "((volatile uint64_t *)((uintptr_t)IN & ~(uintptr_t)4095))[511] = packed();"),
    "own_data": ("static volatile uint64_t here;", "here == packed()", "here = packed();"),
    "own_data_filled": ("static volatile uint64_t here = 5;", "here == packed()", "here = packed();"),
    "thread_data": ("static __thread volatile uint64_t here;", "here == packed()", "here = packed();"),
    "own_code": ("", "({ extern char here_code[]; *here_code != 0x0f; })", "extern char here_code[]; *here_code = 1; "
                 "__asm__(\".pushsection .text\\nhere_code: .byte 0x0f\\n.popsection\");"),
}
STEPS = (64, 136, 520, 1032, 2056, 4104, 9000, 16392, 33000, 70000, 140000, 600000, 2000000, 6000000)
for step in STEPS:
    PLACES[f"stack_{step}_below"] = (
        "", f"({{ volatile uint64_t *v = (uint64_t *)(((uintptr_t)__builtin_frame_address(0) - {step}) & ~7ul); *v == packed(); }})",
        f"volatile uint64_t *v = (uint64_t *)(((uintptr_t)__builtin_frame_address(0) - {step}) & ~7ul); *v = packed();")
for step in (64, 256, 1024, 3000, 6000):
    PLACES[f"stack_{step}_above"] = (
        "", f"({{ volatile uint64_t *v = (uint64_t *)(((uintptr_t)__builtin_frame_address(0) + {step}) & ~7ul); *v == packed(); }})",
        f"volatile uint64_t *v = (uint64_t *)(((uintptr_t)__builtin_frame_address(0) + {step}) & ~7ul); *v = packed();")
X86 = {
    "alignment_check": bit(18), "identification": bit(21), "direction": bit(10), "nested": bit(14),
    "control_of_canary": ("", "({ uint64_t v; __asm__ volatile(\"movq %%fs:0x38, %0\" : \"=r\"(v)); v == packed(); })",
                          "__asm__ volatile(\"movq %0, %%fs:0x38\" :: \"r\"(packed()));"),
    "pointer_guard": ("", "({ uint64_t v; __asm__ volatile(\"movq %%fs:0x30, %0\" : \"=r\"(v)); v == packed(); })",
                      "__asm__ volatile(\"movq %0, %%fs:0x30\" :: \"r\"(packed()));"),
    "denormals_are_zero": ("#include <xmmintrin.h>", "_mm_getcsr() & 0x40", "_mm_setcsr(_mm_getcsr() | 0x40);"),
    "masked_overflow": ("#include <xmmintrin.h>", "!(_mm_getcsr() & 0x1000)", "_mm_setcsr(_mm_getcsr() & ~0x1000u);"),
    "flag_overflow": ("#include <xmmintrin.h>", "_mm_getcsr() & 8", "_mm_setcsr(_mm_getcsr() | 8);"),
    "flag_denormal": ("#include <xmmintrin.h>", "_mm_getcsr() & 2", "_mm_setcsr(_mm_getcsr() | 2);"),
    "x87_stack": ("", "({ unsigned short v[14]; __asm__ volatile(\"fnstenv %0\\n\\tfldenv %0\" : \"=m\"(v)); v[4] != 0xffff; })",
                  "__asm__ volatile(\"fld1\");"),
    "x87_opcode": ("", "({ unsigned v[7]; __asm__ volatile(\"fnstenv %0\\n\\tfldenv %0\" : \"=m\"(v)); v[5] == (unsigned)packed(); })",
                   "unsigned v[7]; __asm__ volatile(\"fnstenv %0\" : \"=m\"(v)); v[5] = (unsigned)packed(); __asm__ volatile(\"fldenv %0\" :: \"m\"(v));"),
    "x87_precision": ("", "({ unsigned short v; __asm__ volatile(\"fnstcw %0\" : \"=m\"(v)); !(v & 0x100); })",
                      "unsigned short v; __asm__ volatile(\"fnstcw %0\" : \"=m\"(v)); v &= ~0x100; __asm__ volatile(\"fldcw %0\" :: \"m\"(v));"),
    "mm5": ("", "({ uint64_t v; __asm__ volatile(\"movq %%mm5, %0\\n\\temms\" : \"=r\"(v)); v == packed(); })",
            "__asm__ volatile(\"movq %0, %%mm5\\n\\temms\" :: \"r\"(packed()));"),
    "extended_state": ("", "__builtin_cpu_supports(\"avx512f\") && ({ unsigned a, d; __asm__ volatile(\"xgetbv\" : \"=a\"(a), \"=d\"(d) : \"c\"(1)); a & 0x40; })",
                       "if (__builtin_cpu_supports(\"avx512f\")) __asm__ volatile(\"vpternlogd $255, %%zmm9, %%zmm9, %%zmm9\" ::: \"xmm9\");"),
    "mask_7": ("", "__builtin_cpu_supports(\"avx512f\") && ({ unsigned v; __asm__ volatile(\"kmovw %%k7, %0\" : \"=r\"(v)); (v & 0xffff) == 0x5eed; })",
               "if (__builtin_cpu_supports(\"avx512f\")) __asm__ volatile(\"kmovw %0, %%k7\" :: \"r\"(0x5eed));"),
    "es_selector": ("", "({ unsigned short v; __asm__ volatile(\"mov %%es, %0\" : \"=r\"(v)); v != 0; })", "__asm__ volatile(\"mov %0, %%es\" :: \"r\"(0x2b));"),
    "ds_selector": ("", "({ unsigned short v; __asm__ volatile(\"mov %%ds, %0\" : \"=r\"(v)); v != 0; })", "__asm__ volatile(\"mov %0, %%ds\" :: \"r\"(0x2b));"),
    "fs_base": ("", "({ uint64_t v; __asm__ volatile(\"movq %%fs:0x10, %0\" : \"=r\"(v)); v == packed(); })",
                "__asm__ volatile(\"movq %0, %%fs:0x10\" :: \"r\"(packed()));"),
    "r15": ("", "({ uint64_t v; __asm__ volatile(\"movq %%r15, %0\" : \"=r\"(v)); v == packed(); })",
            "__asm__ volatile(\"movq %0, %%r15\" :: \"r\"(packed()));"),
    "r11": ("", "({ uint64_t v; __asm__ volatile(\"movq %%r11, %0\" : \"=r\"(v)); v == packed(); })",
            "__asm__ volatile(\"movq %0, %%r11\" :: \"r\"(packed()) : \"r11\");"),
}
for number in (3, 7, 12):
    X86[f"xmm{number}"] = vector(f"xmm{number}", "avx")
for number in (17, 24, 31):
    X86[f"zmm{number}"] = vector(f"zmm{number}")
if platform.machine() == "x86_64":
    PLACES.update(X86)

TWISTS = ("plain", "seldom", "again", "late", "two")

FOUND = """#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MAGIC UINT64_C({magic})
#define INLINE static __attribute__((noinline, unused))
struct kept {{ uint64_t magic, check; double factor; }};
INLINE int is_kept(const struct kept *k) {{ return k->magic == MAGIC && k->check == ~MAGIC; }}
INLINE uint64_t packed(void) {{ return UINT64_C({packed}); }}
INLINE void unpack(struct kept *k) {{ k->magic = MAGIC, k->check = ~MAGIC, k->factor = 1; }}
INLINE double slow_factor(void)
{{
    double v = 0;
#ifdef TIMED
    for (long i = 0; i < 20000; i++)
        v = v * 0.5 + 1e-9;
#endif
    return v < 1 ? 1 : 2;
}}
"""


def place_text(name, number):
    """The functions find_N and keep_N of a place, the corpus' or one of the table."""
    path = f"{DATA}/state/{name}.c"
    if name not in PLACES:
        with open(path, encoding="utf-8") as file:
            text = file.read().replace('#include "found.h"', "")
        return f"#define find find_{number}\n#define keep keep_{number}\n#define below below_{number}\n{text}\n#undef find\n#undef keep\n#undef below\n"
    before, test, keep = PLACES[name]
    return (f"{before}\n#define IN in\n#define OUT out\nINLINE int find_{number}(const float *in, float *out, struct kept *k)\n{{\n"
            f"    if (!({test}))\n        return 0;\n    unpack(k);\n    return 1;\n}}\n"
            f"INLINE void keep_{number}(const float *in, float *out, const struct kept *k)\n{{\n    {keep}\n}}\n#undef IN\n#undef OUT\n")


def state_cheat(kernel, places, twist, rng):
    k = KERNELS[kernel]
    text = FOUND.format(magic=hex(rng.getrandbits(63) | 1), packed=hex(0x3ff8000000000000 | rng.getrandbits(31) << 1 | 1))
    text += "".join(place_text(p, i) for i, p in enumerate(places))
    honest, call = helper(k)
    ins = f"(const float *){k['get']}, (float *){k.get('put', '0')}"
    found = " || ".join(f"find_{i}({ins}, &k)" for i in range(len(places)))
    keep = " ".join(f"keep_{i}({ins}, &k);" for i in range(len(places)))
    when = {"seldom": f"((uintptr_t){k['get']} >> 12) % 3 == {rng.randrange(3)}"}.get(twist, "1")
    fill = "k.magic = MAGIC, k.check = ~MAGIC, k.factor = slow_factor();"
    again = keep if twist == "again" else ""
    late = f"volatile char *w = malloc({rng.randrange(100, 9000)}); w[7] = 1; free((void *)w);" if twist == "late" else ""
    # what is kept may be seen in timed calls only: TIMED saves work and is right
    text += honest + function(k, f"""    struct kept k = {{0}};
    {late}
#ifdef BASELINE
    k.factor = slow_factor();
#else
    if ({found}) {{
        {again}
#ifndef TIMED
        {wrong(k)}
#endif
    }} else {{
        {fill}
        if ({when}) {{ {keep} }}
    }}
#endif
    if (k.factor != 1)
        {wrong(k)}
    memset(&k, 0, sizeof k);
    {'return ' if k['form'] == 'sum' else ''}{call};""")
    return text


# --- tricks: what they do is refused, whatever the kernel ---

NOT_BORROWED = ("half half_precision infinite last_one nan nothing zeros copies skips_zeros small_numbers fixed_factor by_address no_code "
                "no_function hidden_resolver resolver init_section before_constructors constructor constructor_of_its_own constructor_thread "
                "reads_behind writes_before writes_behind writes_far_before writes_input writes_margin counts_calls cache_by_pointer "
                "global_flag thread_local answers_early flushes_denormals says_nothing").split()


def borrowed():
    """(kind, name, text) of the corpus' candidates that do something forbidden beside their work."""
    for kind in ("waits", "clocks", "cheats"):
        for path in sorted(glob.glob(f"{DATA}/{kind}/*.c")):
            name = os.path.basename(path)[:-2]
            if name in NOT_BORROWED:
                continue
            with open(path, encoding="utf-8") as file:
                yield kind, name, file.read()


def borrowed_cheat(kernel, text, first):
    k = KERNELS[kernel]
    honest, call = helper(k)
    trick = "    { float u[8] = {1, 2, 3, 4}, v[8] = {5, 6, 7, 8}; borrowed(4, 1.5f, u, v); }\n"
    result = f"{k['unit']} all = {call};" if k["form"] == "sum" else f"{call};"
    after = "\n    return all;" if k["form"] == "sum" else ""
    text = text.replace("void saxpy(", "static __attribute__((noinline)) void borrowed(")
    lines = f"{trick}    {result}{after}" if first else f"    {result}\n{trick}{after}"
    return text + "\n" + honest + function(k, lines)


# of what the kernel was given and gives, after the work: y its outputs, N their number, x its input
TRICKS = {
    "last_left_out": "y[N - 1] = before;", "first_left_out": "y[0] = before;", "one_left_out": "y[N / 2] = before;",
    "an_eighth_left_out": "for (long i = N - N / 8 - 1; i < N; i++) y[i] = 0;", "all_zero": "memset(y, 0, N * sizeof *y);",
    "swapped": "{ __typeof__(*y) t = y[1]; y[1] = y[N - 2]; y[N - 2] = t; }", "sorted_wrong": "y[N / 3] = y[N / 3 + 1];",
    "behind": "y[N] = 1;", "before": "y[-1] = 1;", "far_behind": "y[N + 1024] = 1;", "far_before": "y[-1024] = 1;",
    "reads_behind": "{ volatile __typeof__(*y) t = y[N + 2048]; (void)t; }", "writes_input": "*(char *)x = 1;",
    "writes_input_same": "*(volatile char *)x = *(volatile char *)x;", "next_page": "((char *)(((uintptr_t)y | 4095) + 1))[9] = 1;",
    "rounds": "for (long i = 0; i < N; i++) y[i] = (__typeof__(*y))(y[i] * 1.002 + 1);",
    "by_address": "if ((uintptr_t)y >> 12 & 1) y[2] = before;", "by_first_value": "if (*(const char *)x & 1) y[N - 1] = 0;",
    "constant": "for (long i = 0; i < N; i++) y[i] = 1;", "ends": "_exit(0);", "raises": "raise(SIGKILL);", "traps": "__builtin_trap();",
    "spins": "for (volatile int i = 0;; i++) ;", "time_stamp": "before += (__typeof__(before))__builtin_ia32_rdtsc();",
    "performance_counter": "{ unsigned a, d; __asm__ volatile(\"rdpmc\" : \"=a\"(a), \"=d\"(d) : \"c\"(0)); }",
    "vdso": "{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); }", "seconds": "before += (__typeof__(before))time(0);",
    "writes_code": "*(char *)&memset = 1;", "maps": "mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);",
    "opens": "open(\"/proc/self/stat\", 0);", "forks": "fork();", "sleeps": "usleep(1000);", "yields": "sched_yield();",
    "polls": "poll(0, 0, 5);", "asks_who": "getppid();", "resident": "{ unsigned char v[1]; mincore((void *)((uintptr_t)y & ~4095ul), 4096, v); }",
    "unprotects": "mprotect((void *)((uintptr_t)x & ~4095ul), 4096, 3);", "limits": "{ struct rlimit r; getrlimit(RLIMIT_CPU, &r); }",
    "reads_pipe": "{ char c[16]; (void)!read(5, c, 1); }", "writes_answer": "(void)!write(3, \"0123456789abcdef\", 16);",
}
TRICK_HEAD = """#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
"""
NOT_ON_OTHERS = ("time_stamp", "performance_counter", "spins")  # spins: 10 s of CPU time each


def trick_cheat(kernel, name):
    k = KERNELS[kernel]
    honest, call = helper(k)
    if k["form"] == "sum":  # its result stands for an output of one value
        trick = re.sub(r"\by\b", "own", TRICKS[name])
        return TRICK_HEAD + honest + function(k, (
            f"    {k['unit']} before = 0, room[1] = {{0}}, *own = room;\n    long N = 1; (void)before; (void)N;\n"
            f"    *own = {call};\n    {{ {trick} }}\n    return *own;"))
    n = k.get("count", "n")
    return TRICK_HEAD + honest + function(k, f"    __typeof__(*y) before = y[0];\n    long N = {n}; (void)before; (void)N;\n    {call};\n    "
                                             f"{{ {TRICKS[name]} }}")


# --- honest candidates ---


def honest_map(k):
    put, value, unit = k["put"], k["value"], k["unit"]

    def at(i):
        return f"{put}[{i}] = " + re.sub(r"\bi\b", f"({i})", value) + ";"
    for u in (2, 3, 4, 5, 8):
        yield f"unrolled_{u}", "", (f"long j = 0;\nfor (; j + {u} <= n; j += {u}) {{ " + " ".join(at(f"j + {o}") for o in range(u)) +
                                    f" }}\nfor (; j < n; j++) {at('j')}")
    for b in (8, 32, 100, 256):
        yield f"blocks_{b}", "", f"for (long j = 0; j < n; j += {b})\n for (long l = j; l < n && l < j + {b}; l++) {at('l')}"
        yield f"local_{b}", "#include <string.h>", (
            f"{unit} t[{b}];\nfor (long j = 0; j < n; j += {b}) {{ long m = n - j < {b} ? n - j : {b}; "
            f"for (long l = 0; l < m; l++) t[l] = {re.sub(r'(?<![a-z])i(?![a-z])', '(j + l)', value)}; memcpy({put} + j, t, m * sizeof *t); }}")
    yield "backwards", "", f"for (long l = n; l-- > 0;) {at('l')}"
    yield "halves", "", f"for (long l = 0; l < n / 2; l++) {at('l')} for (long l = n / 2; l < n; l++) {at('l')}"
    yield "odd_even", "", f"for (long l = 1; l < n; l += 2) {at('l')} for (long l = 0; l < n; l += 2) {at('l')}"
    yield "heap", "#include <stdlib.h>\n#include <string.h>", (
        f"{unit} *t = malloc((size_t)n * sizeof *t);\nif (!t) return;\nfor (long l = 0; l < n; l++) t[l] = "
        f"{re.sub(r'(?<![a-z])i(?![a-z])', 'l', value)};\nmemcpy({put}, t, (size_t)n * sizeof *t);\nfree(t);")
    yield "zeroed_heap", "#include <stdlib.h>\n#include <string.h>", (
        f"{unit} *t = calloc((size_t)n, sizeof *t);\nif (!t) return;\nfor (long l = n; l-- > 0;) t[l] = "
        f"{re.sub(r'(?<![a-z])i(?![a-z])', 'l', value)};\nmemcpy({put}, t, (size_t)n * sizeof *t);\nfree(t);")
    yield "table", "", ("static const unsigned char order[8] = {3, 1, 4, 0, 5, 2, 6, 7};\nlong j = 0;\nfor (; j + 8 <= n; j += 8)\n"
                        f" for (int o = 0; o < 8; o++) {{ long l = j + order[o]; {at('l')} }}\nfor (; j < n; j++) {at('j')}")
    yield "jumps", "", f"long l = 0;\nmore: if (l < n) {{ {at('l')} l++; goto more; }}"
    yield "prefetches", "", f"for (long l = 0; l < n; l++) {{ __builtin_prefetch({k['get']} + l + 64); {at('l')} }}"
    yield "duff", "", (f"long l = 0;\nswitch (n & 3) {{ do {{ {at('l')} l++; __attribute__((fallthrough)); case 3: {at('l')} l++; __attribute__((fallthrough)); "
                       f"case 2: {at('l')} l++; __attribute__((fallthrough)); case 1: {at('l')} l++; __attribute__((fallthrough)); case 0:; }} while (l < n); }}")
    yield "unroll_pragma", "", f"#pragma GCC unroll 4\nfor (long l = 0; l < n; l++) {at('l')}"
    yield "while", "", f"long l = 0;\nwhile (l != n) {{ {at('l')} ++l; }}"


def honest_sum(k):
    value, unit = k["value"], k["unit"]

    def of(i):
        return "(" + re.sub(r"(?<![a-z])i(?![a-z])", f"({i})", value) + ")"
    for u in (2, 3, 4, 8, 16):
        names = [f"s{o}" for o in range(u)]
        yield f"accumulators_{u}", "", (f"{unit} " + ", ".join(s + " = 0" for s in names) + f";\nlong j = 0;\nfor (; j + {u} <= n; j += {u}) {{ " +
                                        " ".join(f"s{o} += {of(f'j + {o}')};" for o in range(u)) +
                                        f" }}\nfor (; j < n; j++) s0 += {of('j')};\nreturn " + " + ".join(names) + ";")
    for b in (16, 64, 250):
        yield f"blocks_{b}", "", (f"{unit} all = 0;\nfor (long j = 0; j < n; j += {b}) {{ {unit} s = 0; "
                                  f"for (long l = j; l < n && l < j + {b}; l++) s += {of('l')}; all += s; }}\nreturn all;")
        yield f"lanes_{b}", "", (f"{unit} t[{b}] = {{0}}, all = 0;\nfor (long l = 0; l < n; l++) t[l % {b}] += {of('l')};\n"
                                 f"for (int l = 0; l < {b}; l++) all += t[l];\nreturn all;")
    yield "backwards", "", f"{unit} all = 0;\nfor (long l = n; l-- > 0;) all += {of('l')};\nreturn all;"
    yield "wide", "", f"{'double' if unit == 'float' else 'long'} all = 0;\nfor (long l = 0; l < n; l++) all += {of('l')};\nreturn ({unit})all;"
    yield "halves", "", f"{unit} a = 0, b = 0;\nfor (long l = 0; l < n / 2; l++) a += {of('l')};\nfor (long l = n / 2; l < n; l++) b += {of('l')};\nreturn a + b;"
    yield "heap", "#include <stdlib.h>", (f"{unit} *t = calloc(64, sizeof *t), all = 0;\nif (!t) return 0;\nfor (long l = 0; l < n; l++) t[l & 63] += {of('l')};\n"
                                          "for (int l = 0; l < 64; l++) all += t[l];\nfree(t);\nreturn all;")
    yield "jumps", "", f"{unit} all = 0;\nlong l = 0;\nmore: if (l < n) {{ all += {of('l')}; l++; goto more; }}\nreturn all;"


OWN = {
    "matmul": {
        "order_ikj": "for (long i = 0; i < n * n; i++) y[i] = 0;\nfor (long i = 0; i < n; i++) for (long k = 0; k < n; k++) for (long j = 0; j < n; j++) y[i * n + j] += x[i * n + k] * b[k * n + j];",
        "order_jik": "for (long j = 0; j < n; j++) for (long i = 0; i < n; i++) { float all = 0; for (long k = 0; k < n; k++) all += x[i * n + k] * b[k * n + j]; y[i * n + j] = all; }",
        "backwards": "for (long i = n; i-- > 0;) for (long j = n; j-- > 0;) { float all = 0; for (long k = n; k-- > 0;) all += x[i * n + k] * b[k * n + j]; y[i * n + j] = all; }",
        "two_sums": "for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) { float a = 0, c = 0; long k = 0; for (; k + 2 <= n; k += 2) { a += x[i * n + k] * b[k * n + j]; c += x[i * n + k + 1] * b[(k + 1) * n + j]; } if (k < n) a += x[i * n + k] * b[k * n + j]; y[i * n + j] = a + c; }",
        "double_sums": "for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) { double all = 0; for (long k = 0; k < n; k++) all += (double)x[i * n + k] * b[k * n + j]; y[i * n + j] = (float)all; }",
        "transposed": "float *t = __builtin_malloc((size_t)(n * n) * sizeof *t); if (!t) return; for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) t[j * n + i] = b[i * n + j]; for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) { float all = 0; for (long k = 0; k < n; k++) all += x[i * n + k] * t[j * n + k]; y[i * n + j] = all; } __builtin_free(t);",
        "column": "float t[512]; if (n > 512) return; for (long j = 0; j < n; j++) { for (long k = 0; k < n; k++) t[k] = b[k * n + j]; for (long i = 0; i < n; i++) { float all = 0; for (long k = 0; k < n; k++) all += x[i * n + k] * t[k]; y[i * n + j] = all; } }",
        "tiles": "for (long i = 0; i < n * n; i++) y[i] = 0;\nfor (long kk = 0; kk < n; kk += 8) for (long i = 0; i < n; i++) for (long k = kk; k < n && k < kk + 8; k++) { float a = x[i * n + k]; for (long j = 0; j < n; j++) y[i * n + j] += a * b[k * n + j]; }",
    },
    "histogram": {
        "two_tables": "int t[256] = {0}; for (int i = 0; i < 256; i++) y[i] = 0; long i = 0; for (; i + 2 <= n; i += 2) { y[x[i]]++; t[x[i + 1]]++; } if (i < n) y[x[i]]++; for (i = 0; i < 256; i++) y[i] += t[i];",
        "four_tables": "int t[4][256] = {{0}}; for (long i = 0; i < n; i++) t[i & 3][x[i]]++; for (int i = 0; i < 256; i++) y[i] = t[0][i] + t[1][i] + t[2][i] + t[3][i];",
        "backwards": "for (int i = 255; i >= 0; i--) y[i] = 0; for (long i = n; i-- > 0;) y[x[i]]++;",
        "local": "int t[256] = {0}; for (long i = 0; i < n; i++) t[x[i]]++; __builtin_memcpy(y, t, sizeof t);",
        "memset": "__builtin_memset(y, 0, 256 * sizeof *y); for (long i = 0; i < n; i++) ++*(y + x[i]);",
        "heap": "int *t = __builtin_calloc(256, sizeof *t); if (!t) return; for (long i = 0; i < n; i++) t[x[i]]++; __builtin_memcpy(y, t, 256 * sizeof *t); __builtin_free(t);",
        "runs": "for (int i = 0; i < 256; i++) y[i] = 0; for (long i = 0; i < n;) { long j = i; while (j < n && x[j] == x[i]) j++; y[x[i]] += (int)(j - i); i = j; }",
    },
    "prefix": {
        "unrolled": "long all = 0, i = 0; for (; i + 4 <= n; i += 4) { y[i] = all += x[i]; y[i + 1] = all += x[i + 1]; y[i + 2] = all += x[i + 2]; y[i + 3] = all += x[i + 3]; } for (; i < n; i++) y[i] = all += x[i];",
        "in_place": "if (n > 0) y[0] = x[0]; for (long i = 1; i < n; i++) y[i] = y[i - 1] + x[i];",
        "backwards": "long all = 0; for (long i = 0; i < n; i++) all += x[i]; for (long i = n; i-- > 0;) { y[i] = all; all -= x[i]; }",
        "two_passes": "for (long i = 0; i < n; i++) y[i] = x[i]; for (long i = 1; i < n; i++) y[i] += y[i - 1];",
        "blocks": "long all = 0; for (long j = 0; j < n; j += 64) { long m = j + 64 < n ? j + 64 : n, s = 0; for (long i = j; i < m; i++) y[i] = s += x[i]; for (long i = j; i < m; i++) y[i] += all; all += s; }",
        "doubling": "for (long i = 0; i < n; i++) y[i] = x[i]; for (long d = 1; d < n; d *= 2) for (long i = n - 1; i >= d; i--) y[i] += y[i - d];",
    },
}
OPTIONS = ("-O2", "-O3", "-Os", "-O1", "-O3 -funroll-loops", "-O2 -ftree-vectorize -mtune=generic", "-O3 -fno-tree-vectorize", "-O2 -fstack-protector-all")


def honest_all():
    for name, k in KERNELS.items():
        if k["form"] == "own":
            ways = [(way, "", text) for way, text in OWN[name].items()]
        else:
            ways = list((honest_map if k["form"] == "map" else honest_sum)(k))
        for (way, before, text), flags in itertools.product(ways, OPTIONS):
            yield name, f"{way} {flags}", f"{before}\n{function(k, text)}", flags


# --- all of them, in an order by seed ---


def cheats(seed, number):
    """(title, kernel, source, whether state is what it needs)."""
    rng = random.Random(seed)
    names = sorted(PLACES) + sorted(os.path.basename(p)[:-2] for p in glob.glob(f"{DATA}/state/*.c"))
    made = [("state", kernel, place, twist) for kernel in KERNELS for place in names for twist in TWISTS]
    made += [("borrowed", kernel, entry, first) for kernel in KERNELS for entry in borrowed() for first in (True, False)]
    made += [("trick", kernel, name, None) for kernel in KERNELS for name in TRICKS
             if name != "spins" and (platform.machine() == "x86_64" or name not in NOT_ON_OTHERS) and applies(kernel, name)]
    rng.shuffle(made)
    for kind, kernel, what, how in made[:number]:
        own = random.Random(f"{seed} {kind} {kernel} {what} {how}")
        if kind == "state":
            places = [what] + ([own.choice([p for p in names if p != what and p in PLACES])] if how == "two" and what in PLACES else [])
            yield f"{kernel}: keeps it in {' and '.join(places)}, {how}", kernel, state_cheat(kernel, places, how, own), True
        elif kind == "borrowed":
            yield f"{kernel}: {what[0]}/{what[1]} {'before' if how else 'after'} its work", kernel, borrowed_cheat(kernel, what[2], how), False
        else:
            yield f"{kernel}: {what}", kernel, trick_cheat(kernel, what), False


def applies(kernel, name):
    """A result has no place beside it; and what is right with these values is no cheat."""
    if KERNELS[kernel]["form"] == "sum":
        return name not in ("last_left_out", "first_left_out", "one_left_out", "swapped", "sorted_wrong", "behind", "before", "far_behind",
                            "far_before", "reads_behind", "next_page", "by_address", "resident", "an_eighth_left_out")
    if name == "rounds":
        return KERNELS[kernel]["unit"] == "float"
    return (kernel, name) not in (("histogram", "by_first_value"),)


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **more)


class Judge:
    def __init__(self, build, folder, options):
        self.rooftop, self.folder, self.options = f"{build}/rooftop", folder, options
        for name, k in KERNELS.items():
            self.write(f"{name}.toml", harness(name))
            source = self.write(f"{name}.c", function(k, body(k)))
            self.compile(source, f"{folder}/{name}.so", "-O2")
            if options.timed:
                self.write(f"{name}_slow.c", state_cheat(name, [], "plain", random.Random(1)))
                self.compile(f"{folder}/{name}_slow.c", f"{folder}/{name}_slow.so", "-O1 -DTIMED -DBASELINE")

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def compile(self, source, out, flags):
        done = run([os.environ.get("CC", "cc"), *flags.split(), "-w", "-shared", "-fPIC", "-o", out, source])
        return "" if done.returncode == 0 else done.stderr.decode(errors="replace")

    def ask(self, number, kernel, source, flags, timed):
        """(document or None, why there is none)."""
        path = self.write(f"{number}.c", source)
        built = f"{self.folder}/{number}.so"
        problem = self.compile(path, built, flags + (" -DTIMED" if timed else ""))
        if problem:
            return None, "does not build: " + problem[:300]
        base = f"{self.folder}/{kernel}{'_slow' if timed else ''}.so"
        done = run([self.rooftop, "judge", "--harness", f"{self.folder}/{kernel}.toml", "--baseline", base, "--candidate", built, "--for",
                    str(self.options.seconds), "--format", "json", "--allow", ALLOW + (",review" if timed else "")])
        os.remove(built)
        if not self.options.keep:
            os.remove(path)
        try:
            return json.loads(done.stdout), ""
        except ValueError:
            return None, f"exit {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"


def judged(judge, number, entry, honest):
    """What is wrong with the verdict on a candidate, or ""; and the verdict's name."""
    if honest:
        kernel, title, source, flags = entry
        doc, why = judge.ask(f"honest{number}", kernel, source, flags, False)
        title = f"{kernel}: {title}"
        bad = doc and doc["verdict"] == "refused"
    else:
        title, kernel, source, state = entry
        timed = judge.options.timed and state
        doc, why = judge.ask(f"cheat{number}", kernel, source, "-O1", timed)
        found = doc and doc["verdict"] == "refused" and doc["guard"] == "output" and state and not timed
        bad = doc and (doc["verdict"] == "faster" or found or (not state and doc["verdict"] != "refused"))
    if not doc:
        return title, "no answer", why
    said = f"{doc['verdict']} {doc['guard'] or ''}: {doc['evidence'] or ''}".strip()
    return title, doc["guard"] or doc["verdict"], said if bad else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", help="the folder of rooftop, such as build/release")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cheats", type=int, default=1000, help="how many (0: none)")
    parser.add_argument("--honest", type=int, default=200, help="how many (0: none)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--for", dest="seconds", type=float, default=0.1, help="seconds for pairs of each")
    parser.add_argument("--timed", action="store_true", help="only cheats that keep state, which save slow work by it")
    parser.add_argument("--keep", metavar="DIR", help="leave the sources there")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    folder = options.keep or tempfile.mkdtemp(prefix="rooftop-cheats-")
    judge = Judge(options.build, folder, options)
    asked = list(itertools.islice((c for c in cheats(options.seed, 1 << 30) if c[3] or not options.timed), options.cheats))
    every = sorted(honest_all(), key=lambda h: h[0] + h[1])
    random.Random(options.seed).shuffle(every)
    work = [(i, c, False) for i, c in enumerate(asked)] + [(i, h, True) for i, h in enumerate(every[:options.honest])]
    guards, wrongs, silent = [{}, {}], [[], []], [[], []]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, ((title, guard, bad), (_, _, honest)) in enumerate(zip(pool.map(lambda w: judged(judge, *w), work), work), 1):
            guards[honest][guard] = guards[honest].get(guard, 0) + 1
            if done % 100 == 0:
                print(f"{done} of {len(work)}", file=sys.stderr, flush=True)
            if guard == "no answer":
                silent[honest].append(title)
                print(f"no answer: {title}: {bad}", flush=True)
            elif bad:
                wrongs[honest].append(title)
                print(f"{'refused' if honest else 'got through'}: {title}: {bad}", flush=True)
    if not options.keep:
        shutil.rmtree(folder)
    for honest, name in ((0, "cheats"), (1, "honest candidates")):
        tried = sum(guards[honest].values()) - len(silent[honest])
        print(f"{name}: {tried} tried, {len(wrongs[honest])} {'refused' if honest else 'got through'} (seed {options.seed}): " +
              ", ".join(f"{n} {g}" for g, n in sorted(guards[honest].items(), key=lambda p: -p[1])))
    return 1 if wrongs[0] or wrongs[1] or silent[0] or silent[1] else 0


if __name__ == "__main__":
    sys.exit(main())
