#include "vtpu/model.h"

#include <string.h>

#include "vtpu/stream.h"

struct model {
    uint64_t r[VTPU_R], p[VTPU_P], m[VTPU_M], cell[VTPU_P], inbox; /* when the value is ready */
    uint64_t next[VTPU_PIPES];   /* when the pipe can begin the next op */
    uint64_t end[VTPU_PIPES];    /* when the slot of the previous word ends */
    uint64_t left[MODEL_WINDOW]; /* when the word and all words before it are finished */
    uint64_t entered, waited[VTPU_PIPES], last;
    size_t words;
};

static uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t operands_ready(const struct model *m, const struct vtpu_op *op)
{
    uint64_t t = 0;
    for (const char *c = vtpu_ops[op->code].reads; *c; c++)
        switch (*c) {
        case 'a':
            t = later_cycle(t, m->r[op->a]);
            break;
        case 'b':
            t = later_cycle(t, m->r[op->b]);
            break;
        case 'c':
            t = later_cycle(t, m->r[op->c]);
            break;
        case 'd':
            t = later_cycle(t, m->r[op->rd]);
            break;
        case 'p':
            t = later_cycle(t, m->p[op->a]);
            break;
        case 'm':
            t = later_cycle(t, m->m[op->a]);
            break;
        case 'M':
            t = later_cycle(t, m->cell[op->a]);
            break;
        default:
            t = later_cycle(t, m->inbox);
        }
    return t;
}

static void write_results(struct model *m, const struct vtpu_op *op, uint64_t ready)
{
    for (const char *c = vtpu_ops[op->code].writes; *c; c++)
        switch (*c) {
        case 'd':
            m->r[op->rd] = ready;
            break;
        case 'q':
            m->p[op->rd % VTPU_P] = ready;
            m->cell[op->rd % VTPU_P] = 0;
            break;
        case 'n':
            m->m[op->rd] = ready;
            break;
        case 'M':
            m->cell[op->a] = ready;
            break;
        default:
            m->inbox = ready;
        }
}

/* When the slots of the previous word that deps names have ended. */
static uint64_t slots_before(const struct model *m, uint8_t deps, int pipe)
{
    static const uint8_t after[VTPU_PIPES][VTPU_PIPES] = {
        [VTPU_PIPE_D] = {VTPU_D_AFTER_D, VTPU_D_AFTER_S, 0},
        [VTPU_PIPE_S] = {VTPU_S_AFTER_D, VTPU_S_AFTER_S, 0},
        [VTPU_PIPE_C] = {VTPU_C_AFTER_D, 0, VTPU_C_AFTER_C},
    };
    uint64_t t = 0;
    for (int other = 0; other < VTPU_PIPES; other++)
        if (deps & after[pipe][other])
            t = later_cycle(t, m->end[other]);
    return t;
}

static void run_word(struct model *m, const struct siw *w)
{
    uint64_t *left = &m->left[m->words % MODEL_WINDOW];
    uint64_t entry = later_cycle(m->words ? m->entered + 1 : 0, *left), end[VTPU_PIPES] = {0};
    for (int pipe = 0; pipe < VTPU_PIPES; pipe++) {
        const struct vtpu_op *op = &w->slot[pipe];
        if (siw_op_is_nop(op))
            continue;
        uint64_t free_at = later_cycle(entry, m->next[pipe]);
        uint64_t at = later_cycle(later_cycle(free_at, operands_ready(m, op)),
                                  slots_before(m, w->deps, pipe));
        m->waited[pipe] += at - free_at;
        m->next[pipe] = at + 1;
        end[pipe] = at + vtpu_ops[op->code].latency;
        write_results(m, op, end[pipe]);
        m->last = later_cycle(m->last, later_cycle(end[pipe], at + 1));
    }
    m->last = later_cycle(m->last, entry + 1);
    memcpy(m->end, end, sizeof end);
    m->entered = entry;
    *left = m->last;
    m->words++;
}

static void run_model_pass(struct model *m, const struct siw *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        run_word(m, &words[i]);
}

uint64_t vtpu_model_cycles(const struct siw *words, size_t n, size_t times)
{
    struct model m;
    memset(&m, 0, sizeof m);
    for (size_t k = 0; k < times; k++)
        run_model_pass(&m, words, n);
    return m.last;
}

void vtpu_predict(const struct siw *words, size_t n, struct vtpu_prediction *out)
{
    enum { WARM = 2, COUNTED = 8 };
    struct model m;
    memset(&m, 0, sizeof m);
    memset(out, 0, sizeof *out);
    if (n == 0)
        return;
    for (int k = 0; k < WARM; k++)
        run_model_pass(&m, words, n);
    uint64_t from = m.last;
    memset(m.waited, 0, sizeof m.waited);
    for (int k = 0; k < COUNTED; k++)
        run_model_pass(&m, words, n);
    double ops = (double)vtpu_stream_ops(words, n);
    out->cycles = (double)(m.last - from) / COUNTED;
    out->ops_per_cycle = ops / out->cycles;
    out->fill = ops / (double)n;
    for (int pipe = 0; pipe < VTPU_PIPES; pipe++)
        out->wait[pipe] = (double)m.waited[pipe] / COUNTED / (double)n;
}
