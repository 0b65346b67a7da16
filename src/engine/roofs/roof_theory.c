/*
 * What CPUs can do in a cycle. Each row names its source.
 *
 * Per core, of vectors of `lane_bits` bits: `fma` multiply-adds, `add` additions beside them (0 =
 * they share the pipes of the multiply-adds). Wider vectors than the pipes take several passes;
 * narrower ones and scalars start as many instructions. Dot products of bytes and of bfloat16 start
 * as often as multiply-adds where `dots` says so; of the others their rate is not known here.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/roofs/host_roofs.h"

struct cpu_theory {
    const char *arch;   /* as backends/perf_event knows it */
    unsigned lane_bits; /* width of a pipe */
    unsigned fma;       /* instructions in a cycle at that width or below */
    int add;            /* the same; -1: some pipes are shared, so no figure for a mixed stream */
    /* L1: loads and stores in a cycle; each of at most so many bits */
    unsigned loads, load_bits, stores, store_bits;
    unsigned narrow_loads; /* loads in a cycle of at most 256 bits */
    bool dots;
    const char *source;
};

static const struct cpu_theory cpus[] = {
    {"zen3", 256, 2, 2, 2, 256, 1, 256, 2, false, "AMD SOG family 19h (56665), 2.11 and 2.12"},
    {"zen4", 256, 2, 2, 2, 256, 1, 256, 2, true,
     "AMD SOG Zen 4 (57647), 2.11 and 2.12: 512 bits twice; dots: seen on one in 2026"},
    {"zen5", 512, 2, 2, 2, 512, 2, 256, 2, true,
     "AMD SOG Zen 5 (58455), 2.11 and 2.12: the full width; one store of 512 bits or two; dots: "
     "seen on one in 2026"},
    {"skl", 512, 2, 0, 2, 512, 1, 512, 2, false,
     "Intel optimization manual (248966), 2.5: the server's"},
    {"icl", 512, 2, 0, 2, 512, 2, 256, 2, false,
     "Intel optimization manual (248966), 2.4: the server's"},
    {"spr", 512, 2, -1, 2, 512, 2, 256, 3, false,
     "Intel optimization manual (248966), 2.3: 3 of 256 bits, 2 of 512"},
    {"neoverse_n1", 128, 2, 0, 2, 128, 2, 128, 2, false,
     "Arm Neoverse N1 SOG (PJDOC-466751330-9707)"},
    {"neoverse_v1", 128, 4, 0, 3, 128, 2, 128, 3, false,
     "Arm Neoverse V1 SOG (PJDOC-466751330-9685)"},
    {"neoverse_n2", 128, 2, 0, 3, 128, 2, 128, 3, false,
     "Arm Neoverse N2 SOG (PJDOC-466751330-18256)"},
    {"neoverse_v2", 128, 4, 0, 3, 128, 2, 128, 3, false,
     "Arm Neoverse V2 SOG (PJDOC-466751330-593177)"},
};

static const struct cpu_theory *find_cpu(const char *arch)
{
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
        if (strcmp(cpus[i].arch, arch) == 0)
            return &cpus[i];
    return NULL;
}

/* How many pipes' worth a vector takes: 1 for those that are not wider. */
static double passes_of(unsigned width, unsigned pipe)
{
    return width > pipe ? (double)width / pipe : 1;
}

double roof_theory_flops(const char *arch, unsigned width, unsigned bits, enum roof_mix mix)
{
    const struct cpu_theory *c = find_cpu(arch);
    if (!c || (mix == ROOF_DOT && !c->dots))
        return NAN;
    double lanes = width ? (double)width / bits : 1, passes = passes_of(width, c->lane_bits);
    double starts = lanes * c->fma / passes, adds = lanes * c->add / passes;
    if (mix == ROOF_FMA || mix == ROOF_DOT)
        return 2 * starts;
    if (c->add < 0)
        return NAN;
    if (mix == ROOF_MUL_ADD && c->add == 0)
        return starts;
    if (mix == ROOF_MUL_ADD) /* as many of each, so the additions' pipes have to be as many */
        return 2 * (adds < starts ? adds : starts);
    /* On shared pipes, half of a mixed stream are additions, of one operation each. */
    return c->add > 0 ? 2 * starts + adds : 1.5 * starts;
}

double roof_theory_l1(const char *arch, unsigned width, const char *loop)
{
    const struct cpu_theory *c = find_cpu(arch);
    if (!c)
        return NAN;
    double bytes = width / 8.0;
    double loads = width <= 256 ? c->narrow_loads : c->loads / passes_of(width, c->load_bits);
    double stores = c->stores / passes_of(width, c->store_bits);
    if (strcmp(loop, "load") == 0)
        return loads * bytes;
    if (strcmp(loop, "store") == 0)
        return stores * bytes;
    /* A copy moves two vectors in the time of its store, a triad three in that of two loads or a
     * store. */
    double copy = 1 / stores > 1 / loads ? 1 / stores : 1 / loads;
    double triad = 1 / stores > 2 / loads ? 1 / stores : 2 / loads;
    return strcmp(loop, "copy") == 0 ? 2 * bytes / copy : 3 * bytes / triad;
}
