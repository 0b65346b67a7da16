/* The interpreter against a second one that was written from the description of the ops, and the
 * seed's streams. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/vtpu_naive.h"
#include "vtpu/interpret.h"
#include "vtpu/stream.h"
#include "support/test.h"

static void check_both(const struct siw *words, size_t n, size_t times, uint64_t seed)
{
    struct vtpu_state s;
    vtpu_state_open(&s, seed);
    struct naive_vtpu *v = naive_new(&s);
    struct vtpu_program *p = vtpu_program_new(words, n);
    vtpu_interpret(&s, p, times);
    vtpu_program_free(p);
    for (size_t k = 0; k < times; k++)
        naive_run(v, words, n);
    const char *what = naive_difference(v, &s);
    if (what)
        fail_msg("seed %llu: %s differ", (unsigned long long)seed, what);
    naive_free(v);
    vtpu_state_close(&s);
}

TEST(any_words_do_what_the_description_says)
{
    enum { STREAMS = 2000, WORDS = 60 };
    struct siw words[WORDS];
    for (uint64_t seed = 0; seed < STREAMS; seed++) {
        vtpu_stream_any(words, WORDS, seed);
        check_both(words, seed % (WORDS + 1), 1 + seed % 3, seed);
    }
}

TEST(each_workload_does_what_the_description_says)
{
    enum { WORDS = 700 };
    static struct siw words[WORDS];
    for (size_t k = 0; k < vtpu_nworkloads; k++) {
        vtpu_stream(&vtpu_workloads[k], words, WORDS, k);
        check_both(words, WORDS, 2, k);
    }
}

static void run_one(struct vtpu_state *s, enum vtpu_code code, struct vtpu_op op)
{
    struct siw w = siw_nop();
    op.code = (uint8_t)code;
    w.slot[vtpu_ops[code].pipe] = op;
    siw_normalise(&w);
    struct vtpu_program *p = vtpu_program_new(&w, 1);
    vtpu_interpret(s, p, 1);
    vtpu_program_free(p);
}

/* Where the two documented meanings of an op differ, this is the one that was chosen
 * (docs/VALIDATION.md). */
TEST(conflicts_are_decided_as_documented)
{
    struct vtpu_state s;
    vtpu_state_open(&s, 1);
    s.r[1] = 0x8000000000000000;
    s.r[2] = 1;
    s.r[3] = 0;
    run_one(&s, VTPU_DCMP, (struct vtpu_op){.rd = 4, .a = 1, .b = 2}); /* a - b would overflow */
    assert_true(s.r[4] == UINT64_MAX);
    run_one(&s, VTPU_DSEL,
            (struct vtpu_op){.rd = 4, .a = 1, .b = 2, .c = 3}); /* r[3] is 0, 3 is not */
    assert_true(s.r[4] == 1);
    s.r[1] = 0x1234;
    for (uint8_t kind = 0; kind < 6; kind++) {
        run_one(&s, VTPU_DRED, (struct vtpu_op){.rd = 4, .a = 1, .b = kind});
        assert_true(s.r[4] == 0x1234);
    }
    s.r[2] = 0x1000;
    run_one(&s, VTPU_DHDBUND, (struct vtpu_op){.rd = 4, .a = 1, .b = 2});
    assert_true(s.r[4] == 0x2234); /* not 0x1234 | 0x1000 */
    run_one(&s, VTPU_DHDENC, (struct vtpu_op){.rd = 4, .a = 1, .b = 60});
    assert_true(s.r[4] == 0x4000000000000123);
    run_one(&s, VTPU_SALLOC, (struct vtpu_op){.rd = 4, .offset = 77});
    assert_true(s.r[4] == 77);
    vtpu_state_close(&s);
}

TEST(the_inbox_gives_the_last_message_first_and_loses_what_has_no_room)
{
    struct vtpu_state s;
    vtpu_state_open(&s, 1);
    for (uint64_t k = 1; k <= 70; k++) {
        s.m[3][0] = k;
        run_one(&s, VTPU_CSEND, (struct vtpu_op){.a = 3});
    }
    for (uint64_t k = 64; k >= 1; k--) {
        run_one(&s, VTPU_CRECV, (struct vtpu_op){.rd = 9});
        assert_true(s.r[9] == k);
    }
    run_one(&s, VTPU_CRECV, (struct vtpu_op){.rd = 9});
    assert_true(s.r[9] == 0);
    vtpu_state_close(&s);
}

TEST(any_bytes_become_words_that_can_run)
{
    unsigned char bytes[sizeof(struct siw)];
    struct siw w, again;
    unsigned seed = 5;
    for (int i = 0; i < 20000; i++) {
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
        for (int pipe = 0; pipe < VTPU_PIPES; pipe++)
            bytes[pipe * sizeof(struct vtpu_op)] %= i % 2 ? 255 : VTPU_CODES;
        memcpy(&w, bytes, sizeof w);
        siw_normalise(&w);
        again = w;
        siw_normalise(&again);
        assert_memory_equal(&w, &again, sizeof w);
        struct vtpu_state s;
        vtpu_state_open(&s, 1);
        struct vtpu_program *p = vtpu_program_new(&w, 1);
        vtpu_interpret(&s, p, 2);
        vtpu_program_free(p);
        vtpu_state_close(&s);
    }
}

TEST(the_streams_fill_slots_as_the_seed_says)
{
    static const struct {
        const char *name;
        unsigned thousandths; /* ops in 1000 words */
    } seeds[] = {{"balanced", 3000},
                 {"d-heavy", 1000},
                 {"s-heavy", 1000},
                 {"c-heavy", 1000},
                 {"sparse", 100}};
    static struct siw words[1000];
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        vtpu_stream(vtpu_workload_find(seeds[k].name), words, 1000, 0);
        assert_int_equal(vtpu_stream_ops(words, 1000), seeds[k].thousandths);
        assert_int_equal(vtpu_stream_period(words, 1000) < 1000,
                         strcmp(seeds[k].name, "c-heavy") != 0);
    }
    vtpu_stream(vtpu_workload_find("balanced"), words, 1000, 0);
    assert_int_equal(vtpu_stream_period(words, 1000), 32);
    vtpu_stream(vtpu_workload_find("balanced-medium"), words, 1000, 3);
    assert_int_equal(vtpu_stream_ops(words, 1000), 3000);
    vtpu_stream(vtpu_workload_find("d-heavy-low"), words, 1000, 3);
    assert_in_range(vtpu_stream_ops(words, 1000), 1150, 1350);
    assert_null(vtpu_workload_find("nothing"));
}

TEST(a_seed_gives_the_same_words)
{
    static struct siw a[300], b[300];
    for (size_t k = 0; k < vtpu_nworkloads; k++) {
        vtpu_stream(&vtpu_workloads[k], a, 300, 8);
        vtpu_stream(&vtpu_workloads[k], b, 300, 8);
        assert_memory_equal(a, b, sizeof a);
        vtpu_stream(&vtpu_workloads[k], b, 300, 9);
        assert_int_equal(memcmp((const char *)a, (const char *)b, sizeof a) == 0,
                         vtpu_workloads[k].word != NULL);
    }
}
