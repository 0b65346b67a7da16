/*
 * What a roofline needs of a host's measured roofs: for each vector width and type the best
 * operations a second, for each level of memory the best bytes a second, by one core and by all.
 */
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/roofs/host_roofs.h"

enum cpu_width { CPU_SCALAR, CPU_128, CPU_256, CPU_512, CPU_WIDTHS };
enum cpu_type { CPU_F32, CPU_F64, CPU_TYPES };
enum cpu_level { CPU_DRAM, CPU_L3, CPU_L2, CPU_L1, CPU_LEVELS }; /* the slowest first */

/* A second, with the relative spread of the measurement. 0: not measured, or not known. */
struct cpu_peak {
    double one, all;
    double one_spread, all_spread;
};
/* Operations of another type, or of a unit of its own: dot products, matrices, half precision. */
struct cpu_unit {
    const char *name; /* "int8 dot", "bf16 matrix", "f16 FMA" */
    uint32_t width;   /* bits of the vectors, or of a row of a tile */
    struct cpu_peak peak;
};
/* A point of the latency of DRAM while all CPUs make traffic. */
struct cpu_load {
    double reads;   /* the share of reads in it */
    double bytes;   /* that memory moves in a second */
    double latency; /* seconds of a load */
    double spread;  /* relative */
};
enum { CPU_UNITS_MAX = 32, CPU_LOADS_MAX = 256 };
struct cpu_roofs {
    const char *how;  /* "measured 2026-01-31 by rooftop lab roofs"; "" without roofs */
    const char *none; /* why there are no roofs, and what helps: a sentence without its full stop;
                         "" with roofs */
    uint32_t cpus;    /* that gave the peaks `all`; 0: there are no roofs */
    struct cpu_peak flops[CPU_WIDTHS][CPU_TYPES];
    struct cpu_peak bytes[CPU_LEVELS];
    const struct cpu_unit *units;
    const struct cpu_load *loads; /* the highest share of reads first, then by bytes */
    uint32_t nunits, nloads;
};

/* Fills *out from measured rows. Texts are allocated from `memory`. */
void cpu_roofs_take(struct cpu_roofs *out, struct arena *memory, const struct host_roofs *from);
/* A copy with all its texts and lists in `memory`. */
struct cpu_roofs cpu_roofs_copy(struct arena *memory, const struct cpu_roofs *from);
/* Takes the roofs that are stored for this host. Where none are stored, or they are of another
 * CPU, microcode or governor, *out has no roofs and `none` says so. */
void cpu_roofs_load(struct cpu_roofs *out, struct arena *memory);
/* Takes the roofs of a file, of whatever host: it was chosen by the user. Returns 0, or -errno with
 * err. */
int cpu_roofs_read(struct cpu_roofs *out, struct arena *memory, const char *path,
                   struct error *err);
/* Whether a file begins as a document of measured roofs does. False where it cannot be read. */
bool cpu_roofs_recognise(const char *path);

/* The widest vectors of the instruction set that a backend's name tells ("avx2", "neon"); or
 * CPU_WIDTHS: the name is of no CPU. */
enum cpu_width cpu_width_of(const char *backend);
const char *cpu_width_name(enum cpu_width w); /* "scalar", "256-bit" */
unsigned cpu_width_bits(enum cpu_width w);    /* 0: scalars */
const char *cpu_level_name(enum cpu_level l); /* "DRAM" */

/*
 * Seconds of a load while memory moves so many bytes a second, of which `reads` are reads (the
 * nearest share that was measured counts): on straight lines between the measured points, from the
 * one without load on. NAN: nothing was measured, or never so much traffic.
 */
double cpu_load_latency(const struct cpu_roofs *r, double reads, double bytes);

/*
 * What n threads can do together, a second. Measured for one core and for all; between them n times
 * what one core can, but at most what all can. 0: not measured.
 */
double cpu_peak_of(const struct cpu_peak *p, uint32_t threads, uint32_t cpus);
/* The spread of that measurement. */
double cpu_peak_spread(const struct cpu_peak *p, uint32_t threads);
