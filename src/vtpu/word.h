/*
 * SIW, the instruction word of the vTPU: a slot for each of the pipes D, S and C, a coordinate, and
 * bits for dependencies. Within a word the slots take effect in the order D, S, C; a dependency bit
 * changes when a slot may begin (see model.h), never what it computes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The register files are as large as the streams of the seed project need. Its own executor had 16,
 * 8 and 4 registers and could not run them. */
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
    uint8_t zero; /* padding, so that coordinates can be compared as bytes */
};

struct vtpu_op {
    uint8_t code; /* enum vtpu_code */
    uint8_t rd, a, b, c;
    uint8_t dim;    /* SINDEX */
    int16_t offset; /* SINDEX, SALLOC */
};

/* Bits of deps: the slot waits for a slot of the previous word. */
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

/* Turns any bytes into a word that can run: takes registers modulo their number, replaces an op in
 * another pipe's slot by a NOP, keeps dimensions in their range. A valid word does not change. */
void siw_normalise(struct siw *w);
/* The number of slots that are not NOPs. An op without effect counts too. */
unsigned siw_active(const struct siw *w);
bool siw_op_is_nop(const struct vtpu_op *op);
/* A word of three NOPs. */
struct siw siw_nop(void);
