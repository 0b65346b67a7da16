/*
 * Rings as events: rings that the test writes itself, as a recorder inside a program would. The
 * start of a process ends the rings of an earlier one with its number, and only those.
 */
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/recorder/recorder_impl.h"
#include "support/test.h"

enum { MOST = 64, GETPID = 39, NO_THREAD = 0x3ffffff0 };

static struct {
    struct syscall_event list[MOST];
    size_t n;
} seen;

static void on_event(void *ctx, const struct syscall_event *e)
{
    (void)ctx;
    assert_true(seen.n < MOST);
    seen.list[seen.n++] = *e;
}

static struct share share;
static struct rings rings;
static const struct tracer_setup setup;
static struct tracer_result result;
static const struct syscall_sink sink = {.event = on_event};

FIXTURE_STATUS(begin)
{
    struct error why = ERROR_INIT;
    seen.n = 0;
    result = (struct tracer_result){0};
    if (share_open(&share, "/none", &why) != 0)
        return -1;
    rings = (struct rings){.share = &share, .setup = &setup, .sink = &sink, .result = &result};
    rings_open(&rings);
    return 0;
}

FIXTURE(end)
{
    rings_close(&rings);
    share_close(&share);
}

static void begin_ring(uint32_t i, pid_t pid, pid_t tid, bool starts)
{
    struct syscall_ring *ring = share_ring(&share, i);
    ring->pid = pid;
    ring->tid = tid;
    ring->parent = starts ? 1 : 0;
    share.control->states[i] = SYSCALL_RING_USED;
}

static void add_record(uint32_t i, enum syscall_record_kind kind, uint64_t tsc, uint64_t a,
                       uint64_t b)
{
    struct syscall_ring *ring = share_ring(&share, i);
    const uint64_t at = ring->head++;
    share_records(ring)[at % SYSCALL_RING_RECORDS] = (struct syscall_record){
        .number = GETPID, .stamp = syscall_record_stamp(at, kind), .tsc = tsc, .data = {a, b}};
}

/* A call and its return; the result tells calls apart. */
static void add_call(uint32_t i, uint64_t tsc, uint64_t value)
{
    const uint64_t entry = share_ring(&share, i)->head;
    add_record(i, SYSCALL_RING_ENTRY, tsc, 0, 0);
    add_record(i, SYSCALL_RING_EXIT, tsc + 1, value, entry);
}

static void read_all(void)
{
    while (rings_read(&rings) > 0)
        ;
}

static size_t count(enum syscall_event_kind kind, pid_t tid)
{
    size_t n = 0;
    for (size_t i = 0; i < seen.n; i++)
        n += seen.list[i].kind == kind && seen.list[i].tid == tid;
    return n;
}

/* Place of the only event that is so; it fails where there is none, or another one. */
static size_t place(enum syscall_event_kind kind, int64_t value)
{
    size_t at = MOST;
    for (size_t i = 0; i < seen.n; i++)
        if (seen.list[i].kind == kind && (kind != SYSCALL_CALL || seen.list[i].result == value)) {
            assert_int_equal(at, MOST);
            at = i;
        }
    assert_true(at < MOST);
    return at;
}

/* --- threads of the process that starts --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pid_t thread;
static bool may_end;

static void *run_thread(void *ctx)
{
    pthread_mutex_lock(&lock);
    thread = (pid_t)syscall(SYS_gettid);
    pthread_cond_broadcast(&told);
    while (!may_end)
        pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
    return ctx;
}

/* A thread's first record may be read before that of the first thread of its process. */
TEST_WITH(test_a_thread_that_lives_keeps_its_ring, begin, end)
{
    pthread_t t;
    const pid_t own = getpid();
    const uint64_t now = tsc_now();
    assert_int_equal(pthread_create(&t, NULL, run_thread, NULL), 0);
    pthread_mutex_lock(&lock);
    while (!thread)
        pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
    begin_ring(0, own, thread, true);
    add_call(0, now + 10, 1);
    add_call(0, now + 40, 2);
    begin_ring(1, own, own, true);
    add_call(1, now + 20, 3);
    read_all();
    add_call(0, now + 50, 4);
    read_all();
    assert_int_equal(share.control->states[0], SYSCALL_RING_USED);
    assert_int_equal(count(SYSCALL_EXIT, thread), 0);
    assert_int_equal(count(SYSCALL_START, thread), 1);
    assert_int_equal(count(SYSCALL_START, own), 1);
    assert_true(place(SYSCALL_CALL, 1) < place(SYSCALL_CALL, 3)); /* in order of time */
    assert_true(place(SYSCALL_CALL, 3) < place(SYSCALL_CALL, 2));
    assert_true(place(SYSCALL_CALL, 2) < place(SYSCALL_CALL, 4));
    pthread_mutex_lock(&lock);
    may_end = true;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
}

/* --- an earlier process of the same number --- */

/* It was ended by a signal: no record says so. A thread of it goes too. */
TEST_WITH(test_an_earlier_process_ends_first, begin, end)
{
    const pid_t own = getpid();
    const uint64_t now = tsc_now();
    begin_ring(0, own, own, true);
    add_call(0, now + 10, 1);
    begin_ring(1, own, NO_THREAD, true);
    add_call(1, now + 12, 2);
    read_all();
    assert_int_equal(count(SYSCALL_EXIT, own), 0);
    add_record(0, SYSCALL_RING_ENTRY, now + 14, 0, 0); /* and then the signal came */
    read_all();
    begin_ring(2, own, own, true);
    add_call(2, now + 30, 3);
    read_all();
    assert_int_equal(count(SYSCALL_START, own), 2);
    assert_int_equal(count(SYSCALL_EXIT, own), 1);
    assert_int_equal(count(SYSCALL_EXIT, NO_THREAD), 1);
    assert_int_equal(share.control->states[0], SYSCALL_RING_FREE);
    assert_int_equal(share.control->states[1], SYSCALL_RING_FREE);
    assert_int_equal(share.control->states[2], SYSCALL_RING_USED);
    const size_t fresh = place(SYSCALL_CALL, 3);
    assert_int_equal(seen.list[fresh - 1].kind, SYSCALL_START);
    for (size_t i = 0; i < seen.n; i++) /* all that ended, ended before the new one began */
        assert_true(seen.list[i].kind != SYSCALL_EXIT || i < fresh - 1);
    assert_int_equal(result.unfinished, 1);
}

/* What the earlier process has still in its ring is told before its end, once, and the ring is not
 * touched again: it may belong to somebody else by then. */
TEST_WITH(test_a_ring_that_ends_is_read_once, begin, end)
{
    const pid_t own = getpid();
    const uint64_t now = tsc_now();
    begin_ring(0, own, own, true);
    add_call(0, now + 10, 1);
    read_all();
    begin_ring(1, own, own, true);
    add_call(1, now + 20, 2);
    add_call(0, now + 30, 3); /* the processors' clocks differ a little */
    add_call(0, now + 40, 4);
    begin_ring(2, NO_THREAD, NO_THREAD, true);
    add_call(2, now + 50, 5);
    read_all();
    assert_int_equal(count(SYSCALL_EXIT, own), 1);
    assert_int_equal(seen.list[place(SYSCALL_EXIT, 0)].tid, own);
    assert_true(place(SYSCALL_CALL, 3) < place(SYSCALL_CALL, 4));
    assert_true(place(SYSCALL_CALL, 4) < place(SYSCALL_EXIT, 0));
    assert_true(place(SYSCALL_EXIT, 0) < place(SYSCALL_CALL, 2));
    assert_true(place(SYSCALL_CALL, 2) < place(SYSCALL_CALL, 5));
    assert_int_equal(share_ring(&share, 0)->tail, share_ring(&share, 0)->head);
    assert_int_equal(share.control->states[0], SYSCALL_RING_FREE);
    assert_int_equal(result.torn, 0);
}

/* The task that waited knows how the process ended; that is told before the call's return. */
TEST_WITH(test_who_waits_tells_the_end, begin, end)
{
    enum { WAIT4 = 61, STATUS = 0x1000 };
    const pid_t own = getpid();
    const uint64_t now = tsc_now();
    begin_ring(0, own, own, true);
    begin_ring(1, NO_THREAD, NO_THREAD, true);
    add_call(1, now + 10, 1);
    add_record(0, SYSCALL_RING_ENTRY, now + 20, NO_THREAD, STATUS);
    struct syscall_record *c = share_records(share_ring(&share, 0));
    c[0].number = WAIT4;
    add_record(0, SYSCALL_RING_BYTES, now + 30, 0, STATUS);
    c[1].number = 1 << 8 | SYSCALL_BYTES_RETURN;
    c[1].data[2] = sizeof(int);
    c[1].data[3] = 9; /* SIGKILL */
    add_record(0, SYSCALL_RING_EXIT, now + 40, NO_THREAD, 0);
    read_all();
    assert_int_equal(count(SYSCALL_EXIT, NO_THREAD), 1);
    assert_int_equal(seen.list[place(SYSCALL_EXIT, 0)].result, 9);
    assert_true(place(SYSCALL_EXIT, 0) < place(SYSCALL_CALL, NO_THREAD));
    assert_int_equal(share.control->states[1], SYSCALL_RING_FREE);
    /* A process that lives has not ended, whatever a ring says. */
    begin_ring(2, 1, 1, true);
    add_record(0, SYSCALL_RING_ENTRY, now + 50, 1, STATUS);
    c[3].number = WAIT4;
    add_record(0, SYSCALL_RING_BYTES, now + 60, 3, STATUS);
    c[4].number = 1 << 8 | SYSCALL_BYTES_RETURN;
    c[4].data[2] = sizeof(int);
    add_record(0, SYSCALL_RING_EXIT, now + 70, 1, 3);
    read_all();
    assert_int_equal(count(SYSCALL_EXIT, 1), 0);
    assert_int_equal(share.control->states[2], SYSCALL_RING_USED);
}
