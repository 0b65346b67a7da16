#include "vtpu/compile.h"

#include <string.h>

#include "base/arena.h"
#include "vtpu/vtpu_impl.h"
#include "vtpu/stream.h"

static const struct emit_target *const targets[] = {
    [VTPU_TARGET_X86] = &emit_x86,
    [VTPU_TARGET_X86_NO_VPMULLQ] = &emit_x86_no_vpmullq,
    [VTPU_TARGET_X86_AVX512] = &emit_x86_avx512,
    [VTPU_TARGET_ARM64] = &emit_arm64,
};

/* A loop has at least this many words: its counter is then a small part of it. */
enum { LOOP_WORDS = 128 };

void emit_bytes(struct emitter *e, const void *bytes, size_t n)
{
    if (e->n + n > e->size) {
        e->size = 2 * (e->n + n) + 4096;
        e->bytes = xrealloc(e->bytes, e->size, 1);
    }
    memcpy(e->bytes + e->n, bytes, n);
    e->n += n;
}

void emit_byte(struct emitter *e, unsigned byte)
{
    uint8_t b = (uint8_t)byte;
    emit_bytes(e, &b, 1);
}

void emit_u32(struct emitter *e, uint32_t v)
{
    emit_bytes(
        e, (const uint8_t[]){(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)},
        4);
}

void emit_u64(struct emitter *e, uint64_t v)
{
    emit_u32(e, (uint32_t)v);
    emit_u32(e, (uint32_t)(v >> 32));
}

bool vtpu_op_is_called(const struct vtpu_op *op)
{
    return op->code == VTPU_SINDEX || op->code == VTPU_DHDSIM || op->code == VTPU_DTERNARY ||
           op->code == VTPU_DTPOP;
}

void vtpu_emit_call(struct vtpu_state *s, uint64_t bits)
{
    struct vtpu_op op;
    memcpy(&op, &bits, sizeof op);
    if (op.code == VTPU_SINDEX)
        vtpu_index(s, &op);
    else
        s->r[op.rd] = vtpu_d_value(op.code, &op, s->r, 0);
}

/* Gives the most used registers a home each, until none is left. */
static void choose_homes(int *home, const size_t *uses, size_t n, const uint8_t *homes,
                         size_t nhomes)
{
    for (size_t i = 0; i < n; i++)
        home[i] = IN_MEMORY;
    for (size_t k = 0; k < nhomes; k++) {
        size_t best = n;
        for (size_t i = 0; i < n; i++)
            if (home[i] == IN_MEMORY && uses[i] && (best == n || uses[i] > uses[best]))
                best = i;
        if (best == n)
            return;
        home[best] = homes[k];
    }
}

static void count_uses(const struct vtpu_op *op, size_t r[VTPU_R], size_t p[VTPU_P])
{
    const struct vtpu_op_info *info = &vtpu_ops[op->code];
    for (const char *c = info->reads; *c; c++)
        if (*c == 'M' || op->code == VTPU_SSCATTR || op->code == VTPU_SPREFCH)
            p[op->a % VTPU_P]++;
    r[op->a] += strchr(info->reads, 'a') != NULL;
    r[op->b] += strchr(info->reads, 'b') != NULL && op->b < VTPU_R;
    r[op->c] += strchr(info->reads, 'c') != NULL;
    r[op->rd] += strchr(info->reads, 'd') != NULL;
    r[op->rd] += strchr(info->writes, 'd') != NULL;
}

static void allocate_registers(struct emitter *e, const struct emit_target *t,
                               const struct siw *words, size_t n)
{
    size_t r[VTPU_R + 64] = {0}, p[VTPU_P] = {0};
    for (size_t i = 0; i < n; i++)
        for (int pipe = 0; pipe < VTPU_PIPES; pipe++)
            count_uses(&words[i].slot[pipe], r, p);
    choose_homes(e->home, r, VTPU_R, t->homes, t->nhomes);
    choose_homes(e->cell_home, p, VTPU_P, t->cell_homes, t->ncell_homes);
}

static void compile_words(struct emitter *e, const struct emit_target *t, const struct siw *words,
                          size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int pipe = 0; pipe < VTPU_PIPES; pipe++)
            t->op(e, &words[i].slot[pipe], words[i].imm);
}

void vtpu_compile(enum vtpu_target target, const struct siw *words, size_t n,
                  struct vtpu_native *out)
{
    const struct emit_target *t = targets[target];
    struct emitter e = {.vector = t->vector, .vector_multiplies = t->vector_multiplies};
    /* Words that repeat become a loop, so that the code stays in the processor's cache of decoded
     * instructions. */
    size_t period = vtpu_stream_period(words, n);
    size_t unit = period * ((LOOP_WORDS + period - 1) / period), passes = n / unit;
    allocate_registers(&e, t, words, n);
    e.stub = e.n;
    t->stub(&e);
    out->entry = e.n;
    t->enter(&e);
    size_t begin = e.n;
    out->loop = out->loop_end = out->loop_words = 0;
    if (passes > 1) {
        out->loop = t->loop_begin(&e, passes);
        out->loop_words = unit;
        compile_words(&e, t, words, unit);
        out->loop_end = e.n;
        t->loop_end(&e, out->loop);
        compile_words(&e, t, words, n % unit);
    } else {
        compile_words(&e, t, words, n);
    }
    t->leave(&e, begin);
    out->bytes = e.bytes;
    out->n = e.n;
}

bool vtpu_target_runs(enum vtpu_target target)
{
#if defined __x86_64__
    const bool vectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    return target == VTPU_TARGET_X86 || (target == VTPU_TARGET_X86_NO_VPMULLQ && vectors) ||
           (target == VTPU_TARGET_X86_AVX512 && vectors && __builtin_cpu_supports("avx512dq"));
#elif defined __aarch64__
    return target == VTPU_TARGET_ARM64;
#else
    (void)target;
    return false;
#endif
}

const char *vtpu_target_name(enum vtpu_target target)
{
    return targets[target]->name;
}
