/*
 * The measured roofs of a host.
 *
 * A roof is kept with the core clock of the same instant and, where the CPU is known, with what its
 * units can do in theory at that clock: a measurement above theory is a wrong clock or a wrong
 * table, so it is refused with the reason and never serves as a roof.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/value/list_field.h"

enum host_roof_kind {
    HOST_ROOF_OPERATIONS, /* value: operations a second; a multiply-add counts as two */
    HOST_ROOF_BANDWIDTH,  /* value: bytes a second that the loop loads and stores */
    HOST_ROOF_LATENCY,    /* value: seconds of a load that waits for the one before */
    HOST_ROOF_LOADED,     /* value: the same, while other threads make traffic to memory */
    HOST_ROOF_KINDS
};

struct host_roof {
    uint8_t kind;         /* enum host_roof_kind */
    char name[40];        /* "AVX2 FMA", "load" */
    char type[8];         /* of operations: "FP64"; else "" */
    char level[8];        /* of memory: "L1", "L2", "L3", "DRAM"; else "" */
    uint32_t width;       /* bits of the vectors; 0: scalars, or no vectors are used */
    uint64_t working_set; /* bytes that each thread goes through; 0: registers only */
    uint32_t threads;
    bool nodes; /* of memory: one NUMA node's CPU and one node's memory, which follow */
    uint32_t cpu_node, memory_node;
    double load;       /* under load: bytes a second that memory moves, with the reads of lines that
                          are stored; else 0 */
    double reads;      /* under load: the share of reads in them; else 0 */
    double value;      /* NAN: none, and refused says why */
    double clock;      /* Hz, in the same instant, the mean of the threads; NAN unknown */
    double per_cycle;  /* of one thread: operations or bytes in a cycle; NAN unknown */
    double theory;     /* what per_cycle can be at most; NAN unknown */
    double spread;     /* (third quartile - first) / median of the slices; NAN: too few */
    char refused[160]; /* why it is no roof: a clause; "" = it is one */
};

enum { HOST_ROOFS_MAX = 512 };
struct host_roofs {
    char cpu[96], microcode[24], governor[24], kernel[72];
    char made[24]; /* UTC: 2026-01-31T12:00:00Z */
    uint32_t cpus; /* online, that the process may use */
    bool quick;
    struct host_roof *rows;
    size_t n, room;
};

extern const struct fields host_roofs_record; /* all but the rows */

/* Adds a row and refuses it where it is above theory by more than two percent. */
void host_roofs_add(struct host_roofs *r, const struct host_roof *row);
void host_roofs_free(struct host_roofs *r);
/* Describes this host: CPU, microcode, governor, kernel. Number of CPUs stays as it was. */
void host_roofs_describe(struct host_roofs *out);
/* Whether roofs that were measured under `then` hold under `now`. If not, says in why what differs
 * (CPU, microcode or governor): a clause. */
bool host_roofs_hold(const struct host_roofs *then, const struct host_roofs *now, char *why,
                     size_t size);

/* Writes the document "rooftop.host_roofs/1". */
void host_roofs_write_json(FILE *out, const struct host_roofs *r);
/*
 * Reads such a document of n bytes. Returns 0; else -EINVAL with err, ERROR_INPUT: not such a
 * document, a number that is not above 0 in a row that is not refused, or too many rows. Free *out
 * in either case.
 */
int host_roofs_parse(struct host_roofs *out, const char *text, size_t n, const char *path,
                     struct error *err);
/*
 * The copy in the state folder. Stores this host's roofs (0 or -errno), or loads them: 0;
 * -ENOENT where none are stored; -ESTALE where they are of another host, microcode or governor,
 * with err saying of which they are. Number of CPUs: that of the time when they were measured.
 */
/* Writes its path. Returns false where there is no state folder, with err. */
bool host_roofs_path(char *out, size_t size, struct error *err);
int host_roofs_store(const struct host_roofs *r, struct error *err);
int host_roofs_load(struct host_roofs *out, struct error *err);

extern const struct list_field host_roofs_fields[]; /* rows: struct host_roof */
const char *host_roof_kind_name(enum host_roof_kind kind);

/* --- theory --- */

/* What a loop of operations is made of: multiply-adds; these and as many additions; multiplications
 * and as many additions; or dot products, each 32 bits of which multiply and add 32 / bits pairs.
 */
enum roof_mix { ROOF_FMA, ROOF_FMA_ADD, ROOF_MUL_ADD, ROOF_DOT };
/*
 * What the units of a CPU can do in a cycle. width: bits of the vectors, 0 for scalars; bits: of an
 * element. NAN: this CPU is not in the table, or it is not known of this mix.
 */
double roof_theory_flops(const char *arch, unsigned width, unsigned bits, enum roof_mix mix);
/* Bytes in a cycle from and to L1 by vectors of that width. */
double roof_theory_l1(const char *arch, unsigned width, const char *loop);
