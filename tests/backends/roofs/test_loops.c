/* The loops that measure: they touch what they say and nothing else. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backends/roofs/roofs_impl.h"
#include "base/env.h"
#include "support/test.h"

enum { PAGE = 65536 }; /* of any machine at most */

/* Memory that ends at a page which nobody may touch. */
static char *guarded(size_t bytes)
{
    char *m = mmap(NULL, (size_t)3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(m, MAP_FAILED);
    assert_int_equal(mprotect(m + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    return m + 2 * PAGE - bytes;
}

TEST(every_loop_of_operations_ends)
{
    size_t n = 0;
    for (const struct flop_loop *l = flop_loops; l->name; l++, n++) {
        if (l->supported())
            l->run(3);
        assert_true(l->operations > 0);
        assert_true(strlen(l->type) < 8);
    }
    assert_true(n > 4);
}

TEST(loads_and_stores_stay_within_their_arrays)
{
    for (const struct stream_loop *l = stream_loops; l->name; l++) {
        if (!l->supported())
            continue;
        char *a = guarded(STREAM_GRAIN), *b = guarded(STREAM_GRAIN), *c = guarded(STREAM_GRAIN);
        for (int i = 0; i < STREAM_GRAIN; i++)
            a[i] = b[i] = c[i] = 0;
        l->run(a, b, c, STREAM_GRAIN, 3); /* the pages around them may not be touched */
        munmap(a + STREAM_GRAIN - 2 * PAGE, (size_t)3 * PAGE);
        munmap(b + STREAM_GRAIN - 2 * PAGE, (size_t)3 * PAGE);
        munmap(c + STREAM_GRAIN - 2 * PAGE, (size_t)3 * PAGE);
    }
}

TEST(a_copy_copies)
{
    _Alignas(64) static char a[4 * STREAM_GRAIN], b[4 * STREAM_GRAIN];
    for (const struct stream_loop *l = stream_loops; l->name; l++) {
        if (strcmp(l->name, "copy") != 0 || !l->supported())
            continue;
        for (size_t i = 0; i < sizeof a; i++)
            a[i] = 0, b[i] = (char)(i * 7 + i / 256);
        l->run(a, b, a, sizeof a, 1);
        assert_memory_equal(a, b, sizeof a);
    }
}

/* Fills the registers of vectors with ones. */
static void fill_registers(void)
{
#ifdef __x86_64__
#define ONES(r) "pcmpeqd %%xmm" #r ", %%xmm" #r "\n\t"
    __asm__ volatile(ONES(0) ONES(1) ONES(2) ONES(3) ONES(4) ONES(5) ONES(6) ONES(7)::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#elif defined __aarch64__
#define ONES(r) "movi v" #r ".16b, #255\n\t"
    __asm__ volatile(ONES(0) ONES(1) ONES(2) ONES(3) ONES(4) ONES(5) ONES(6) ONES(7)::
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7");
#endif
}

/* The next loop gets the same memory: what is no number would cost it time on some CPUs. */
TEST(what_is_stored_are_zeros)
{
    static const char zeros[4 * STREAM_GRAIN];
    _Alignas(64) static char a[4 * STREAM_GRAIN], b[sizeof a], c[sizeof a];
    for (const struct stream_loop *l = stream_loops; l->name; l++) {
        if (!l->supported())
            continue;
        fill_registers();
        l->run(a, b, c, sizeof a, 2);
        assert_memory_equal(a, zeros, sizeof a);
    }
}

/* Every line comes once before the first comes again, also after the circle has grown. */
TEST(a_chase_goes_through_all_lines)
{
    enum { LINES = 1000 };
    struct chase c;
    assert_int_equal(chase_make(&c, LINES * 64, PAGES_SMALL, (struct roof_place){false, 0}), 0);
    for (size_t lines = 1; lines <= LINES; lines = lines == 1 ? 10 : lines * 10) {
        bool seen[LINES] = {false};
        chase_grow(&c, lines * 64);
        assert_int_equal(c.bytes, lines * 64);
        void **at = c.first;
        for (size_t i = 0; i < lines; i++) {
            size_t line = (size_t)((char *)at - c.memory) / 64;
            assert_true(line < lines && !seen[line]);
            seen[line] = true;
            at = *at;
        }
        assert_ptr_equal(at, c.first);
        /* the loop in assembly goes the same way */
        for (int i = 0; i < 5 * CHASE_LOADS; i++)
            at = *at;
        assert_ptr_equal(chase_loop(c.first, 5), at);
        chase_run(&c, 3); /* from another line on */
    }
    chase_free(&c);
    assert_null(c.memory);
}

TEST(a_chase_leaves_memory_that_is_not_its_own)
{
    struct chase c;
    char *memory = roof_memory(1 << 20, PAGES_HUGE, (struct roof_place){false, 0});
    assert_non_null(memory);
    chase_lay(&c, memory, 1 << 20);
    chase_grow(&c, 1 << 20);
    chase_run(&c, 100);
    chase_free(&c);
    memory[5] = 1; /* still there */
    roof_memory_free(memory, 1 << 20);
}

/* The memory of a thread serves its loops one after the other, and grows where one needs more. */
TEST(loops_use_the_same_memory)
{
    struct stream_room room = {NULL, 0};
    struct stream_part one = {.loop = stream_loops, .array = STREAM_GRAIN}, other = one;
    stream_take(&one, &room, 1 << 20);
    assert_non_null(one.memory);
    assert_int_equal(room.bytes, 1 << 20);
    other.array = 512 << 10;
    stream_take(&other, &room, 1 << 20);
    assert_ptr_equal(other.memory, one.memory);
    other.array = 1 << 20;
    stream_take(&other, &room, 1 << 20);
    assert_true(room.bytes > 1 << 20);
    other.chunk = STREAM_GRAIN;
    other.at = other.array - STREAM_GRAIN;
    assert_int_equal(stream_pass(&other, 1), STREAM_GRAIN);
    assert_int_equal(other.at, 0);
    stream_room_free(&room);
    assert_null(room.memory);
}

TEST(medians_are_those_of_the_sorted_numbers)
{
    double odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, spread;
    assert_true(slices_median(odd, 5, &spread) == 3);
    assert_true(spread == (4.0 - 2.0) / 3);
    assert_true(slices_median(even, 4, &spread) == 2.5);
    assert_true(isnan(slices_median(even, 0, &spread)) && isnan(spread));
}

static void add_two(const struct slice_work *w, uint64_t n)
{
    *(uint64_t *)w->own += n;
    clock_loop(n);
}

/* The chain of additions beside itself is one addition a cycle, whatever the clock does. */
TEST(the_clock_beside_itself_is_one)
{
    uint64_t ran = 0;
    struct slice_work w = {add_two, &ran, CLOCK_CHAIN, 1};
    struct slice_result r = slices_run(&w, 100000, 31);
    assert_true(ran > 0);
    if (r.slices == 0)
        return; /* too busy: it says so */
    assert_true(r.per_cycle > 0.5 && r.per_cycle < 2);
    assert_true(fabs(r.rate - r.per_cycle * r.clock) < 1e-6 * r.rate);
}

TEST(levels_are_those_of_sysfs)
{
    struct memory_levels l;
    env_set_root("tests/data/roofs");
    levels_read(&l);
    env_set_root(NULL);
    assert_int_equal(l.n, 4);
    assert_string_equal(l.level[0].name, "L1");
    assert_int_equal(l.level[0].bytes, 32768);
    assert_int_equal(l.level[0].sharing, 2);
    assert_string_equal(l.level[2].name, "L3");
    assert_int_equal(l.level[2].bytes, 32 << 20);
    assert_int_equal(l.level[2].sharing, 16);
    assert_string_equal(l.level[3].name, "DRAM");
    assert_int_equal(level_share(&l.level[0], 1), 24576);
    assert_int_equal(level_share(&l.level[2], 4), 4 << 20);
    assert_int_equal(level_share(&l.level[2], 64), 1 << 20); /* sixteen share each of four */
    assert_int_equal(level_share(&l.level[3], 1), 128 << 20);
    assert_int_equal(level_share(&l.level[3], 16), 8 << 20);
    assert_int_equal(level_share(&l.level[3], 64), 8 << 20);   /* there are four last caches */
    assert_int_equal(level_share(&l.level[3], 1024), 4 << 20); /* an eighth of 32 GiB in all */
}
