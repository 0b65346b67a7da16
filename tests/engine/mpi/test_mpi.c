/* Messages, clocks and waits of simulated MPI jobs, against what the simulation knows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/mpi_record.h"
#include "support/mpi_scene.h"
#include "support/test.h"

static struct job j;
static struct mpi_scene s;

FIXTURE(close_scene)
{
    if (s.folder[0])
        mpi_scene_close(&s, &j);
    s = (struct mpi_scene){.seed = 0};
}

/* A job of ranks that compute a millisecond between exchanges. */
static struct mpi_scene make_scene(uint32_t seed)
{
    return (struct mpi_scene){.seed = seed,
                              .ranks = 2 + (int)(seed % 11),
                              .hosts = 1,
                              .steps = 60,
                              .slow = -1,
                              .cut = -1,
                              .compute = 1e6,
                              .noise = 0.2};
}

/* The simulation gives each message a length of its own. */
static void check_messages(void)
{
    for (size_t i = 0; i < j.mpi->nmessages; i++)
        assert_true(j.mpi->calls[j.mpi->messages[i].send].bytes ==
                    j.mpi->calls[j.mpi->messages[i].receive].bytes);
}

TEST_WITH(every_message_and_collective_is_matched, NULL, close_scene)
{
    for (uint32_t seed = 0; seed < 30; seed++) {
        s = make_scene(seed);
        mpi_scene_open(&s, &j);
        assert_int_equal(j.mpi->nmessages, s.messages);
        assert_int_equal(j.mpi->ntogether, s.collectives);
        assert_int_equal(j.mpi->unmatched, 0);
        check_messages();
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
}

/* What a rank that was killed did not record leaves partners alone; the others still match. */
TEST_WITH(a_rank_that_was_cut_off_mixes_nothing_up, NULL, close_scene)
{
    s = make_scene(9);
    s.cut = 1;
    mpi_scene_open(&s, &j);
    assert_true(j.mpi->nmessages < s.messages && j.mpi->nmessages > s.messages / 2);
    assert_true(j.mpi->unmatched > 0);
    check_messages();
}

/* On one clock the waits are those of the simulation, but for its own short steps. */
TEST_WITH(waits_are_those_of_the_simulation, NULL, close_scene)
{
    for (uint32_t seed = 0; seed < 30; seed++) {
        uint64_t waited = 0, caused = 0;
        s = make_scene(seed);
        s.slow = (int)seed % s.ranks;
        s.slower = 1.5;
        mpi_scene_open(&s, &j);
        for (uint32_t r = 0; r < j.mpi->nranks; r++) {
            const struct mpi_rank *m = &j.mpi->ranks[r];
            assert_true(fabs((double)m->waited - s.waited[r]) < 1e-3 * s.waited[r] + 1000);
            assert_true(m->by[0] + m->by[1] + m->by[2] == m->waited);
            waited += m->waited;
            caused += m->caused;
        }
        /* nothing is caused that nobody waited for; only short waits have no cause */
        assert_true(caused <= waited && caused > waited / 2);
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
}

/* Each wait for a collective that was begun before is as long as the last rank is late to begin it,
 * also with clocks that are apart. */
TEST_WITH(collectives_that_are_begun_before_their_wait_count_where_ranks_wait, NULL, close_scene)
{
    for (uint32_t seed = 0; seed < 40; seed++) {
        s = make_scene(seed);
        s.beside = 4e5 * (seed % 3 + 1);
        s.hosts = seed % 2 && s.ranks > 3 ? 2 : 1;
        s.offset = 1e10;
        s.drift = seed % 4 > 1 ? 2e-5 : 0;
        s.slow = seed % 5 ? (int)seed % s.ranks : -1;
        s.slower = 1.5;
        mpi_scene_open(&s, &j);
        assert_int_equal(j.mpi->ntogether, s.collectives);
        assert_int_equal(j.mpi->unmatched, 0);
        assert_int_equal(j.mpi->backwards, 0);
        const double error = 2.0 * (double)mpi_error(j.mpi, 0, j.mpi->nranks - 1) * s.steps;
        for (uint32_t r = 0; r < j.mpi->nranks; r++)
            assert_true(fabs((double)j.mpi->ranks[r].waited - s.waited[r]) <
                        1e-3 * s.waited[r] + 1000 + error);
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
}

/* A member of a job of two ranks. */
static struct mpi_call make_member(uint32_t rank)
{
    return (struct mpi_call){.rank = rank,
                             .communicator = MPI_RECORD_WORLD,
                             .bytes = 2,
                             .peer = (int32_t)rank,
                             .what = MPI_RECORD_MEMBER};
}

/* Rank 1 sends at 95 and at 105 us; two threads of rank 0 wait for that, from 0 and from 10 us. */
TEST(threads_that_wait_at_the_same_time_count_once)
{
    struct mpi_job m = {.n = 0};
    for (uint32_t r = 0; r < 2; r++) {
        const struct mpi_call member = make_member(r);
        mpi_add_rank(&m, "boot0", 0);
        mpi_add(&m, &member);
        for (int32_t tag = 0; tag < 2; tag++) {
            const uint64_t begin = 1000000 + 10000u * (uint32_t)tag + r * 95000;
            const struct mpi_call c = {.rank = r,
                                       .communicator = MPI_RECORD_WORLD,
                                       .begin = begin,
                                       .end = begin + (r ? 1000 : 100000),
                                       .order = begin,
                                       .peer = 1 - (int32_t)r,
                                       .tag = tag,
                                       .what = r ? MPI_RECORD_SENT : MPI_RECORD_RECEIVED};
            mpi_add(&m, &c);
        }
    }
    mpi_match(&m);
    mpi_align(&m);
    mpi_find_waits(&m);
    assert_int_equal(m.nmessages, 2);
    assert_int_equal(m.ranks[0].by[MPI_LATE_SENDER], 105000);
    assert_int_equal(m.ranks[0].waited, 105000);
    assert_int_equal(m.ranks[1].caused, 105000);
    mpi_free(&m);
}

/* By how much the clock of a host is placed wrongly, at worst, in the time of the job. */
static double find_worst(uint32_t rank, int host)
{
    double worst = 0;
    for (int k = 0; k <= 20; k++) {
        const double at = 1e6 + k * 3e6;
        const uint64_t is = mpi_time(j.mpi, rank, mpi_scene_clock(&s, host, at));
        const uint64_t should = mpi_scene_clock(&s, 0, at);
        worst = fmax(worst, fabs((double)(int64_t)(is - should)));
    }
    return worst;
}

TEST_WITH(clocks_are_found_within_the_error_that_is_told, NULL, close_scene)
{
    for (uint32_t seed = 0; seed < 100; seed++) {
        s = make_scene(seed);
        s.ranks = 2 + (int)(seed % 7);
        s.hosts = 2 + (int)seed % (s.ranks - 1);
        s.offset = seed % 3 ? 1e12 : 1e5;
        s.drift = seed % 4 ? 5e-5 : 0;
        mpi_scene_open(&s, &j);
        assert_int_equal(j.mpi->nclocks, s.hosts);
        for (int r = 0; r < s.ranks; r++) {
            const struct mpi_clock *c = &j.mpi->clocks[j.mpi->ranks[r].clock];
            const int host = r * s.hosts / s.ranks;
            assert_true(c->told);
            assert_true(find_worst((uint32_t)r, host) <= (double)c->error_ns + 2);
            assert_true(c->error_ns < 100000);
        }
        assert_int_equal(j.mpi->backwards, 0);
        check_messages();
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
}

/* Messages that come before they were sent, and collectives that end before all have come. */
static int count_effects_before_causes(void)
{
    const struct mpi_job *m = j.mpi;
    int n = 0;
    for (size_t i = 0; i < m->nmessages; i++)
        n += m->calls[m->messages[i].receive].end < m->calls[m->messages[i].send].begin;
    for (size_t i = 0; i < m->ntogether; i++) {
        const struct mpi_together *t = &m->together[i];
        uint64_t end = UINT64_MAX, last = 0;
        for (uint32_t k = 0; k < t->n; k++) {
            const struct mpi_call *c = &m->calls[m->members[t->from + k]];
            if (mpi_takes(m, t, k) && m->calls[m->ends[t->from + k]].end < end)
                end = m->calls[m->ends[t->from + k]].end;
            last = mpi_gives(m, t, k) && c->begin > last ? c->begin : last;
        }
        n += end < last;
    }
    return n;
}

/* A job of 3, 5 or 16 hosts with clocks that drift, which have to be placed together. */
static struct mpi_scene make_apart(uint32_t seed)
{
    struct mpi_scene out = make_scene(seed);
    out.hosts = (const int[]){3, 5, 16}[seed % 3];
    out.ranks = out.hosts + (int)(seed / 3 % 2) * (16 - out.hosts) / 2;
    out.offset = seed % 5 ? 1e12 : 1e5;
    out.drift = seed % 4 ? 1e-4 : 0;
    out.beside = seed / 2 % 3 * 4e5;
    out.one_way = seed % 7 == 0;
    return out;
}

TEST_WITH(no_effect_comes_before_its_cause, NULL, close_scene)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        s = make_apart(seed);
        mpi_scene_open(&s, &j);
        assert_int_equal(j.mpi->nclocks, s.hosts);
        assert_int_equal(count_effects_before_causes(), 0);
        assert_int_equal(j.mpi->backwards, 0);
        for (int r = 0; r < s.ranks; r++) {
            const struct mpi_clock *c = &j.mpi->clocks[j.mpi->ranks[r].clock];
            const double worst = find_worst((uint32_t)r, r * s.hosts / s.ranks);
            assert_true(c->error_ns == UINT64_MAX || worst <= (double)c->error_ns + 2);
            assert_true(c->told || s.one_way);
        }
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
}

/* Clocks that no line follows: what is too early is moved, and how much is told. */
TEST_WITH(uneven_clocks_leave_no_effect_before_its_cause, NULL, close_scene)
{
    for (uint32_t seed = 0; seed < 20; seed++) {
        uint64_t most = 0;
        s = make_apart(seed + 500);
        s.hosts = seed % 4 ? s.hosts : 2;
        s.uneven = 1e5;
        s.one_way = false;
        mpi_scene_open(&s, &j);
        assert_int_equal(count_effects_before_causes(), 0);
        assert_int_equal(j.mpi->backwards, 0);
        for (uint32_t k = 0; k < j.mpi->nclocks; k++)
            if (j.mpi->clocks[k].shifted_ns > most)
                most = j.mpi->clocks[k].shifted_ns;
        assert_true(most > 0 && (double)most < 10 * s.uneven);
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
}

/* Each of two ranks received what the other sent only after that. */
TEST(records_that_contradict_each_other_are_counted)
{
    struct mpi_job m = {.n = 0};
    for (uint32_t r = 0; r < 2; r++) {
        struct mpi_call c = make_member(r);
        mpi_add_rank(&m, r ? "boot1" : "boot0", 0);
        mpi_add(&m, &c);
        for (int got = 0; got < 2; got++) {
            const uint64_t begin = got ? 1000 : 9000;
            c = (struct mpi_call){.rank = r,
                                  .communicator = MPI_RECORD_WORLD,
                                  .begin = begin,
                                  .end = begin + 1000,
                                  .order = begin,
                                  .peer = 1 - (int32_t)r,
                                  .what = got ? MPI_RECORD_RECEIVED : MPI_RECORD_SENT};
            mpi_add(&m, &c);
        }
    }
    mpi_match(&m);
    mpi_align(&m);
    assert_int_equal(m.nmessages, 2);
    assert_int_equal(m.backwards, 1);
    mpi_free(&m);
}

/* Two ranks at one barrier of 100 us; the second came 10 us later by its clock. */
static bool is_later_rank_sure(const char *clock)
{
    struct mpi_job m = {.n = 0};
    mpi_add_rank(&m, "boot0", 0);
    mpi_add_rank(&m, clock, 0);
    for (uint32_t r = 0; r < 2; r++) {
        struct mpi_call c = make_member(r);
        mpi_add(&m, &c);
        c = (struct mpi_call){.rank = r,
                              .communicator = MPI_RECORD_WORLD,
                              .begin = 1000000 + 10000 * r,
                              .end = 1100000,
                              .peer = -1,
                              .what = MPI_RECORD_SPAN | MPI_RECORD_TOGETHER,
                              .call = MPI_RECORD_Barrier,
                              .kind = MPI_ALL};
        mpi_add(&m, &c);
    }
    mpi_match(&m);
    mpi_align(&m);
    mpi_find_waits(&m);
    assert_int_equal(m.ntogether, 1);
    const bool sure = m.together[0].decided;
    assert_int_equal(m.ranks[1].last, sure);
    mpi_free(&m);
    return sure;
}

/* Rank 0 begins a barrier at 1000 us and rank 1 at 1010 us. Rank 0 waits for it from 1004 us on, or
 * is not seen to do so. */
static uint64_t count_waited_apart(bool seen)
{
    struct mpi_job m = {.n = 0};
    for (uint32_t r = 0; r < 2; r++) {
        struct mpi_call c = make_member(r);
        mpi_add_rank(&m, "boot0", 0);
        mpi_add(&m, &c);
        c = (struct mpi_call){.rank = r,
                              .communicator = MPI_RECORD_WORLD,
                              .begin = 1000000 + 10000 * r,
                              .end = 1000100 + 10000 * r,
                              .peer = -1,
                              .what = MPI_RECORD_SPAN | MPI_RECORD_TOGETHER | MPI_RECORD_APART,
                              .call = MPI_RECORD_Ibarrier,
                              .kind = MPI_ALL};
        mpi_add(&m, &c);
        c.what = MPI_RECORD_APART;
        c.call = MPI_RECORD_Wait;
        c.begin = 1004000 + 10000 * r;
        c.end = 1015000;
        if (seen || r == 1)
            mpi_add(&m, &c);
    }
    mpi_match(&m);
    mpi_align(&m);
    mpi_find_waits(&m);
    assert_int_equal(m.ntogether, 1);
    assert_int_equal(m.ranks[1].waited, 0);
    const uint64_t waited = m.ranks[0].by[MPI_LATE_COLLECTIVE];
    assert_int_equal(m.ranks[1].caused, waited);
    mpi_free(&m);
    return waited;
}

TEST(a_collective_is_waited_for_by_the_call_that_ends_it)
{
    assert_int_equal(count_waited_apart(true), 6000);
    assert_int_equal(count_waited_apart(false), 0);
}

/* A lock of rank 0's memory, by calls from a to b and from c to d, in us. */
static void add_lock(struct mpi_job *m, uint32_t rank, bool alone, const uint64_t us[4])
{
    for (int k = 0; k < 2; k++) {
        const struct mpi_call c = {.rank = rank,
                                   .communicator = 77,
                                   .begin = 1000 * us[2 * k],
                                   .end = 1000 * us[2 * k + 1],
                                   .peer = 0,
                                   .tag = k == 0 && alone,
                                   .what = MPI_RECORD_SPAN,
                                   .call = k ? MPI_RECORD_Win_unlock : MPI_RECORD_Win_lock};
        mpi_add(m, &c);
    }
}

/* Three ranks ask for one lock at the same time. The MPI takes it in MPI_Win_lock of rank 1 and 2,
 * and in MPI_Win_unlock of rank 0. Shared locks hold nobody up. */
static void check_locks(bool alone, uint64_t first, uint64_t second)
{
    struct mpi_job m = {.n = 0};
    for (int r = 0; r < 3; r++)
        mpi_add_rank(&m, "boot0", 0);
    add_lock(&m, 1, alone, (const uint64_t[]){1000, 1001, 1100, 1101});
    add_lock(&m, 2, alone, (const uint64_t[]){1000, 1102, 1150, 1151});
    add_lock(&m, 0, alone, (const uint64_t[]){1000, 1001, 1010, 1153});
    mpi_match(&m);
    mpi_align(&m);
    mpi_find_waits(&m);
    assert_int_equal(m.ranks[1].waited, 0);
    assert_int_equal(m.ranks[2].by[MPI_LATE_WINDOW], first);
    assert_int_equal(m.ranks[0].by[MPI_LATE_WINDOW], second);
    mpi_free(&m);
}

TEST(a_lock_is_waited_for_until_it_is_given_back)
{
    check_locks(true, 101000, 142000);
    check_locks(false, 0, 0);
}

/* Who came last is not told where the clocks may differ by more. */
TEST(the_last_one_is_told_only_beyond_the_error_of_the_clocks)
{
    assert_true(is_later_rank_sure("boot0"));
    assert_false(is_later_rank_sure("boot1"));
}

TEST_WITH(messages_in_one_direction_bound_no_error, NULL, close_scene)
{
    s = make_scene(4);
    s.hosts = 2;
    s.one_way = true;
    s.offset = 5e9;
    mpi_scene_open(&s, &j);
    assert_false(j.mpi->clocks[1].told);
    assert_true(j.mpi->clocks[1].error_ns == UINT64_MAX);
    assert_int_equal(j.mpi->backwards, 0);
}

/* The slow rank is named in 95 of 100 jobs, no rank in 100 healthy ones. */
static int count_named(bool slow, double wander, int *wrong)
{
    int named = 0;
    *wrong = 0;
    for (uint32_t seed = 0; seed < 100; seed++) {
        s = make_scene(seed + 1000);
        s.ranks = 3 + (int)(seed % 10);
        s.hosts = 1 + (int)(seed % 3);
        s.offset = 1e10;
        s.drift = 2e-5;
        s.steps = 100;
        s.slow = slow ? (int)(seed * 7) % s.ranks : -1;
        s.slower = 1.15 + 0.01 * (seed % 50) + 5 * wander;
        s.wander = wander;
        mpi_scene_open(&s, &j);
        const uint32_t rank = j.straggler.rank;
        named += rank != TRACE_UNKNOWN && (int)rank == s.slow;
        *wrong += rank != TRACE_UNKNOWN && (int)rank != s.slow;
        mpi_scene_close(&s, &j);
    }
    s.folder[0] = '\0';
    return named;
}

TEST_WITH(a_slow_rank_is_named, NULL, close_scene)
{
    int wrong;
    const int named = count_named(true, 0, &wrong);
    print_message("named %d, wrong %d\n", named, wrong);
    assert_true(named >= 95);
    assert_int_equal(wrong, 0);
}

/* A rank is late each time, by a delay that changes slowly: then few moments tell anything new. It
 * is named all the same. */
TEST_WITH(a_slow_rank_on_busy_cpus_is_named, NULL, close_scene)
{
    int wrong;
    const int named = count_named(true, 0.15, &wrong);
    print_message("named %d, wrong %d\n", named, wrong);
    assert_true(named >= 95);
    assert_int_equal(wrong, 0);
}

TEST_WITH(no_rank_of_equal_ones_on_busy_cpus_is_named, NULL, close_scene)
{
    int wrong;
    assert_int_equal(count_named(false, 0.15, &wrong), 0);
    assert_int_equal(wrong, 0);
}

TEST_WITH(no_rank_of_equal_ones_is_named, NULL, close_scene)
{
    int wrong;
    assert_int_equal(count_named(false, 0, &wrong), 0);
    assert_int_equal(wrong, 0);
}
