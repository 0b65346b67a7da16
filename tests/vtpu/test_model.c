/* The model against a simulation that goes cycle by cycle, and against laws. */
#include <stdlib.h>
#include <string.h>

#include "vtpu/model.h"
#include "vtpu/stream.h"
#include "support/test.h"

enum { WORDS_MAX = 200, NONE = -1 };

/* What an op reads, as places: 0 to 31 general, 32 coordinate, 48 message, 64 cell, 80 inbox. */
static int place_of(char letter, const struct vtpu_op *op)
{
    switch (letter) {
    case 'a':
        return op->a;
    case 'b':
        return op->b;
    case 'c':
        return op->c;
    case 'd':
        return op->rd;
    case 'p':
        return 32 + op->a;
    case 'q':
        return 32 + op->rd % 16;
    case 'm':
        return 48 + op->a;
    case 'n':
        return 48 + op->rd;
    case 'M':
        return 64 + op->a;
    default:
        return 80;
    }
}

/*
 * Which op an op waits for, and how: found by looking back through the words, slot by slot, for who
 * wrote a place last. A coordinate that moves makes its cell new.
 */
static int last_writer(const struct siw *words, int word, int pipe, int place)
{
    for (int at = word * 3 + pipe - 1; at >= 0; at--) {
        const struct vtpu_op *op = &words[at / 3].slot[at % 3];
        for (const char *c = vtpu_ops[op->code].writes; *c; c++) {
            if (place_of(*c, op) == place)
                return at;
            if (*c == 'q' && place == 64 + op->rd % 16)
                return NONE;
        }
    }
    return NONE;
}

static bool waits_for(const struct siw *w, int pipe, int other)
{
    static const struct {
        int pipe, other, bit;
    } rules[] = {{0, 0, 1}, {1, 1, 2}, {2, 2, 4}, {0, 1, 8}, {1, 0, 16}, {2, 0, 32}};
    for (size_t i = 0; i < 6; i++)
        if (rules[i].pipe == pipe && rules[i].other == other && w->deps & rules[i].bit)
            return true;
    return false;
}

struct simulation {
    const struct siw *words;
    long ends[WORDS_MAX * 3]; /* -1: has not begun */
    long entered[WORDS_MAX];
};

static bool ended(const struct simulation *s, int slot, long now)
{
    return slot == NONE || (s->ends[slot] >= 0 && s->ends[slot] <= now);
}

static bool may_begin(const struct simulation *s, int word, int pipe, long now)
{
    const struct vtpu_op *op = &s->words[word].slot[pipe];
    for (const char *c = vtpu_ops[op->code].reads; *c; c++)
        if (!ended(s, last_writer(s->words, word, pipe, place_of(*c, op)), now))
            return false;
    for (int other = 0; word > 0 && other < 3; other++)
        if (waits_for(&s->words[word], pipe, other) &&
            !siw_op_is_nop(&s->words[word - 1].slot[other]) &&
            !ended(s, (word - 1) * 3 + other, now))
            return false;
    return true;
}

/* Whether the word and all before it are finished. */
static bool finished(const struct simulation *s, int word, long now)
{
    for (int k = 0; k <= word; k++) {
        if (s->entered[k] < 0 || s->entered[k] + 1 > now)
            return false;
        for (int pipe = 0; pipe < 3; pipe++)
            if (!siw_op_is_nop(&s->words[k].slot[pipe]) && !ended(s, k * 3 + pipe, now))
                return false;
    }
    return true;
}

/* Begins what can begin in this cycle; a pipe begins one op. Whether there was one. */
static bool begin_one(struct simulation *s, int entered, int next[3], long begun[3], long now)
{
    for (int pipe = 0; pipe < 3; pipe++) {
        while (next[pipe] < entered && siw_op_is_nop(&s->words[next[pipe]].slot[pipe]))
            next[pipe]++;
        if (next[pipe] == entered || begun[pipe] == now || !may_begin(s, next[pipe], pipe, now))
            continue;
        const struct vtpu_op *op = &s->words[next[pipe]].slot[pipe];
        s->ends[next[pipe]++ * 3 + pipe] = now + vtpu_ops[op->code].latency;
        begun[pipe] = now;
        return true;
    }
    return false;
}

static long simulate(const struct siw *words, int n)
{
    static struct simulation s;
    int entered = 0, next[3] = {0, 0, 0};
    long begun[3] = {-1, -1, -1};
    s.words = words;
    memset(s.ends, -1, sizeof s.ends);
    memset(s.entered, -1, sizeof s.entered);
    for (long now = 0;; now++) {
        if (n == 0 || finished(&s, n - 1, now))
            return now;
        if (entered < n && (entered < MODEL_WINDOW || finished(&s, entered - MODEL_WINDOW, now)))
            s.entered[entered++] = now;
        while (begin_one(&s, entered, next, begun, now)) /* one of latency 0 lets others begin */
            ;
    }
}

TEST(the_model_is_the_simulation)
{
    static struct siw words[WORDS_MAX];
    for (uint64_t seed = 0; seed < 400; seed++) {
        int n = (int)(seed % 120);
        vtpu_stream_any(words, (size_t)n, seed);
        long want = simulate(words, n);
        if (vtpu_model_cycles(words, (size_t)n, 1) != (uint64_t)want)
            fail_msg("seed %d: %ld", (int)seed, want);
    }
    for (size_t k = 0; k < vtpu_nworkloads; k++) {
        vtpu_stream(&vtpu_workloads[k], words, 150, k);
        assert_int_equal(vtpu_model_cycles(words, 150, 1), simulate(words, 150));
    }
}

TEST(chains_and_independent_ops_take_what_they_must)
{
    static struct siw words[WORDS_MAX];
    struct vtpu_prediction p;
    for (int i = 0; i < WORDS_MAX; i++) {
        words[i] = siw_nop();
        words[i].slot[0] = (struct vtpu_op){.code = VTPU_DFMA, .rd = 1, .a = 1, .b = 2, .c = 3};
    }
    vtpu_predict(words, WORDS_MAX, &p);
    assert_true(p.cycles == 4.0 * WORDS_MAX && p.fill == 1 && p.ops_per_cycle == 0.25);
    for (int i = 0; i < WORDS_MAX; i++)
        words[i].slot[0].a = 2;
    vtpu_predict(words, WORDS_MAX, &p);
    assert_true(p.cycles == WORDS_MAX && p.ops_per_cycle == 1);
    vtpu_stream(vtpu_workload_find("balanced"), words, 160, 0);
    vtpu_predict(words, 160, &p);
    assert_true(p.ops_per_cycle == 3 && p.fill == 3);
    vtpu_stream(vtpu_workload_find("sparse"), words, 160, 0);
    vtpu_predict(words, 160, &p);
    assert_true(p.fill == 0.1);
    vtpu_predict(words, 0, &p);
    assert_true(p.cycles == 0 && p.ops_per_cycle == 0);
}

TEST(more_dependencies_never_make_it_faster)
{
    static struct siw words[WORDS_MAX];
    for (uint64_t seed = 0; seed < 200; seed++) {
        vtpu_stream_any(words, WORDS_MAX, seed);
        uint64_t before = vtpu_model_cycles(words, WORDS_MAX, 2);
        assert_true(before >= (uint64_t)WORDS_MAX * 2);
        for (int i = 0; i < WORDS_MAX; i++)
            words[i].deps = 0x3f;
        assert_true(vtpu_model_cycles(words, WORDS_MAX, 2) >= before);
        for (int i = 0; i < WORDS_MAX; i++)
            words[i].deps = 0;
        assert_true(vtpu_model_cycles(words, WORDS_MAX, 2) <= before);
    }
}
