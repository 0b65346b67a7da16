#include "hot_scene.h"

#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 8192, PLACES_MAX = 8192 };

/* --- random ones --- */

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static int32_t child_of(struct hot_stacks *p, struct hot_node *nodes, int32_t parent,
                        uint32_t symbol)
{
    for (size_t i = 0; i < p->nnodes; i++)
        if (nodes[i].parent == parent && nodes[i].symbol == symbol)
            return (int32_t)i;
    if (p->nnodes == NODES_MAX)
        return parent;
    nodes[p->nnodes] = (struct hot_node){.parent = parent, .symbol = symbol};
    return (int32_t)p->nnodes++;
}

struct hot_stacks *random_stacks(struct arena *a, unsigned seed, int nsymbols, int nstacks,
                                 int depth)
{
    static const char *const modules[] = {"a.out", "libc.so.6", "[kernel]"};
    static const char *const files[] = {"", "a.c", "b.c"};
    struct hot_stacks *p = arena_alloc(a, sizeof *p);
    struct hot_symbol *symbols = arena_alloc(a, (size_t)nsymbols * sizeof *symbols);
    struct hot_node *nodes = arena_alloc(a, NODES_MAX * sizeof *nodes);
    struct hot_place *places = arena_alloc(a, PLACES_MAX * sizeof *places);
    unsigned first = next(&seed) % 5; /* begins with another function each time */
    for (int i = 0; i < nsymbols; i++) {
        unsigned id = (unsigned)(i * 7) + first;
        symbols[i] =
            (struct hot_symbol){.name = arena_printf(a, "f%u", id / 2 % (unsigned)nsymbols),
                                .module = modules[id % 3],
                                .path = "/bin/a.out",
                                .file = files[id % 3],
                                .inlined = i % 2};
    }
    for (int s = 0; s < nstacks; s++) {
        int32_t at = -1;
        int frames = 1 + (int)(next(&seed) % (unsigned)depth);
        for (int f = 0; f < frames; f++)
            at = child_of(p, nodes, at, next(&seed) % (unsigned)nsymbols);
        unsigned n = 1 + next(&seed) % 9;
        nodes[at].self += n;
        p->samples += n;
        if (p->nplaces < PLACES_MAX)
            places[p->nplaces++] = (struct hot_place){.symbol = nodes[at].symbol,
                                                      .samples = n,
                                                      .address = next(&seed) % 16,
                                                      .file = files[next(&seed) % 3],
                                                      .line = (int)(next(&seed) % 4)};
    }
    p->event = "cpu-clock";
    p->hz = 997;
    p->seconds = 1;
    p->lost = next(&seed) % 3;
    p->symbols = symbols, p->nsymbols = (size_t)nsymbols;
    p->nodes = nodes, p->places = places;
    return p;
}

/* --- a program --- */

#define BINARY "/home/someone/gemm/gemm"
#define LIBC   "/usr/lib/libc.so.6"
enum { MAIN, START, WORKER, MULTIPLY, KERNEL, FMA, PACK, MEMCPY, FAULT, CLEAR, JIT, UNKNOWN, VDSO };

static const struct hot_symbol program[] = {
    [MAIN] = {"main", "gemm", BINARY, "src/main.c", 41, 0x1180, 0x220, HOT_USER, false},
    [START] = {"_start", "gemm", BINARY, "", 0, 0x1100, 0x26, HOT_USER, false},
    [WORKER] = {"worker(void*)", "gemm", BINARY, "src/worker.cpp", 17, 0x1500, 0x140, HOT_USER,
                false},
    [MULTIPLY] = {"gemm::multiply<float, 8, 6>(gemm::tile const&, float const*, float*)", "gemm",
                  BINARY, "tests/data/code/gemm.cpp", 88, 0x1640, 0x4c0, HOT_USER, false},
    [KERNEL] = {"gemm::microkernel", "gemm", BINARY, "tests/data/code/gemm.cpp", 31, 0, 0, HOT_USER,
                true},
    [FMA] = {"_mm256_fmadd_ps", "gemm", BINARY, "fmaintrin.h", 63, 0, 0, HOT_USER, true},
    [PACK] = {"gemm::pack_b", "gemm", BINARY, "src/pack.cpp", 12, 0x1b00, 0x180, HOT_USER, false},
    [MEMCPY] = {"__memcpy_avx_unaligned_erms", "libc.so.6", LIBC, "", 0, 0x9a100, 0x700, HOT_USER,
                false},
    [FAULT] = {"asm_exc_page_fault", "[kernel]", "", "", 0, 0, 0, HOT_KERNEL, false},
    [CLEAR] = {"clear_page_erms", "[kernel]", "", "", 0, 0, 0, HOT_KERNEL, false},
    [JIT] = {"LazyCompile:*check script.js:3", "[jit]", "", "", 0, 0, 0, HOT_JIT, false},
    [UNKNOWN] = {"0x7f120034", "", "", "", 0, 0, 0, HOT_UNKNOWN, false},
    [VDSO] = {"__vdso_clock_gettime", "[vdso]", "", "", 0, 0x980, 0x1d0, HOT_VDSO, false},
};

/* The calls, with samples of one tick; the first member is the parent's row. */
static const struct hot_node calls[] = {
    /* rows 0 to 3 */ {-1, START, 0},
    {0, MAIN, 3},
    {1, PACK, 21},
    {2, MEMCPY, 94},
    /* rows 4 to 7 */ {3, FAULT, 2},
    {4, CLEAR, 61},
    {1, WORKER, 1},
    {6, MULTIPLY, 118},
    /* rows 8 to 11 */ {7, KERNEL, 207},
    {8, FMA, 402},
    {7, PACK, 14},
    {1, JIT, 33},
    /* rows 12 to 15 */ {11, JIT, 9},
    {-1, UNKNOWN, 17},
    {-1, WORKER, 0},
    {14, MULTIPLY, 7},
    /* row 16 */ {1, VDSO, 4},
};
enum { CALLS = sizeof calls / sizeof *calls, SYMBOLS = sizeof program / sizeof *program };

static const struct hot_place spots[] = {
    {MULTIPLY, 70, 0x1684, "tests/data/code/gemm.cpp", 96},
    {MULTIPLY, 55, 0x1690, "tests/data/code/gemm.cpp", 97},
    {KERNEL, 207, 0x1702, "tests/data/code/gemm.cpp", 34},
    {FMA, 302, 0x1712, "fmaintrin.h", 65},
    {FMA, 100, 0x1716, "fmaintrin.h", 65},
    {PACK, 35, 0x1b20, "src/pack.cpp", 15},
    {MEMCPY, 94, 0x9a1c0, "", 0},
    {MAIN, 3, 0x1200, "src/main.c", 52},
};
enum { SPOTS = sizeof spots / sizeof *spots };

static const char *const hostile_names[] = {"a\033[31mred\033[0m",
                                            "tab\there\nline",
                                            "\xff\xfe bad",
                                            "wide 漢字漢字漢字 name",
                                            "%s%n%d",
                                            "a;b c",
                                            ""};
enum { HOSTILE = sizeof hostile_names / sizeof *hostile_names };

struct hot_stacks *scene_stacks(struct arena *a, int tick, bool hostile)
{
    struct hot_stacks *p = arena_alloc(a, sizeof *p);
    struct hot_symbol *symbols = arena_alloc(a, sizeof program);
    struct hot_node *nodes = arena_alloc(a, sizeof calls);
    struct hot_place *places = arena_alloc(a, sizeof spots);
    memcpy(symbols, program, sizeof program);
    memcpy(nodes, calls, sizeof calls);
    memcpy(places, spots, sizeof spots);
    for (int i = 0; hostile && i < SYMBOLS; i++) {
        symbols[i].name = hostile_names[i % HOSTILE];
        symbols[i].module = hostile_names[(i / 2) % HOSTILE];
        symbols[i].file = hostile_names[(i + 3) % HOSTILE];
    }
    for (int i = 0; i < CALLS; i++) { /* the numbers vary a little with the tick */
        nodes[i].self += nodes[i].self ? (uint32_t)((tick * 7 + i * 3) % 11) : 0;
        p->samples += nodes[i].self;
    }
    *p = (struct hot_stacks){.event = "cpu-clock",
                             .why = "this virtual machine has no PMU",
                             .callgraph = CALLGRAPH_FP,
                             .hz = 997,
                             .samples = p->samples,
                             .lost = tick % 30 == 7 ? 2 : 0,
                             .throttled = tick == 40,
                             .seconds = 1,
                             .symbols = symbols,
                             .nsymbols = SYMBOLS,
                             .nodes = nodes,
                             .nnodes = CALLS,
                             .places = places,
                             .nplaces = SPOTS};
    return p;
}
