/*
 * The traced program writes what it likes into the shared memory, while rooftop reads. rooftop goes
 * on, and does nothing to processes that are not of the trace. Forks: not for TSan.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/recorder/recorder_impl.h"
#include "support/compiled.h"
#include "support/recorder_library.h"
#include "support/skip.h"
#include "support/test.h"

extern const struct tracer_ops tracer_inject;

static uint64_t events, sum;

static void on_event(void *ctx, const struct syscall_event *e)
{
    (void)ctx;
    events++;
    for (uint32_t i = 0; i < e->npieces; i++) /* all of it is there */
        for (uint32_t k = 0; k < e->pieces[i].size; k++)
            sum += e->bytes[e->pieces[i].offset + k];
}

static const struct syscall_sink sink = {.event = on_event, .entries = true};

/* --- a process that shares the memory, and writes into it --- */

static uint64_t seed;

static uint32_t next(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33);
}

/* A record of the right index that says anything, in one of four rings. */
static void put_record(struct share *s, uint64_t *heads)
{
    const uint32_t i = next() % 4;
    struct syscall_ring *ring = share_ring(s, i);
    const uint64_t at = heads[i]++;
    struct syscall_record *c = &share_records(ring)[at % SYSCALL_RING_RECORDS];
    for (int k = 0; k < 6; k++)
        c->data[k] = next() % (k == 2 ? 9000 : 300);
    c->number = (next() % 8) << 8 | next() % 256;
    c->tsc = tsc_now();
    ring->pid = (int32_t)(next() % 5);
    ring->tid = (int32_t)(next() % 5);
    ring->head = heads[i];
    __atomic_store_n(&c->stamp, syscall_record_stamp(at, next() % 6), __ATOMIC_RELEASE);
}

static _Noreturn void write_for_ever(struct share *s)
{
    uint64_t heads[4] = {0};
    struct syscall_control *c = s->control;
    for (uint32_t n = 0;; n++) {
        uint32_t *to = (uint32_t *)(void *)c + next() % (sizeof *c / sizeof *to);
        if (n % 8 == 0)
            __atomic_store_n(to, next(), __ATOMIC_RELAXED);
        else if (n % 8 == 1)
            __atomic_store_n((&c->bell) + next() % 6, next() % 3 - 1, __ATOMIC_RELAXED);
        else if (n % 8 < 4)
            __atomic_store_n(&c->states[next() % 5], next() % 5, __ATOMIC_RELAXED);
        else
            put_record(s, heads);
        if (n % 64 == 0)
            __atomic_store_n((uint32_t *)(void *)share_ring(s, next() % 4) + next() % 900, next(),
                             __ATOMIC_RELAXED);
    }
}

TEST(test_written_while_it_is_read)
{
    enum { ROUNDS = 3000 };
    static struct share share;
    static const struct tracer_setup setup;
    struct tracer_result result = {0};
    struct error why = ERROR_INIT;
    if (share_open(&share, "/none", &why) != 0)
        skip_because("shared memory: %s", why.why);
    struct rings rings = {.share = &share, .setup = &setup, .sink = &sink, .result = &result};
    rings_open(&rings);
    const pid_t writer = fork();
    if (writer == 0)
        write_for_ever(&share);
    for (int i = 0; i < ROUNDS; i++) {
        rings_read(&rings);
        if (share.nchunks < 3)
            share_grow(&share);
        if (i % 16 == 0)
            rings_reap(&rings, i % 32 == 0);
        if (i % 16 == 1)
            rings_executed(&rings, i % 5, i % 3);
        assert_int_equal(share_rings(&share), share.nchunks * SYSCALL_RING_PER_CHUNK);
        assert_true(rings.n <= share_rings(&share));
    }
    kill(writer, SIGKILL);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    rings_catch_up(&rings);
    rings_close(&rings);
    share_close(&share);
}

/* Sites are bytes that rooftop's user lets another program execute: no program may change them. */
TEST(test_sites_cannot_be_written)
{
    static struct share share;
    struct error why = ERROR_INIT;
    struct shmid_ds d;
    if (share_open(&share, "/none", &why) != 0)
        skip_because("shared memory: %s", why.why);
    assert_int_equal(shmctl(share.control->sites_id, IPC_STAT, &d), 0);
    assert_int_equal(d.shm_perm.mode & 0777, 0400);
    assert_true(plan_has_share(&share, getpid()));
    assert_false(plan_has_share(&share, 1));
    share_close(&share);
}

/* A time that a program wrote lies between the begin of the trace and now. */
TEST(test_times_are_those_of_the_trace)
{
    struct tsc_line line;
    tsc_line_begin(&line);
    usleep(1000);
    tsc_line_draw(&line);
    if (!line.slope)
        skip_because("this processor has no time stamp counter");
    const uint64_t now = tsc_line_ns(&line, tsc_now());
    assert_true(now > line.ns);
    assert_int_equal(tsc_line_ns(&line, 0), line.ns);
    assert_int_equal(tsc_line_ns(&line, line.tsc - 1), line.ns);
    assert_in_range(tsc_line_ns(&line, UINT64_MAX), now, now + UINT64_C(3600000000000));
}

/* --- a program under the recorder --- */

static void needs_recorder(void)
{
    char here[2048], line[4096];
    recorder_library_needed();
    assert_non_null(getcwd(here, sizeof here));
    snprintf(line, sizeof line,
             "[ -x forger ] || cc -O1 -D_GNU_SOURCE -o forger %s/tests/recorder/programs/forger.c",
             here);
    assert_true(compiled_shell(line));
}

static void trace(char **argv, struct tracer_result *result)
{
    char program[4096];
    const struct tracer_setup setup = {
        .argv = argv, .follow = true, .same_cpu = true, .inject = true, .string_limit = 32};
    struct error err = ERROR_INIT;
    snprintf(program, sizeof program, "%s/forger", compiled_dir());
    argv[0] = program;
    if (tracer_inject.run(&setup, &sink, result, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    assert_true(result->ended);
}

/* It ends by a trap, and that is what rooftop says of it, whatever it wrote before. */
TEST(test_a_program_that_writes_noise)
{
    needs_recorder();
    for (int i = 0; i < 6; i++) {
        char number[16];
        struct tracer_result result;
        char *drop = i % 2 && geteuid() == 0 ? (char *)"drop" : NULL; /* NOLINT: execve's */
        char *argv[] = {NULL, (char *)"noise", number, drop, NULL};   /* NOLINT: type */
        snprintf(number, sizeof number, "%d", i);
        trace(argv, &result);
        assert_true(WIFSIGNALED(result.status));
        assert_int_equal(WTERMSIG(result.status), SIGILL);
        assert_true(result.lost <= (uint64_t)SYSCALL_RING_CHUNKS * SYSCALL_RING_PER_CHUNK);
    }
}

/* rooftop may trace this process: it has the same user, or rooftop is root. It must not. */
TEST(test_a_forged_task_is_not_attached_to)
{
    char number[16], line[256] = "";
    struct tracer_result result;
    needs_recorder();
    const pid_t victim = fork();
    if (victim == 0)
        for (;;)
            pause();
    snprintf(number, sizeof number, "%d", (int)victim);
    char said[4096];
    snprintf(said, sizeof said, "%s/said", compiled_dir());
    char *argv[] = {NULL, (char *)"task", number, said, NULL}; /* NOLINT: execve's type */
    trace(argv, &result);
    kill(victim, SIGKILL);
    assert_int_equal(waitpid(victim, NULL, 0), victim);
    FILE *f = fopen(said, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_string_equal(line, "attach 0 aside 0 sites 0 thread 0 from 99 tracer 0\n");
    assert_non_null(strstr(result.notes[0], "left alone"));
}

/* A worker that root's program starts and gives to another user must not write what root's program
 * reads: its ring says where the recorder writes next. */
TEST(test_another_user_shares_nothing)
{
    char said[4096], line[256] = "";
    struct tracer_result result;
    needs_recorder();
    if (geteuid() != 0)
        skip_because("only root's program can become another user's: run it as root");
    snprintf(said, sizeof said, "%s/apart", compiled_dir());
    char *argv[] = {NULL, (char *)"apart", said, NULL}; /* NOLINT: execve's type */
    trace(argv, &result);
    assert_int_equal(result.status, 0);
    FILE *f = fopen(said, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    fclose(f);
    assert_string_equal(line, "before 2 parent 2 child 0\n");
}

FIXTURE_STATUS(begin)
{
    compiled_new();
    return setenv("XDG_STATE_HOME", compiled_path("state"), 1);
}

FIXTURE(end)
{
    compiled_free();
}

int main(void)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* of the programs that it starts */
    return tests_run(begin, end);
}
