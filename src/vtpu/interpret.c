/*
 * Threaded code: the code of each op ends with a jump to the code of the next op. So the processor
 * predicts each of these jumps separately, which it cannot in a loop around one switch.
 */
#include "vtpu/interpret.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "vtpu/vtpu_impl.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* addresses of labels */
#ifndef __clang__
#pragma GCC optimize("no-crossjumping", "no-gcse") /* else ops jump to a shared end */
#endif

/* Further codes: a D op joined with SGATHER and CPACK of its word; the end. */
enum { ADD_AND_TWO = VTPU_CODES, SUB_AND_TWO, MUL_AND_TWO, FMA_AND_TWO, END, PIECES };

struct vtpu_program {
    /* The ops without NOPs. Operands of 8 bytes follow DMOV and the ..._AND_TWO. END is the last.
     */
    struct vtpu_op *ops;
};

static uint8_t joined_code(const struct siw *w)
{
    static const uint8_t codes[VTPU_CODES] = {[VTPU_DADD] = ADD_AND_TWO,
                                              [VTPU_DSUB] = SUB_AND_TWO,
                                              [VTPU_DMUL] = MUL_AND_TWO,
                                              [VTPU_DFMA] = FMA_AND_TWO};
    return w->slot[VTPU_PIPE_S].code == VTPU_SGATHER && w->slot[VTPU_PIPE_C].code == VTPU_CPACK
               ? codes[w->slot[VTPU_PIPE_D].code]
               : 0;
}

/* The registers of a joined word, 8 bits each, from the lowest: rd, a, b, c of D; rd, a of S; a, b
 * of C. The rd of C, a message, is in the op's rd. */
static uint64_t joined_registers(const struct siw *w)
{
    const struct vtpu_op *d = &w->slot[VTPU_PIPE_D], *s = &w->slot[VTPU_PIPE_S],
                         *c = &w->slot[VTPU_PIPE_C];
    const uint8_t registers[8] = {d->rd, d->a, d->b, d->c, s->rd, s->a, c->a, c->b};
    uint64_t bits = 0;
    for (unsigned k = 0; k < sizeof registers; k++)
        bits |= (uint64_t)registers[k] << 8 * k;
    return bits;
}

/* Appends the word's ops. Returns the place for the next ones. */
static struct vtpu_op *add_ops(struct vtpu_op *to, const struct siw *w)
{
    if (joined_code(w)) {
        uint64_t registers = joined_registers(w);
        *to++ = (struct vtpu_op){.code = joined_code(w), .rd = w->slot[VTPU_PIPE_C].rd};
        memcpy(to++, &registers, sizeof *to);
        return to;
    }
    for (int pipe = 0; pipe < VTPU_PIPES; pipe++) {
        if (siw_op_is_nop(&w->slot[pipe]))
            continue;
        *to++ = w->slot[pipe];
        if (w->slot[pipe].code == VTPU_DMOV)
            memcpy(to++, &w->imm, sizeof *to);
    }
    return to;
}

struct vtpu_program *vtpu_program_new(const struct siw *words, size_t n)
{
    struct vtpu_program *p = xcalloc(1, sizeof *p);
    struct vtpu_op *to = p->ops = xcalloc(4 * n + 1, sizeof *to);
    for (size_t i = 0; i < n; i++)
        to = add_ops(to, &words[i]);
    to->code = END;
    return p;
}

void vtpu_program_free(struct vtpu_program *p)
{
    if (p)
        free(p->ops);
    free(p);
}

static inline uint64_t number_behind(const struct vtpu_op *op)
{
    uint64_t v;
    memcpy(&v, op + 1, sizeof v);
    return v;
}

static inline void pack_vtpu_message(uint64_t *message, uint64_t a, uint64_t b)
{
    message[0] = a;
    message[1] = b;
}

static inline void send_vtpu_message(struct vtpu_state *s, const struct vtpu_op *op)
{
    s->inbox[s->depth + 1] = s->m[op->a][0];
    s->depth += s->depth < VTPU_INBOX;
}

static inline void receive_vtpu_message(struct vtpu_state *s, const struct vtpu_op *op)
{
    s->r[op->rd] = s->inbox[s->depth];
    s->depth -= s->depth > 0;
}

/* Takes the two lowest registers out of *bits. One load and shifts are faster than a load for each
 * register. The barrier keeps *bits in a register whose second byte is read without a shift, so
 * that two registers need one shift; else the compiler copies and shifts for each. */
static inline void take_two(uint64_t *bits, uint8_t *first, uint8_t *second)
{
#ifdef __x86_64__
    __asm__("" : "+Q"(*bits));
#endif
    *first = (uint8_t)*bits;
    *second = (uint8_t)(*bits >> 8);
    *bits >>= 16;
}

/* Parts of vtpu_interpret, which use its variables. */
#define NEXT(ops)                                                                                  \
    op += (ops);                                                                                   \
    goto *pieces[op->code]
#define D_PIECE(name)                                                                              \
    name:                                                                                          \
    r[op->rd] = vtpu_d_value(VTPU_##name, op, r, 0);                                               \
    NEXT(1);
#define JOINED_PIECE(label, code_of, name)                                                         \
    label:                                                                                         \
    do {                                                                                           \
        bits = number_behind(op);                                                                  \
        take_two(&bits, &x.rd, &x.a);                                                              \
        take_two(&bits, &x.b, &x.c);                                                               \
        r[x.rd] = vtpu_d_value(VTPU_##name, &x, r, 0);                                             \
        take_two(&bits, &x.rd, &x.a);                                                              \
        r[x.rd] = *s->cell[x.a];                                                                   \
        take_two(&bits, &x.a, &x.b);                                                               \
        pack_vtpu_message(s->m[op->rd], r[x.a], r[x.b]);                                           \
        op += 2;                                                                                   \
    } while (op->code == (code_of));                                                               \
    NEXT(0);

#define JOINED(name, low)         JOINED_PIECE(low##_and_two, name##_AND_TWO, D##name)
#define JOINED_PIECES             JOINED(ADD, add) JOINED(SUB, sub) JOINED(MUL, mul) JOINED(FMA, fma)
#define D_PIECES_5(a, b, c, d, e) D_PIECE(a) D_PIECE(b) D_PIECE(c) D_PIECE(d) D_PIECE(e)

#define OP(pipe, name, family, latency, reads, writes)                                             \
    [VTPU_##name] = &&name, /* NOLINT(bugprone-macro-parentheses): a label */

void vtpu_interpret(struct vtpu_state *s, const struct vtpu_program *p, size_t times)
{
    static const void *const pieces[PIECES] = {
#include "vtpu/ops.def"
#undef OP
        [ADD_AND_TWO] = &&add_and_two,
        [SUB_AND_TWO] = &&sub_and_two,
        [MUL_AND_TWO] = &&mul_and_two,
        [FMA_AND_TWO] = &&fma_and_two,
        [END] = &&end};
    const struct vtpu_op *op = p->ops - 1;
    struct vtpu_op x;
    uint64_t bits;
    uint64_t *r = s->r;
    if (times == 0)
        return;
    NEXT(1);
    JOINED_PIECES
    D_PIECES_5(DADD, DSUB, DMUL, DFMA, DCMP)
    D_PIECES_5(DSEL, DRED, DHDENC, DHDBIND, DHDBUND)
    D_PIECES_5(DHDPERM, DHDSIM, DTERNARY, DTPOP, DTACC)
DMOV:
    r[op->rd] = number_behind(op);
    NEXT(2);
SGATHER:
    r[op->rd] = *s->cell[op->a];
    NEXT(1);
SDEDUP:
    r[op->rd] = r[op->a];
    NEXT(1);
SSCATTR:
    *s->cell[op->a] = r[op->b];
    NEXT(1);
SINDEX:
    vtpu_index(s, op);
    NEXT(1);
SALLOC:
    r[op->rd] = (uint64_t)(int64_t)op->offset;
    NEXT(1);
SPREFCH:
    __builtin_prefetch(s->cell[op->a]);
    NEXT(1);
CPACK:
    pack_vtpu_message(s->m[op->rd], r[op->a], r[op->b]);
    NEXT(1);
CSEND:
    send_vtpu_message(s, op);
    NEXT(1);
CRECV:
    receive_vtpu_message(s, op);
    NEXT(1);
CBAR:
    s->barriers++;
    NEXT(1);
CFENCE:
    s->fences++;
    NEXT(1);
CREDUCE:
CCAST:
CSLICE:
CMERGE:
    r[op->rd] = 0;
    NEXT(1);
SFLUSH:
SFREE:
SASSOC:
SROUTE:
SNEIGHBR:
CROUTE:
CFANOUT:
DNOP:
SNOP:
CNOP:
    NEXT(1);
end:
    if (--times == 0)
        return;
    op = p->ops - 1;
    NEXT(1);
}
