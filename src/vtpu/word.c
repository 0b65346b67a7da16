#include "vtpu/word.h"

#include <string.h>

const struct vtpu_op_info vtpu_ops[VTPU_CODES] = {
#define OP(pipe, name, family, latency, reads, writes)                                             \
    [VTPU_##name] = {#name, VTPU_PIPE_##pipe, family, latency, reads, writes},
#include "vtpu/ops.def"
#undef OP
};

static const uint8_t nops[VTPU_PIPES] = {VTPU_DNOP, VTPU_SNOP, VTPU_CNOP};

bool siw_op_is_nop(const struct vtpu_op *op)
{
    return vtpu_ops[op->code].family == VTPU_FAMILY_NONE;
}

struct siw siw_nop(void)
{
    struct siw w;
    memset(&w, 0, sizeof w);
    for (int pipe = 0; pipe < VTPU_PIPES; pipe++)
        w.slot[pipe].code = nops[pipe];
    for (int k = 0; k < COORD_DIMS; k++)
        w.coord.dim[k] = 1;
    return w;
}

/* The number of registers that operand a may name: coordinates, messages or general registers. */
static unsigned a_registers(const char *reads)
{
    if (strchr(reads, 'p'))
        return VTPU_P;
    return strchr(reads, 'm') ? VTPU_M : VTPU_R;
}

void siw_normalise(struct siw *w)
{
    for (int pipe = 0; pipe < VTPU_PIPES; pipe++) {
        struct vtpu_op *op = &w->slot[pipe];
        if (op->code >= VTPU_CODES || (int)vtpu_ops[op->code].pipe != pipe)
            op->code = nops[pipe];
        const struct vtpu_op_info *info = &vtpu_ops[op->code];
        op->rd %= strchr(info->writes, 'n') ? VTPU_M : VTPU_R;
        op->a %= a_registers(info->reads);
        op->b %= op->code == VTPU_DHDENC || op->code == VTPU_DHDPERM ? 64 : VTPU_R;
        op->c %= VTPU_R;
        op->dim %= COORD_DIMS;
    }
    for (int k = 0; k < COORD_DIMS; k++)
        w->coord.dim[k] &= COORD_MAX;
    w->coord.flags &= 0x7f;
    w->coord.zero = 0;
    w->deps &= 0x3f;
}

unsigned siw_active(const struct siw *w)
{
    unsigned n = 0;
    for (int pipe = 0; pipe < VTPU_PIPES; pipe++)
        n += !siw_op_is_nop(&w->slot[pipe]);
    return n;
}
