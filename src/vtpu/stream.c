#include "vtpu/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* The generator of random numbers that the seed project's streams use (Knuth, MMIX): the upper half
 * of each state. */
struct draw {
    uint64_t state;
};

static uint32_t draw_random(struct draw *d, uint32_t below)
{
    d->state = d->state * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)((d->state >> 32) * below >> 32);
}

static void set_stream_slot(struct siw *w, enum vtpu_code code, unsigned rd, unsigned a, unsigned b,
                            unsigned c)
{
    w->slot[vtpu_ops[code].pipe] = (struct vtpu_op){.code = (uint8_t)code,
                                                    .rd = (uint8_t)(rd % VTPU_R),
                                                    .a = (uint8_t)(a % VTPU_R),
                                                    .b = (uint8_t)(b % VTPU_R),
                                                    .c = (uint8_t)(c % VTPU_R)};
}

static void set_fma(struct siw *w, unsigned i)
{
    set_stream_slot(w, VTPU_DFMA, i, i + 1, i + 2, i + 3);
}

static void set_gather(struct siw *w, unsigned i)
{
    set_stream_slot(w, VTPU_SGATHER, i % 16, i % 8 + 8, 0, 0);
}

static void set_pack(struct siw *w, unsigned i)
{
    set_stream_slot(w, VTPU_CPACK, i % 16, i, i + 1, 0);
}

static void fill_balanced_word(struct siw *w, size_t at)
{
    unsigned i = (unsigned)(at % 96000); /* a multiple of every period below */
    set_fma(w, i);
    set_gather(w, i);
    set_pack(w, i);
    w->coord.dim[0] = (uint16_t)(at % 100 + 1);
    w->coord.dim[1] = (uint16_t)(at / 100 % COORD_MAX + 1);
}

static void d_heavy(struct siw *w, size_t at)
{
    unsigned i = (unsigned)(at % 96000);
    if (i % 10 < 8)
        set_fma(w, i);
    else if (i % 10 == 8)
        set_gather(w, i);
    else
        set_pack(w, i);
}

static void s_heavy(struct siw *w, size_t at)
{
    unsigned i = (unsigned)(at % 96000);
    if (i % 10 == 0)
        set_stream_slot(w, VTPU_DADD, i, i + 1, i + 2, 0);
    else if (i % 10 == 9)
        set_stream_slot(w, VTPU_CBAR, 0, 0, 0, 0);
    else if (i % 4 == 0)
        set_gather(w, i);
    else if (i % 4 == 1)
        set_stream_slot(w, VTPU_SSCATTR, 0, i % 8 + 8, i, 0);
    else
        set_stream_slot(w, i % 4 == 2 ? VTPU_SPREFCH : VTPU_SFLUSH, 0, i % 8 + 8, 0, 0);
}

static void c_heavy(struct siw *w, size_t at)
{
    static const uint8_t codes[] = {VTPU_CPACK, VTPU_CSEND,  VTPU_CRECV,
                                    VTPU_CBAR,  VTPU_CFENCE, VTPU_CREDUCE};
    unsigned i = (unsigned)(at % 96000);
    if (i % 10 == 0) {
        set_stream_slot(w, VTPU_DMOV, i, 0, 0, 0);
        w->imm = i;
    } else if (i % 10 == 1) {
        set_gather(w, i);
    } else {
        set_stream_slot(w, codes[i % 6], i % 16, i % 16, i + 1, 0);
    }
}

static void fill_sparse_word(struct siw *w, size_t at)
{
    unsigned i = (unsigned)(at % 96000);
    if (i % 10 == 0)
        set_stream_slot(w, VTPU_DADD, i, i + 1, i + 2, 0);
}

/* The ratios of the seed project's generator, with the largest raised to 100 %. There a random
 * number chose the only busy pipe of a word, so that even "balanced" had one op in a word. */
const struct vtpu_workload vtpu_workloads[] = {
    {"balanced", "DFMA, SGATHER and CPACK in each word", fill_balanced_word, {0}, 0, 0},
    {"d-heavy", "8 of 10 words compute, one op a word", d_heavy, {0}, 0, 0},
    {"s-heavy", "8 of 10 words move data, one op a word", s_heavy, {0}, 0, 0},
    {"c-heavy", "8 of 10 words exchange messages, one op a word", c_heavy, {0}, 0, 0},
    {"sparse", "one op in ten words", fill_sparse_word, {0}, 0, 0},
    {"d-heavy-high", "random, D 8:1:1, near coordinates", NULL, {100, 12, 12}, VTPU_LOCAL_HIGH, 8},
    {"d-heavy-low", "random, D 8:1:1, far coordinates", NULL, {100, 12, 12}, VTPU_LOCAL_LOW, 8},
    {"s-heavy-high", "random, S 8:1:1, near coordinates", NULL, {12, 100, 12}, VTPU_LOCAL_HIGH, 8},
    {"s-heavy-low", "random, S 8:1:1, far coordinates", NULL, {12, 100, 12}, VTPU_LOCAL_LOW, 8},
    {"c-heavy-medium", "random, C 8:1:1", NULL, {12, 12, 100}, VTPU_LOCAL_MEDIUM, 8},
    {"balanced-medium", "random, three ops a word", NULL, {100, 100, 100}, VTPU_LOCAL_MEDIUM, 8},
    {"balanced-low-deep",
     "random, three ops a word, each D waits for the one before it",
     NULL,
     {100, 100, 100},
     VTPU_LOCAL_LOW,
     1},
};
const size_t vtpu_nworkloads = sizeof vtpu_workloads / sizeof *vtpu_workloads;

const struct vtpu_workload *vtpu_workload_find(const char *name)
{
    for (size_t i = 0; i < vtpu_nworkloads; i++)
        if (strcmp(vtpu_workloads[i].name, name) == 0)
            return &vtpu_workloads[i];
    return NULL;
}

/* Every fourth S op moves a coordinate, in one of the dimensions that the locality allows; the
 * others use them. */
static void random_s(struct siw *w, unsigned i, enum vtpu_locality locality, struct draw *d)
{
    unsigned kind = draw_random(d, 4), reg = draw_random(d, VTPU_P);
    if (kind == 0) {
        set_stream_slot(w, VTPU_SINDEX, reg % 8 + 24, draw_random(d, 8), 0, 0);
        w->slot[VTPU_PIPE_S].dim = (uint8_t)(locality == VTPU_LOCAL_LOW ? draw_random(d, COORD_DIMS)
                                                                        : draw_random(d, locality));
        w->slot[VTPU_PIPE_S].offset = (int16_t)draw_random(d, 9);
    } else if (kind == 1) {
        set_stream_slot(w, VTPU_SSCATTR, 0, reg, draw_random(d, VTPU_R), 0);
    } else {
        set_stream_slot(w, VTPU_SGATHER, i + 16, reg, 0, 0);
    }
}

static void random_word(struct siw *w, unsigned i, const struct vtpu_workload *load, struct draw *d)
{
    static const uint8_t d_codes[] = {VTPU_DADD, VTPU_DSUB, VTPU_DMUL, VTPU_DFMA};
    static const uint8_t c_codes[] = {VTPU_CPACK, VTPU_CPACK, VTPU_CSEND, VTPU_CRECV};
    if (draw_random(d, 100) < load->percent[VTPU_PIPE_D])
        set_stream_slot(w, d_codes[draw_random(d, 4)], i, i + VTPU_R - load->depth,
                        draw_random(d, VTPU_R), draw_random(d, VTPU_R));
    if (draw_random(d, 100) < load->percent[VTPU_PIPE_S])
        random_s(w, i, load->locality, d);
    if (draw_random(d, 100) < load->percent[VTPU_PIPE_C])
        set_stream_slot(w, c_codes[draw_random(d, 4)], i % 16, draw_random(d, 16),
                        draw_random(d, VTPU_R), 0);
}

void vtpu_stream(const struct vtpu_workload *load, struct siw *words, size_t n, uint64_t seed)
{
    struct draw d = {UINT64_C(0x123456789abcdef) ^ seed};
    for (size_t i = 0; i < n; i++) {
        words[i] = siw_nop();
        if (load->word)
            load->word(&words[i], i);
        else
            random_word(&words[i], (unsigned)(i % VTPU_R), load, &d);
    }
}

void vtpu_stream_any(struct siw *words, size_t n, uint64_t seed)
{
    static const uint8_t first[] = {VTPU_DNOP, VTPU_SNOP, VTPU_CNOP, VTPU_CODES};
    struct draw d = {seed};
    draw_random(&d, 2);
    for (size_t i = 0; i < n; i++) {
        struct siw *w = &words[i];
        *w = siw_nop();
        for (int pipe = 0; pipe < VTPU_PIPES; pipe++) {
            uint8_t codes = (uint8_t)(first[pipe + 1] - first[pipe]);
            w->slot[pipe] = (struct vtpu_op){(uint8_t)(first[pipe] + draw_random(&d, codes)),
                                             (uint8_t)draw_random(&d, 256),
                                             (uint8_t)draw_random(&d, 256),
                                             (uint8_t)draw_random(&d, 256),
                                             (uint8_t)draw_random(&d, 256),
                                             (uint8_t)draw_random(&d, COORD_DIMS),
                                             (int16_t)((int)draw_random(&d, 4096) - 2048)};
        }
        w->imm =
            (int64_t)((uint64_t)draw_random(&d, UINT32_MAX) << 32 | draw_random(&d, UINT32_MAX));
        w->deps = (uint8_t)draw_random(&d, 64);
        siw_normalise(w);
    }
}

size_t vtpu_stream_ops(const struct siw *words, size_t n)
{
    size_t ops = 0;
    for (size_t i = 0; i < n; i++)
        ops += siw_active(&words[i]);
    return ops;
}

static bool same_ops(const struct siw *a, const struct siw *b)
{
    return memcmp(a->slot, b->slot, sizeof a->slot) == 0 && a->imm == b->imm;
}

size_t vtpu_stream_period(const struct siw *words, size_t n)
{
    /* The longest proper beginning that is also an end, as in the search of Knuth, Morris and
     * Pratt. */
    size_t *border = xcalloc(n + 1, sizeof *border);
    for (size_t i = 1, k = 0; i < n; i++) {
        while (k && !same_ops(&words[i], &words[k]))
            k = border[k - 1];
        k += same_ops(&words[i], &words[k]);
        border[i] = k;
    }
    size_t period = n ? n - border[n - 1] : 0;
    free(border);
    return period;
}
