/*
 * SIW, the instruction word of the vTPU: one slot for each of the pipes D, S and C, the coordinate
 * that the word is about, and bits about what it depends on. Within a word the slots take effect in
 * the order D, S, C; a dependency bit changes when a slot may begin (see model.h), never what it
 * computes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The register files are as wide as the seed's streams need: its executor had 16, 8 and 4, and
 * could not run them. */
enum { VTPU_R = 32, VTPU_P = 16, VTPU_M = 16 };

enum vtpu_pipe { VTPU_PIPE_D, VTPU_PIPE_S, VTPU_PIPE_C, VTPU_PIPES };

enum vtpu_code {
#define OP(pipe, name, family, latency, reads, writes) VTPU_##name,
#include "vtpu/ops.def"
#undef OP
    VTPU_CODES
};

enum { VTPU_FAMILY_NONE = 4 };

struct vtpu_op_info {
    const char *name;
    enum vtpu_pipe pipe;
    uint8_t family, latency; /* latency in cycles */
    const char *reads, *writes;
};
extern const struct vtpu_op_info vtpu_ops[VTPU_CODES];

/* 11 dimensions of 11 bits, and 7 flags. */
enum { COORD_DIMS = 11, COORD_MAX = 2047 };
struct coord {
    uint16_t dim[COORD_DIMS];
    uint8_t flags;
    uint8_t zero; /* so that two coordinates can be compared as bytes */
};

struct vtpu_op {
    uint8_t code; /* enum vtpu_code */
    uint8_t rd, a, b, c;
    uint8_t dim;    /* SINDEX */
    int16_t offset; /* SINDEX, SALLOC */
};

/* Bits of deps: the slot waits for a slot of the word before. */
enum {
    VTPU_D_AFTER_D = 1,
    VTPU_S_AFTER_S = 2,
    VTPU_C_AFTER_C = 4,
    VTPU_D_AFTER_S = 8,
    VTPU_S_AFTER_D = 16,
    VTPU_C_AFTER_D = 32,
};

struct siw {
    _Alignas(64) struct vtpu_op slot[VTPU_PIPES];
    int64_t imm; /* DMOV */
    struct coord coord;
    uint8_t deps;
};
_Static_assert(sizeof(struct siw) == 64, "a word fills a cache line");

/*
 * Makes any bytes a word that can run: registers are taken modulo their number, an op in another
 * pipe's slot becomes a NOP, dimensions stay in their range. What is valid is not changed.
 */
void siw_normalise(struct siw *w);
/* Slots that are not NOPs. An op that does nothing here counts, as in the seed. */
unsigned siw_active(const struct siw *w);
bool siw_op_is_nop(const struct vtpu_op *op);
/* Three NOPs. */
struct siw siw_nop(void);
