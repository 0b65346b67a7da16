/* What a stream of words works on: registers, inbox, memory. */
#pragma once

#include "vtpu/memory.h"

enum { VTPU_INBOX = 64 };

/* Compiled code contains the offsets of the members. */
struct vtpu_state {
    uint64_t r[VTPU_R];
    uint64_t m[VTPU_M][4]; /* messages: 32 bytes, of which ops use the first 16 */
    /* The cell of each coordinate register. A coordinate is translated when it changes, not at each
     * access: the register keeps the result, and a gather or a scatter is one load or store. */
    uint64_t *cell[VTPU_P];
    /* The inbox: messages are in 1 to depth. [0] is always 0 and is what an empty one gives; a full
     * one overwrites the last. */
    uint64_t inbox[VTPU_INBOX + 2];
    uint64_t depth;
    uint64_t barriers, fences;
    struct coord p[VTPU_P];
    struct vtpu_memory *memory;
};

/* Gives the registers different, odd values that follow from the seed; coordinate k is
 * k+1.1.1/1.1.1/..., and its cell is not 0. */
void vtpu_state_open(struct vtpu_state *s, uint64_t seed);
void vtpu_state_close(struct vtpu_state *s);
/* Returns NULL if both are equal, else the name of the first difference. */
const char *vtpu_state_difference(const struct vtpu_state *a, const struct vtpu_state *b);

/* The op SINDEX, for the interpreter and compiled code. */
void vtpu_index(struct vtpu_state *s, const struct vtpu_op *op);
/* The sum of the 32 trits, and how many are not 0: 01 is +1, 10 is -1, 00 and 11 are 0. */
int vtpu_trit_sum(uint64_t trits);
int vtpu_trit_count(uint64_t trits);
