/*
 * Who holds a job up while it runs: ranks are processes that call the plugin as NCCL does, or,
 * where there are hundreds of jobs, what it would have recorded of them. Which rank is slow, and
 * from when, is drawn; how long all lasts is simulated. (Forks: not for TSan.)
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/job/rank_collectives.h"
#include "base/env.h"
#include "engine/job/collectives_file.h"
#include "engine/job/job_folder.h"
#include "support/fake_nccl.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define MS      UINT64_C(1000000)
#define SECOND  (1000 * MS)
#define WRITTEN (1700000000 * SECOND) /* time of day of what is written without a rank */
enum { NOBODY = -1, HEALTHY = 60, JOBS = 100 };

static struct job_folder f;

/* A rank's program: what it does between two collectives, and when it stops to come. */
struct scene {
    int ranks, slow;
    double noise, factor; /* of the time of a step; by which the slow one is slower */
    uint64_t seed, step;
    int from, calls; /* it is slow from this call on; calls of all */
    bool waits;      /* the ranks wait for each other; else each is told when the others come */
    int stuck;       /* the rank that does not come to the last call; NOBODY */
    bool no_kernels;
};

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static double draw_share(uint64_t *state)
{
    return (double)(draw(state) >> 11) / (double)(UINT64_C(1) << 53);
}

static uint64_t draw_step(const struct scene *s, int rank, int call, uint64_t *state)
{
    double noise = 0; /* about normal */
    for (int i = 0; i < 6; i++)
        noise += (draw_share(state) - 0.5) * s->noise * 1.4;
    double step = (double)s->step * (1 + noise);
    if (rank == s->slow && call >= s->from)
        step *= s->factor;
    return (uint64_t)step;
}

/* What all ranks do between collectives, call by call. */
struct steps {
    uint64_t states[FAKE_RANKS];
    uint64_t own[FAKE_RANKS];
    int calls;
};

static void begin_steps(struct steps *t, const struct scene *s)
{
    t->calls = 0;
    for (int i = 0; i < s->ranks; i++)
        t->states[i] = s->seed * 7919 + (uint64_t)i + 1;
}

/* Returns how long the slowest one computes. */
static uint64_t draw_steps(struct steps *t, const struct scene *s)
{
    uint64_t most = 0;
    for (int k = 0; k < s->ranks; k++) {
        t->own[k] = draw_step(s, k, t->calls, &t->states[k]);
        most = t->own[k] > most ? t->own[k] : most;
    }
    t->calls++;
    return most;
}

static uint64_t get_device_clock(int rank)
{
    return SECOND * (uint64_t)(rank * rank + 1);
}

static void run_rank(const struct scene *s, int rank, struct fake_meeting *meeting)
{
    struct fake_nccl nccl;
    struct fake_communicator c = {.rank = rank,
                                  .ranks = s->ranks,
                                  .meeting = meeting,
                                  .channels = 4,
                                  .no_kernels = s->no_kernels,
                                  .offset = get_device_clock(rank)};
    struct steps steps;
    begin_steps(&steps, s);
    if (!fake_nccl_open(&nccl, getenv("NCCL_PROFILER_PLUGIN"), 6))
        _exit(1);
    fake_communicator_begin(&c, &nccl, 0xabcdef, "world");
    for (int i = 0; i < s->calls; i++) {
        if (i + 1 == s->calls && rank == s->stuck)
            pause();
        c.others_clock = c.clock + draw_steps(&steps, s);
        fake_collective(&c, "AllReduce", 1024, steps.own[rank], MS / 10);
    }
    _exit(0);
}

/* --- the job's folder, as rooftop job makes it --- */

struct running {
    struct rank_collectives *collectives;
    pid_t pid;
    char folder[128];
};

static void put_summary(struct running *r, int rank, int ranks, const char *state)
{
    char name[64], text[256];
    snprintf(name, sizeof name, ".rank-%05d.abcdef/" RANK_SUMMARY, rank);
    snprintf(text, sizeof text,
             "{\"schema\":\"" RANK_SCHEMA "\",%s,\"rank\":%d,\"ranks\":%d,"
             "\"host\":\"node1\",\"start_us\":%" PRIu64 "}",
             state, rank, ranks, WRITTEN / 1000);
    temp_folder_put(name, text);
    snprintf(r->folder, sizeof r->folder, "%s/.rank-%05d.abcdef", temp_folder, rank);
}

static void start_rank(struct running *r, const struct scene *s, int rank,
                       struct fake_meeting *meeting)
{
    struct error err = ERROR_INIT;
    put_summary(r, rank, s->ranks, "\"state\":\"running\"");
    unsetenv("NCCL_PROFILER_PLUGIN");
    setenv("ROOFTOP_NCCL_LIBRARY", fake_nccl_plugin(), 1);
    r->collectives = rank_collectives_new(&err);
    assert_non_null(r->collectives);
    r->pid = fork();
    if (r->pid == 0)
        run_rank(s, rank, meeting);
    assert_true(r->pid > 0);
}

/* rooftop job looks a while after the last rank has come: no time of the machine counts. */
static uint64_t later_ns;
static uint64_t tell_later(void *ctx)
{
    (void)ctx;
    return later_ns;
}

static bool has_entered(const struct running *r, const struct scene *s)
{
    struct collectives_file file;
    struct error err = ERROR_INIT;
    const int fd = open(r->folder, O_RDONLY | O_DIRECTORY);
    rank_collectives_copy(r->collectives, r->folder);
    const int rc = collectives_file_read(&file, fd, getuid(), 1, "", &err);
    const bool entered =
        rc == 0 && file.ncalls && file.calls[0].begun && file.calls[0].number == (uint64_t)s->calls;
    collectives_file_free(&file);
    close(fd);
    return entered;
}

/* The ranks wait for one that does not come: ends them as soon as all others are there. */
static void end_stuck_job(struct running *ranks, const struct scene *s)
{
    int left = 60000;
    for (int i = 0; i < s->ranks; i++)
        while (i != s->stuck && !has_entered(&ranks[i], s) && left-- > 0)
            usleep(1000);
    for (int i = 0; i < s->ranks; i++)
        kill(ranks[i].pid, SIGKILL);
    assert_true(left > 0);
}

/* Opens the folder so long after the ranks were seen last. */
static void open_job(uint64_t after)
{
    struct error err = ERROR_INIT;
    later_ns += after;
    env_set_clock(tell_later, NULL);
    job_folder_free(&f);
    assert_int_equal(job_folder_open(&f, temp_folder, &err), 0);
    env_set_clock(NULL, NULL);
}

static void run_job(const struct scene *s, uint64_t later)
{
    struct running ranks[FAKE_RANKS];
    struct fake_meeting *meeting = s->waits ? fake_meeting_new(s->ranks) : NULL;
    for (int i = 0; i < s->ranks; i++)
        start_rank(&ranks[i], s, i, meeting);
    if (s->stuck != NOBODY)
        end_stuck_job(ranks, s);
    for (int i = 0; i < s->ranks; i++) {
        int status;
        assert_int_equal(waitpid(ranks[i].pid, &status, 0), ranks[i].pid);
        assert_true(s->stuck != NOBODY || status == 0);
    }
    later_ns = env_now_ns() + later;
    env_set_clock(tell_later, NULL);
    for (int i = 0; i < s->ranks; i++) {
        rank_collectives_copy(ranks[i].collectives, ranks[i].folder);
        rank_collectives_free(ranks[i].collectives);
    }
    env_set_clock(NULL, NULL);
    if (meeting)
        fake_meeting_free(meeting);
    open_job(SECOND);
}

/* --- the same job without a process for each rank --- */

static struct collectives_call make_call(int rank, int number, uint64_t from, uint64_t to)
{
    const uint64_t seen = (uint64_t)number * 2;
    return (struct collectives_call){.serial = (uint64_t)number,
                                     .group = 1,
                                     .number = (uint64_t)number,
                                     .called = seen,
                                     .begun = seen,
                                     .ended = seen + 1,
                                     .first = from + get_device_clock(rank),
                                     .last = to + get_device_clock(rank),
                                     .count = 1024,
                                     .channels = 4,
                                     .done = 4,
                                     .op = "AllReduce",
                                     .type = "ncclFloat32"};
}

/* As the plugin does, and rooftop job that copies it. */
static void write_rank(const struct scene *s, int rank)
{
    const struct collectives_header head = {.magic = COLLECTIVES_MAGIC,
                                            .version = COLLECTIVES_VERSION,
                                            .pid = 1,
                                            .calls = (uint64_t)s->calls,
                                            .groups = 1,
                                            .seen = SECOND,
                                            .seen_wall = WRITTEN};
    const struct collectives_group group = {.serial = 1,
                                            .id = 0xabcdef,
                                            .begun = 1,
                                            .rank = (uint32_t)rank,
                                            .ranks = (uint32_t)s->ranks,
                                            .nodes = 1,
                                            .name = "world"};
    struct collectives_call calls[1024];
    struct steps steps;
    struct running r = {.collectives = NULL};
    char path[256];
    uint64_t clock = 0;
    put_summary(&r, rank, s->ranks, "\"state\":\"running\"");
    snprintf(path, sizeof path, "%s/" RANK_COLLECTIVES, r.folder);
    assert_true(s->calls <= (int)(sizeof calls / sizeof *calls));
    begin_steps(&steps, s);
    for (int i = 0; i < s->calls; i++) {
        const uint64_t all = clock + draw_steps(&steps, s) + MS / 10;
        calls[i] = make_call(rank, i + 1, clock + steps.own[rank], all);
        clock = all;
    }
    const size_t n = (size_t)s->calls * sizeof *calls;
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_int_equal(pwrite(fd, &head, sizeof head, 0), sizeof head);
    assert_int_equal(pwrite(fd, &group, sizeof group, offsetof(struct collectives, groups)),
                     sizeof group);
    assert_int_equal(pwrite(fd, calls, n, offsetof(struct collectives, calls)), n);
    close(fd);
}

static void write_job(const struct scene *s)
{
    temp_folder_remove(NULL);
    temp_folder_make(NULL);
    for (int i = 0; i < s->ranks; i++)
        write_rank(s, i);
    later_ns = WRITTEN;
    open_job(SECOND);
}

FIXTURE_STATUS(begin)
{
    return temp_folder_make(state);
}

FIXTURE_STATUS(end)
{
    job_folder_free(&f);
    return temp_folder_remove(state);
}

static void need_plugin(void)
{
    if (!fake_nccl_plugin())
        skip_because("rooftop was not built");
}

/* --- 100 jobs each --- */

/* Ranks compute for 20 to 60 ms a step, with 1 to 8 % of noise. */
static struct scene draw_scene(uint64_t number)
{
    uint64_t state = number * UINT64_C(0x9e3779b97f4a7c15) + 12345;
    for (int i = 0; i < 8; i++)
        draw(&state);
    struct scene s = {.slow = NOBODY, .stuck = NOBODY, .factor = 1};
    s.ranks = 2 + (int)(draw(&state) % 5);
    s.noise = 0.01 + 0.07 * draw_share(&state);
    s.step = (20 + draw(&state) % 40) * MS;
    s.seed = draw(&state);
    s.calls = HEALTHY + (int)(5 * SECOND / s.step);
    return s;
}

/* A rank becomes 1.15 to 2 times slower; five seconds later it is named. */
TEST_WITH(a_straggler_is_named_within_five_seconds, begin, end)
{
    int right = 0, wrong = 0;
    for (uint64_t i = 0; i < JOBS; i++) {
        struct scene s = draw_scene(i);
        uint64_t state = s.seed;
        s.slow = (int)(draw(&state) % (uint64_t)s.ranks);
        s.factor = 1.15 + 0.85 * draw_share(&state);
        s.from = HEALTHY;
        s.calls = HEALTHY + (int)(5e9 / ((double)s.step * s.factor));
        write_job(&s);
        if (f.slow.rank == JOB_NONE)
            print_message("job %d: nobody is named: %d ranks, rank %d is %.2f times slower\n",
                          (int)i, s.ranks, s.slow, s.factor);
        else if (f.ranks[f.slow.rank].s.rank == (uint32_t)s.slow)
            right++;
        else
            wrong++;
    }
    print_message("%d of %d named rightly, %d wrongly\n", right, JOBS, wrong);
    assert_int_equal(wrong, 0);
    assert_true(right >= 95);
}

TEST_WITH(nobody_is_named_in_healthy_jobs, begin, end)
{
    for (uint64_t i = 0; i < JOBS; i++) {
        const struct scene s = draw_scene(1000 + i);
        write_job(&s);
        if (f.slow.rank != JOB_NONE)
            fail_msg("job %d: %s", (int)i, f.slow.said);
    }
}

/* What is written for those jobs is what the plugin records: the answers are the same, to the
 * number. */
TEST_WITH(written_jobs_are_as_those_of_processes, begin, end)
{
    char said[sizeof f.slow.said];
    need_plugin();
    for (uint64_t i = 3; i < 6; i++) {
        struct scene s = draw_scene(i);
        s.slow = 1;
        s.factor = 2;
        s.from = HEALTHY;
        write_job(&s);
        assert_int_equal(f.slow.cause, SLOW_COLLECTIVES);
        memcpy(said, f.slow.said, sizeof said);
        temp_folder_remove(NULL);
        temp_folder_make(NULL);
        run_job(&s, 0);
        assert_string_equal(f.slow.said, said);
    }
}

/* --- a hang --- */

static struct scene make_hang(void)
{
    return (struct scene){.ranks = 4,
                          .slow = NOBODY,
                          .stuck = 2,
                          .waits = true,
                          .noise = 0.02,
                          .factor = 1,
                          .seed = 5,
                          .step = 20 * MS,
                          .calls = 40};
}

TEST_WITH(a_rank_that_never_came_is_named, begin, end)
{
    const struct scene s = make_hang();
    need_plugin();
    run_job(&s, 20 * SECOND);
    assert_int_not_equal(f.slow.rank, JOB_NONE);
    assert_int_equal(f.ranks[f.slow.rank].s.rank, 2);
    assert_int_equal(f.slow.cause, SLOW_HANG);
    assert_non_null(strstr(f.slow.said, "rank 2 never entered AllReduce #40 of group world; 3 "
                                        "ranks wait for "));
    assert_non_null(strstr(f.slow.why, "rank 2: AllReduce #39, completed"));
}

/* Nobody has seen its ranks for minutes. */
TEST_WITH(of_a_killed_job_the_past_is_told, begin, end)
{
    const struct scene s = make_hang();
    need_plugin();
    run_job(&s, 20 * SECOND);
    open_job(300 * SECOND);
    assert_int_equal(f.slow.cause, SLOW_HANG);
    assert_non_null(strstr(f.slow.said, "rank 2 never entered AllReduce #40 of group world; 3 "
                                        "ranks waited for "));
}

TEST_WITH(of_a_straggler_of_a_killed_job_the_past_is_told, begin, end)
{
    struct scene s = draw_scene(3);
    s.slow = 1;
    s.factor = 2;
    write_job(&s);
    assert_non_null(strstr(f.slow.said, "rank 1 holds the others up: "));
    open_job(300 * SECOND);
    assert_non_null(strstr(f.slow.said, "rank 1 held the others up: "));
    assert_non_null(strstr(f.slow.why, "what it did meanwhile is not recorded there"));
}

/* rooftop job was there until the end, and wrote how it ended. */
TEST_WITH(a_job_that_a_signal_ended_may_have_hung, begin, end)
{
    const struct scene s = make_hang();
    need_plugin();
    run_job(&s, 20 * SECOND);
    for (int i = 0; i < s.ranks; i++) {
        char from[256], to[256], name[64];
        struct running r = {.collectives = NULL};
        put_summary(&r, i, s.ranks, "\"state\":\"ended\",\"signal\":15");
        snprintf(from, sizeof from, "%s/.rank-%05d.abcdef", temp_folder, i);
        snprintf(name, sizeof name, "rank-%05d", i);
        snprintf(to, sizeof to, "%s/%s", temp_folder, name);
        assert_int_equal(rename(from, to), 0);
    }
    open_job(SECOND);
    assert_int_equal(f.slow.cause, SLOW_HANG);
    assert_non_null(strstr(f.slow.said, "3 ranks waited for "));
}

/* A wait of a second is none. */
TEST_WITH(a_short_wait_is_no_hang, begin, end)
{
    const struct scene s = make_hang();
    need_plugin();
    run_job(&s, SECOND / 2);
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* Where nothing tells when kernels run, nobody is judged: a call that is enqueued may wait long. */
TEST_WITH(without_kernels_nobody_is_named, begin, end)
{
    struct scene s = make_hang();
    need_plugin();
    s.stuck = NOBODY;
    s.slow = 1;
    s.factor = 3;
    s.no_kernels = true;
    run_job(&s, 20 * SECOND);
    assert_int_equal(f.slow.rank, JOB_NONE);
}

/* A job with this number in the file of rank 1 is told so. */
static void expect_note(uint64_t number, size_t at, const char *note)
{
    const struct scene s = draw_scene(3);
    char path[256], text[256];
    struct error err = ERROR_INIT;
    write_job(&s);
    const uint32_t before = f.nnotes;
    snprintf(path, sizeof path, "%s/.rank-00001.abcdef/" RANK_COLLECTIVES, temp_folder);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, &number, sizeof number, (off_t)at), sizeof number);
    close(fd);
    job_folder_free(&f);
    assert_int_equal(job_folder_open(&f, temp_folder, &err), 0);
    assert_int_equal(f.nnotes, before + 1);
    snprintf(text, sizeof text, "ranks, rank 1 first, have %s", note);
    assert_non_null(strstr(f.notes[before], text));
}

TEST_WITH(what_the_plugin_could_not_keep_is_told, begin, end)
{
    expect_note(7, offsetof(struct collectives_header, dropped),
                "communicators or calls of NCCL that are not judged");
}

TEST_WITH(what_nccl_does_not_tell_is_told, begin, end)
{
    expect_note(500, offsetof(struct collectives, groups[0].announced),
                "collectives that are not judged: NCCL tells a plugin nothing of those over "
                "symmetric memory or by copy engines");
}

/* --- damaged files --- */

TEST_WITH(damage_is_told_and_the_others_are_read, begin, end)
{
    struct scene s = draw_scene(3);
    char path[256];
    need_plugin();
    s.ranks = 4;
    s.slow = 1;
    s.factor = 3;
    run_job(&s, 0);
    assert_int_equal(f.slow.cause, SLOW_COLLECTIVES);
    snprintf(path, sizeof path, "%s/.rank-00003.abcdef/" RANK_COLLECTIVES, temp_folder);
    assert_int_equal(truncate(path, 100), 0);
    struct error err = ERROR_INIT;
    job_folder_free(&f);
    assert_int_equal(job_folder_open(&f, temp_folder, &err), 0);
    assert_int_equal(f.slow.rank, JOB_NONE); /* a group of which a rank is missing is not judged */
    assert_int_equal(truncate(path, 0), 0);
    job_folder_free(&f);
    assert_int_equal(job_folder_open(&f, temp_folder, &err), 0);
    assert_non_null(strstr(f.notes[f.nnotes - 1], "damaged"));
}
