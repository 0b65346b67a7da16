/*
 * The vTPU's interpreter against threaded loops that are written by hand for the balanced stream
 * alone: they know three ops, their operands are made beforehand, and they check nothing. One jumps
 * once an op and loads each operand, a byte offset. One joins a word's three ops and takes eight
 * operands out of one load, as the interpreter does. Slices take turns; the fastest of each counts.
 * Cycles are time x core clock, calibrated beside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/lab/lab_impl.h"
#include "vtpu/interpret.h"
#include "vtpu/stream.h"

#pragma GCC diagnostic ignored "-Wpedantic" /* addresses of labels */

enum { WORDS = 1000, PASSES = 20, ROUNDS = 3000, WAYS = 4 };

/* A word whose operands are byte offsets into the state. */
struct hand_word {
    const void *d, *s, *c; /* pieces: direct threading */
    uint16_t rd, ra, rb, rc, gather_to, cell, message, first, second, end;
};

/* A word that is one piece. */
struct hand_joined {
    const void *piece;
    uint64_t registers; /* 8 bits each, in the order of struct hand_word, without the message */
    uint64_t message;
};

static char *base;

static inline uint64_t *at(uint16_t offset)
{
    return (uint64_t *)(void *)(base + offset);
}

static inline void fma_of(const struct hand_word *w)
{
    *at(w->rd) = *at(w->ra) * *at(w->rb) + *at(w->rc);
}

static inline void gather_of(const struct hand_word *w)
{
    *at(w->gather_to) = **(uint64_t **)(void *)(base + w->cell);
}

static inline void pack_of(const struct hand_word *w)
{
    uint64_t *m = at(w->message);
    m[0] = *at(w->first);
    m[1] = *at(w->second);
}

/* words NULL: gives the pieces' addresses in labels. The last word's end is 1. */
static void run_hand(const struct hand_word *words, size_t passes, const void *labels[3])
{
    const struct hand_word *w = words;
    if (!words) {
        labels[0] = &&d;
        labels[1] = &&s;
        labels[2] = &&c;
        return;
    }
    goto * w->d;
d:
    fma_of(w);
    goto * w->s;
s:
    gather_of(w);
    goto * w->c;
c:
    pack_of(w);
    if (w->end) {
        if (--passes == 0)
            return;
        w = words - 1;
    }
    w++;
    goto * w->d;
}

/* The two lowest operands; the barrier as in the interpreter. */
#ifdef __x86_64__
#define TAKE_TWO(a, b)                                                                             \
    __asm__("" : "+Q"(bits));                                                                      \
    (a) = (uint8_t)bits, (b) = (uint8_t)(bits >> 8), bits >>= 16
#else
#define TAKE_TWO(a, b) (a) = (uint8_t)bits, (b) = (uint8_t)(bits >> 8), bits >>= 16
#endif

/* words NULL: gives the pieces' addresses in labels: a word's, and that of what follows the last.
 */
static void run_joined(struct vtpu_state *state, const struct hand_joined *words, size_t passes,
                       const void *labels[2])
{
    const struct hand_joined *w = words;
    uint64_t bits, *r = state->r;
    unsigned to, a, b, c;
    if (!words) {
        labels[0] = &&all;
        labels[1] = &&end;
        return;
    }
    goto * w->piece;
all:
    bits = w->registers;
    TAKE_TWO(to, a);
    TAKE_TWO(b, c);
    r[to] = r[a] * r[b] + r[c];
    TAKE_TWO(to, a);
    r[to] = *state->cell[a];
    TAKE_TWO(a, b);
    state->m[w->message][0] = r[a];
    state->m[w->message][1] = r[b];
    w++;
    goto * w->piece;
end:
    if (--passes == 0)
        return;
    w = words;
    goto * w->piece;
}

static void make_hand(struct hand_word *to, const struct siw *words)
{
    const void *label[3];
    run_hand(NULL, 0, label);
    for (int i = 0; i < WORDS; i++) {
        const struct vtpu_op *d = &words[i].slot[0], *s = &words[i].slot[1], *c = &words[i].slot[2];
        const size_t r = offsetof(struct vtpu_state, r);
        to[i] = (struct hand_word){.d = label[0], .s = label[1], .c = label[2]};
        to[i].rd = (uint16_t)(r + 8u * d->rd);
        to[i].ra = (uint16_t)(r + 8u * d->a);
        to[i].rb = (uint16_t)(r + 8u * d->b);
        to[i].rc = (uint16_t)(r + 8u * d->c);
        to[i].gather_to = (uint16_t)(r + 8u * s->rd);
        to[i].cell = (uint16_t)(offsetof(struct vtpu_state, cell) + 8u * s->a);
        to[i].message = (uint16_t)(offsetof(struct vtpu_state, m) + 32u * c->rd);
        to[i].first = (uint16_t)(r + 8u * c->a);
        to[i].second = (uint16_t)(r + 8u * c->b);
        to[i].end = i == WORDS - 1;
    }
}

/* One more than WORDS. */
static void make_joined(struct vtpu_state *state, struct hand_joined *to, const struct siw *words)
{
    const void *label[2];
    run_joined(state, NULL, 0, label);
    for (int i = 0; i < WORDS; i++) {
        const struct vtpu_op *d = &words[i].slot[0], *s = &words[i].slot[1], *c = &words[i].slot[2];
        const uint8_t registers[8] = {d->rd, d->a, d->b, d->c, s->rd, s->a, c->a, c->b};
        to[i] = (struct hand_joined){.piece = label[0], .message = c->rd};
        for (unsigned k = 0; k < sizeof registers; k++)
            to[i].registers |= (uint64_t)registers[k] << 8 * k;
    }
    to[WORDS].piece = label[1];
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The time of 100,000 dependent additions. */
static double additions(void)
{
    double begin = now();
    uint64_t a = 1, b = 3;
    for (int i = 0; i < 10000; i++)
        for (int k = 0; k < 10; k++) {
            a += b;
            __asm__ volatile("" : "+r"(a), "+r"(b));
        }
    return now() - begin;
}

int main(void)
{
    static const char *const names[WAYS] = {
        "by hand, a jump for each op", "by hand, a jump for each word", "interpreter", "compiled"};
    static struct siw words[WORDS];
    static struct hand_word hand[WORDS];
    static struct hand_joined joined[WORDS + 1];
    struct vtpu_state state, check;
    struct vtpu_native code;
    struct native native = {0};
    double best[WAYS], cycle = 1;
    vtpu_stream(vtpu_workload_find("balanced"), words, WORDS, 0);
    vtpu_state_open(&state, 1);
    vtpu_state_open(&check, 1);
    base = (char *)&state;
    make_hand(hand, words);
    make_joined(&state, joined, words);
    struct vtpu_program *program = vtpu_program_new(words, WORDS);
    int target = VTPU_TARGETS - 1;
    while (target >= 0 && !vtpu_target_runs((enum vtpu_target)target))
        target--;
    if (target >= 0) {
        vtpu_compile((enum vtpu_target)target, words, WORDS, &code);
        native_load(&native, &code, NULL);
        free(code.bytes);
    }
    for (int k = 0; k < WAYS; k++)
        best[k] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double t = additions() / 100000;
        cycle = t < cycle ? t : cycle;
        for (int k = 0; k < WAYS; k++) {
            double begin = now();
            if (k == 0)
                run_hand(hand, PASSES, NULL);
            else if (k == 1)
                run_joined(&state, joined, PASSES, NULL);
            else if (k == 2)
                vtpu_interpret(&state, program, PASSES);
            else if (native.run)
                native.run(&state, PASSES);
            t = (now() - begin) / PASSES / WORDS;
            best[k] = t < best[k] ? t : best[k];
        }
    }
    /* All did the same work: the interpreter alone gets to the same state. */
    vtpu_interpret(&check, program, (size_t)ROUNDS * PASSES * (native.run ? 4 : 3));
    if (memcmp(state.r, check.r, sizeof check.r) != 0 ||
        memcmp(state.m, check.m, sizeof check.m) != 0) {
        fprintf(stderr, "vtpu: the ways differ\n");
        return 1;
    }
    double hand_best = best[0] < best[1] ? best[0] : best[1];
    printf("balanced stream, core clock %.2f GHz\n\n", 1e-9 / cycle);
    printf("| way | cycles a word | vTPU ops a cycle |\n|---|---|---|\n");
    for (int k = 0; k < WAYS; k++)
        if (k != 3 || native.run)
            printf("| %s | %.2f | %.2f |\n", names[k], best[k] / cycle, 3 * cycle / best[k]);
    printf("\n%s  interpreter / best loop by hand: %.2f, target 1.3\n",
           best[2] <= 1.3 * hand_best ? "reached" : "MISSED ", best[2] / hand_best);
    return 0;
}
