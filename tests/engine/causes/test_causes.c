/*
 * Causes among made-up events. A small machine of processes, pipes and signals runs at random and
 * knows what every call moved; a naive matcher of its bytes, and the closure of all pairs, must
 * agree with the edges and clocks of engine/causes. Random events that no machine makes must break
 * nothing.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/causes/causes.h"
#include "engine/syscalls/calls.h"
#include "support/test.h"

/* --- events, their stamps and edges --- */

enum { EVENTS = 1400, EDGES = 8192 };

struct recorded {
    struct causes *causes;
    struct cause edges[EDGES];
    size_t nedges;
    struct cause_stamp stamps[EVENTS]; /* by identifier; clock 0: has not returned */
    int32_t tid[EVENTS];
    size_t n;
};

static uint32_t next(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void on_cause(void *ctx, const struct cause *cause)
{
    struct recorded *r = ctx;
    assert_true(r->nedges < EDGES);
    r->edges[r->nedges++] = *cause;
}

static struct recorded *recorded_new(void)
{
    struct recorded *r = xcalloc(1, sizeof *r);
    r->causes = causes_new(on_cause, r);
    return r;
}

static void recorded_free(struct recorded *r)
{
    causes_free(r->causes);
    free(r);
}

static uint32_t number_of(const char *name)
{
    const int number = syscall_number(SYSCALL_X86_64, name);
    assert_true(number >= 0);
    return (uint32_t)number;
}

static uint64_t record(struct recorded *r, const struct syscall_event *e)
{
    const struct cause_stamp stamp = causes_add(r->causes, e);
    if (stamp.id) {
        assert_true(stamp.id < EVENTS);
        r->stamps[stamp.id] = stamp;
        r->tid[stamp.id] = e->tid;
        r->n = stamp.id > r->n ? stamp.id : r->n;
    }
    return stamp.id;
}

/* The clock grows along every edge, and an edge within a task goes forward: so no circle. */
static void check_edges_grow(const struct recorded *r)
{
    for (size_t i = 0; i < r->nedges; i++) {
        const struct cause *e = &r->edges[i];
        assert_in_range(e->from, 1, r->n);
        assert_in_range(e->to, 1, r->n);
        const struct cause_stamp *from = &r->stamps[e->from], *to = &r->stamps[e->to];
        if (to->clock == 0) /* it never returned */
            continue;
        if (from->entry >= to->clock)
            fail_msg("kind %d: the clock falls from %llu to %llu", e->kind,
                     (unsigned long long)from->entry, (unsigned long long)to->clock);
        if (r->tid[e->from] == r->tid[e->to])
            assert_true(e->from < e->to);
    }
}

/* --- the machine --- */

enum { TASKS = 5, PIPES = 3, BYTES = 64, STEPS = 500, FIRST = 100 };
enum act { ACT_WRITE, ACT_READ, ACT_KILL, ACT_OTHER, ACT_FORK, ACT_WAIT };

struct task {
    uint64_t call; /* identifier of the call that it is in; 0 none */
    struct syscall_event e;
    uint8_t act, pipe;
    bool done, running;     /* what the call does is done; it was forked and has not ended */
    uint64_t signal[TASKS]; /* by sender: identifier of a kill that has not arrived */
};

struct machine {
    struct recorded *r;
    struct task tasks[TASKS];
    struct {
        uint64_t owner[BYTES]; /* of each byte in it, the call that wrote it */
        uint32_t n;
        bool writing, reading;
    } pipes[PIPES];
    struct cause truth[EDGES];
    size_t ntruth;
    bool serial; /* at most one call at a time on an end of a pipe */
    uint64_t seed;
};

static void caused(struct machine *m, uint64_t from, uint64_t to, enum cause_kind kind)
{
    for (size_t i = 0; i < m->ntruth; i++)
        if (m->truth[i].from == from && m->truth[i].to == to)
            return;
    assert_true(m->ntruth < EDGES);
    m->truth[m->ntruth++] = (struct cause){.from = from, .to = to, .kind = (uint8_t)kind};
}

static void enter(struct machine *m, int i, enum act act, const char *name, uint64_t a, uint64_t b,
                  uint64_t c)
{
    struct task *t = &m->tasks[i];
    t->act = (uint8_t)act;
    t->done = false;
    t->e = (struct syscall_event){.kind = SYSCALL_ENTRY,
                                  .abi = SYSCALL_X86_64,
                                  .number = number_of(name),
                                  .pid = FIRST + i,
                                  .tid = FIRST + i,
                                  .args = {a, b, c}};
    t->call = record(m->r, &t->e);
}

static void leave(struct machine *m, int i, int64_t result)
{
    struct task *t = &m->tasks[i];
    t->e.kind = SYSCALL_CALL;
    t->e.result = result;
    record(m->r, &t->e);
    t->e = (struct syscall_event){0};
    t->call = 0;
}

static uint64_t point(struct machine *m, int i, enum syscall_event_kind kind, int64_t result,
                      int32_t by)
{
    struct syscall_event e = {.kind = (uint8_t)kind,
                              .pid = FIRST + i,
                              .tid = FIRST + i,
                              .result = result,
                              .parent = kind == SYSCALL_START ? by : 0};
    e.args[1] = kind == SYSCALL_SIGNAL ? (uint64_t)by : 0;
    return record(m->r, &e);
}

static void make_pipes(struct machine *m)
{
    for (int p = 0; p < PIPES; p++) {
        const int32_t fds[2] = {3 + 2 * p, 4 + 2 * p};
        const struct syscall_piece piece = {.address = 0x100, .size = sizeof fds, .at_return = 1};
        enter(m, 0, ACT_OTHER, "pipe2", 0x100, 0, 0);
        m->tasks[0].e.pieces = &piece;
        m->tasks[0].e.bytes = (const uint8_t *)fds;
        m->tasks[0].e.npieces = 1;
        m->tasks[0].e.nbytes = sizeof fds;
        leave(m, 0, 0);
    }
}

/* The child may be seen before or after its parent's call returns. */
static void make_tasks(struct machine *m)
{
    for (int i = 1; i < TASKS; i++) {
        const bool early = next(&m->seed, 2);
        enter(m, 0, ACT_FORK, "fork", 0, 0, 0);
        const uint64_t call = m->tasks[0].call;
        if (!early)
            leave(m, 0, FIRST + i);
        caused(m, call, point(m, i, SYSCALL_START, 0, FIRST), CAUSE_START);
        if (early)
            leave(m, 0, FIRST + i);
        m->tasks[i].running = true;
    }
    m->tasks[0].running = true;
}

/* The middle of a call, at some moment between its entry and its return. */
static void carry_out(struct machine *m, struct task *t)
{
    const uint32_t asked = (uint32_t)t->e.args[2];
    uint32_t *n = &m->pipes[t->pipe].n;
    uint64_t *owner = m->pipes[t->pipe].owner;
    uint32_t moved = asked;
    if (t->act == ACT_WRITE) {
        moved = moved > BYTES - *n ? BYTES - *n : moved;
        for (uint32_t i = 0; i < moved; i++)
            owner[(*n)++] = t->call;
    } else if (t->act == ACT_READ) {
        moved = moved > *n ? *n : moved;
        for (uint32_t i = 0; i < moved; i++)
            caused(m, owner[i], t->call, CAUSE_BYTES);
        *n -= moved;
        memmove(owner, owner + moved, *n * sizeof *owner);
    }
    if ((t->act == ACT_WRITE || t->act == ACT_READ) && moved == 0)
        return; /* waits */
    t->done = true;
    t->e.result = moved;
}

static void begin_call(struct machine *m, int i)
{
    struct task *t = &m->tasks[i];
    const uint8_t p = (uint8_t)next(&m->seed, PIPES);
    const int to = (int)next(&m->seed, TASKS);
    t->pipe = p;
    switch (next(&m->seed, 4)) {
    case ACT_WRITE:
        if (m->serial && m->pipes[p].writing)
            return;
        m->pipes[p].writing = true;
        enter(m, i, ACT_WRITE, "write", 4 + 2u * p, 0, 1 + next(&m->seed, 20));
        break;
    case ACT_READ:
        if (m->serial && m->pipes[p].reading)
            return;
        m->pipes[p].reading = true;
        enter(m, i, ACT_READ, "read", 3 + 2u * p, 0, 1 + next(&m->seed, 30));
        break;
    case ACT_KILL:
        if (to == i || m->tasks[to].signal[i])
            return;
        enter(m, i, ACT_KILL, "kill", (uint64_t)FIRST + (uint64_t)to, SIGUSR1, 0);
        m->tasks[to].signal[i] = t->call;
        break;
    default:
        enter(m, i, ACT_OTHER, "getppid", 0, 0, 0);
        break;
    }
}

static void end_call(struct machine *m, int i)
{
    struct task *t = &m->tasks[i];
    if (!t->done)
        carry_out(m, t);
    if (!t->done)
        return;
    if (t->act == ACT_WRITE)
        m->pipes[t->pipe].writing = false;
    if (t->act == ACT_READ)
        m->pipes[t->pipe].reading = false;
    leave(m, i, t->act == ACT_WRITE || t->act == ACT_READ ? t->e.result : 0);
}

static void signal_arrives(struct machine *m, int i)
{
    const int from = (int)next(&m->seed, TASKS);
    const uint64_t call = m->tasks[i].signal[from];
    if (!call)
        return;
    m->tasks[i].signal[from] = 0;
    caused(m, call, point(m, i, SYSCALL_SIGNAL, SIGUSR1, FIRST + from), CAUSE_SIGNAL);
}

/* All calls that can end do; then the first task waits for the others, one after the other. */
static void end_all(struct machine *m)
{
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < TASKS; i++)
            if (m->tasks[i].call)
                end_call(m, i);
    if (m->tasks[0].call)
        leave(m, 0, -4);
    for (int i = 1; i < TASKS; i++) {
        const uint64_t exit = point(m, i, SYSCALL_EXIT, 0, 0);
        enter(m, 0, ACT_WAIT, "wait4", (uint64_t)FIRST + (uint64_t)i, 0, 0);
        caused(m, exit, m->tasks[0].call, CAUSE_END);
        leave(m, 0, FIRST + i);
    }
}

static struct machine *run_machine(uint64_t seed, bool serial)
{
    struct machine *m = xcalloc(1, sizeof *m);
    m->r = recorded_new();
    m->seed = seed;
    m->serial = serial;
    point(m, 0, SYSCALL_START, 0, 0);
    make_pipes(m);
    make_tasks(m);
    for (int step = 0; step < STEPS; step++) {
        const int i = (int)next(&m->seed, TASKS);
        struct task *t = &m->tasks[i];
        if (!t->call && next(&m->seed, 8) == 0)
            signal_arrives(m, i);
        else if (!t->call)
            begin_call(m, i);
        else if (!t->done && next(&m->seed, 2))
            carry_out(m, t);
        else
            end_call(m, i);
    }
    end_all(m);
    return m;
}

static void machine_free(struct machine *m)
{
    recorded_free(m->r);
    free(m);
}

/* --- the oracle --- */

static bool has(const struct cause *list, size_t n, const struct cause *e)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].from == e->from && list[i].to == e->to && list[i].kind == e->kind)
            return true;
    return false;
}

/* Two moments for each event, 2 * id its entry; a bit for each moment that happened before. */
struct closure {
    uint8_t before[2 * EVENTS][2 * EVENTS / 8];
};

static void joins(struct closure *c, size_t to, size_t from)
{
    for (size_t i = 0; i < sizeof c->before[0]; i++)
        c->before[to][i] |= c->before[from][i];
    c->before[to][from / 8] |= (uint8_t)(1U << from % 8);
}

/* Until nothing changes: so any order of the list will do. */
static struct closure *closure_of(const struct recorded *r, const struct cause *edges, size_t n)
{
    struct closure *c = xcalloc(1, sizeof *c), *old = xcalloc(1, sizeof *old);
    do {
        memcpy(old, c, sizeof *c);
        for (size_t id = 1; id <= r->n; id++) {
            size_t last = id - 1; /* of the same task */
            while (last > 0 && r->tid[last] != r->tid[id])
                last--;
            if (last > 0)
                joins(c, 2 * id, 2 * last + 1);
            joins(c, 2 * id + 1, 2 * id);
        }
        for (size_t i = 0; i < n; i++) {
            const bool call = r->stamps[edges[i].to].entry != r->stamps[edges[i].to].clock;
            joins(c, 2 * edges[i].to + 1, 2 * edges[i].from);
            if (!call) /* an event is one moment */
                joins(c, 2 * edges[i].to, 2 * edges[i].from);
        }
    } while (memcmp(old, c, sizeof *c) != 0);
    free(old);
    return c;
}

static uint64_t clock_at(const struct recorded *r, size_t moment)
{
    const struct cause_stamp *s = &r->stamps[moment / 2];
    return moment % 2 ? s->clock : s->entry;
}

static void check_machine(const struct machine *m)
{
    const struct recorded *r = m->r;
    struct closure *truth = closure_of(r, m->truth, m->ntruth);
    struct closure *found = closure_of(r, r->edges, r->nedges);
    check_edges_grow(r);
    for (size_t i = 0; i < r->nedges; i++)
        if (!has(m->truth, m->ntruth, &r->edges[i]))
            fail_msg("the edge of kind %d from %llu to %llu is false", r->edges[i].kind,
                     (unsigned long long)r->edges[i].from, (unsigned long long)r->edges[i].to);
    for (size_t i = 0; m->serial && i < m->ntruth; i++)
        if (r->stamps[m->truth[i].to].clock && r->stamps[m->truth[i].from].clock &&
            !has(r->edges, r->nedges, &m->truth[i]))
            fail_msg("no edge of kind %d from %llu to %llu", m->truth[i].kind,
                     (unsigned long long)m->truth[i].from, (unsigned long long)m->truth[i].to);
    for (size_t to = 2; to < 2 * r->n + 2; to++)
        for (size_t from = 2; from < 2 * r->n + 2; from++) {
            const bool is = truth->before[to][from / 8] >> from % 8 & 1;
            const bool said = found->before[to][from / 8] >> from % 8 & 1;
            if (said && !is)
                fail_msg("moment %zu is not before %zu", from, to);
            if (!is || from / 2 == to / 2 || !clock_at(r, to) || !clock_at(r, from))
                continue;
            if (clock_at(r, from) >= clock_at(r, to))
                fail_msg("moment %zu has clock %llu, the later %zu has %llu", from,
                         (unsigned long long)clock_at(r, from), to,
                         (unsigned long long)clock_at(r, to));
        }
    free(truth);
    free(found);
}

TEST(test_the_naive_matcher_finds_the_same)
{
    size_t bytes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct machine *m = run_machine(seed, true);
        check_machine(m);
        for (size_t i = 0; i < m->r->nedges; i++)
            bytes += m->r->edges[i].kind == CAUSE_BYTES;
        machine_free(m);
    }
    assert_true(bytes > 200);
}

/* Where calls overlap on one end of a pipe, some edges are not certain; none is false. */
TEST(test_overlapping_calls_have_no_false_edge)
{
    size_t bytes = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct machine *m = run_machine(seed, false);
        check_machine(m);
        for (size_t i = 0; i < m->r->nedges; i++)
            bytes += m->r->edges[i].kind == CAUSE_BYTES;
        machine_free(m);
    }
    assert_true(bytes > 50);
}

/* --- single cases --- */

TEST(test_a_loss_ends_edges_by_bytes)
{
    static struct machine m;
    m = (struct machine){.r = recorded_new()};
    const struct syscall_event lost = {.kind = SYSCALL_LOST};
    point(&m, 0, SYSCALL_START, 0, 0);
    make_pipes(&m);
    make_tasks(&m);
    for (int round = 0; round < 2; round++) {
        enter(&m, 1, ACT_WRITE, "write", 4, 0, 8);
        leave(&m, 1, 8);
        enter(&m, 2, ACT_READ, "read", 3, 0, 8);
        leave(&m, 2, 8);
        assert_int_equal(m.r->edges[m.r->nedges - 1].kind, CAUSE_BYTES);
        assert_int_equal(m.r->nedges, TASKS);
        if (round == 0) /* the second read has none, but its clock is above that of the write */
            assert_int_equal(record(m.r, &lost), 0);
    }
    assert_true(m.r->stamps[m.r->n].clock > m.r->stamps[m.r->n - 1].entry);
    recorded_free(m.r);
}

/* A number that is closed may be used again before close returns. */
TEST(test_a_closed_number_is_used_again)
{
    static struct machine m;
    m = (struct machine){.r = recorded_new()};
    point(&m, 0, SYSCALL_START, 0, 0);
    make_pipes(&m);
    make_tasks(&m);
    struct syscall_event thread = {.kind = SYSCALL_START,
                                   .pid = FIRST + 1,
                                   .tid = 200,
                                   .parent = FIRST + 1,
                                   .args = {0x10f00}};
    struct syscall_event close = {.kind = SYSCALL_ENTRY,
                                  .pid = FIRST + 1,
                                  .tid = 200,
                                  .number = number_of("close"),
                                  .args = {4}};
    record(m.r, &thread);
    record(m.r, &close);
    enter(&m, 1, ACT_OTHER, "dup", 6, 0, 0); /* of the second pipe */
    leave(&m, 1, 4);
    close.kind = SYSCALL_CALL;
    record(m.r, &close);
    enter(&m, 1, ACT_WRITE, "write", 4, 0, 8);
    const uint64_t written = m.tasks[1].call;
    leave(&m, 1, 8);
    enter(&m, 2, ACT_READ, "read", 5, 0, 8);
    leave(&m, 2, 8);
    assert_int_equal(m.r->edges[m.r->nedges - 1].from, written);
    assert_int_equal(m.r->edges[m.r->nedges - 1].kind, CAUSE_BYTES);
    recorded_free(m.r);
}

/* A message of 64-bit programs, as sendmsg takes it. */
struct message {
    uint64_t name, namelen, iov, iovlen, control, controllen, flags;
    uint64_t cmsg_len; /* what control points to */
    int32_t cmsg_level, cmsg_type;
    uint64_t data;
};

enum { AT_MESSAGE = 0x4000, AT_CONTROL = 0x5000 };

/* Task 1 sends a message on a socket. */
static void send_message(struct machine *m, const struct message *message, size_t kept)
{
    const struct syscall_piece pieces[] = {
        {.address = AT_MESSAGE, .size = 56},
        {.address = AT_CONTROL, .offset = 56, .size = (uint32_t)kept}};
    struct syscall_event e = {.kind = SYSCALL_ENTRY,
                              .pid = FIRST + 1,
                              .tid = FIRST + 1,
                              .number = number_of("sendmsg"),
                              .args = {20, AT_MESSAGE, 0},
                              .pieces = pieces,
                              .npieces = kept ? 2 : 1,
                              .bytes = (const uint8_t *)message,
                              .nbytes = sizeof *message};
    record(m->r, &e);
    e.kind = SYSCALL_CALL;
    e.result = 1;
    record(m->r, &e);
}

/* Who gets a descriptor may write to its pipe under a number that nobody knows: what is read then
 * need not be what was written before. Other control data changes nothing. */
TEST(test_passed_descriptors_end_edges_by_bytes)
{
    enum { RIGHTS = 1, CREDENTIALS = 2, SOCKET = 1 };
    static const struct {
        struct message message;
        size_t kept;
        bool edge;
    } cases[] = {
        {{.control = AT_CONTROL, .controllen = 0}, 0, true},
        {{.control = AT_CONTROL,
          .controllen = 24,
          .cmsg_len = 24,
          .cmsg_level = SOCKET,
          .cmsg_type = CREDENTIALS},
         24,
         true},
        {{.control = AT_CONTROL,
          .controllen = 24,
          .cmsg_len = 20,
          .cmsg_level = SOCKET,
          .cmsg_type = RIGHTS},
         24,
         false},
        {{.control = AT_CONTROL,
          .controllen = 48,
          .cmsg_len = 24,
          .cmsg_level = SOCKET,
          .cmsg_type = CREDENTIALS},
         24,
         false}, /* who knows what comes after it */
        {{.control = AT_CONTROL, .controllen = 24}, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct machine m;
        m = (struct machine){.r = recorded_new()};
        point(&m, 0, SYSCALL_START, 0, 0);
        make_pipes(&m);
        make_tasks(&m);
        send_message(&m, &cases[i].message, cases[i].kept);
        const size_t before = m.r->nedges;
        enter(&m, 1, ACT_WRITE, "write", 4, 0, 8);
        leave(&m, 1, 8);
        enter(&m, 2, ACT_READ, "read", 3, 0, 8);
        leave(&m, 2, 8);
        if (m.r->nedges != before + cases[i].edge)
            fail_msg("case %zu: %zu edges", i, m.r->nedges - before);
        recorded_free(m.r);
    }
}

/* A wait on a futex that a signal interrupted goes on as restart_syscall. */
TEST(test_a_restarted_wait_is_woken)
{
    static struct machine m;
    m = (struct machine){.r = recorded_new()};
    point(&m, 0, SYSCALL_START, 0, 0);
    make_tasks(&m);
    enter(&m, 1, ACT_OTHER, "futex", 0x1000, 0, 0);
    m.tasks[1].e.flags = SYSCALL_RESTARTS;
    leave(&m, 1, -516);
    enter(&m, 1, ACT_OTHER, "restart_syscall", 0x1000, 0, 0);
    const uint64_t waits = m.tasks[1].call;
    enter(&m, 2, ACT_OTHER, "futex", 0x1000, 1, 1);
    const uint64_t wakes = m.tasks[2].call;
    leave(&m, 2, 1);
    leave(&m, 1, 0);
    const struct cause *e = &m.r->edges[m.r->nedges - 1];
    assert_true(e->from == wakes && e->to == waits && e->kind == CAUSE_WAKE);
    recorded_free(m.r);
}

/* --- events that no machine makes --- */

static void random_event(struct syscall_event *e, uint64_t *seed, uint8_t *bytes,
                         struct syscall_piece *piece)
{
    static const char *const names[] = {
        "read",    "write",    "pipe2",  "socketpair", "socket",     "connect",  "accept4",
        "bind",    "close",    "dup2",   "futex",      "fork",       "clone",    "wait4",
        "waitid",  "kill",     "tgkill", "eventfd2",   "splice",     "recvmmsg", "close_range",
        "recvmsg", "sendfile", "vfork",  "exit_group", "exit",       "tee",      "restart_syscall",
        "openat",  "fcntl",    "execve", "sendto",     "getsockname"};
    static const uint64_t odd[] = {0,  1,          2,          3,         4,        5,       0x100,
                                   64, UINT32_MAX, UINT64_MAX, INT64_MAX, 1u << 20, 0x100f00};
    *e = (struct syscall_event){
        .kind = (uint8_t)(next(seed, 4) ? SYSCALL_CALL - next(seed, 2) : next(seed, 10)),
        .abi = (uint8_t)(next(seed, 50) ? SYSCALL_X86_64 : next(seed, 7)),
        .pid = next(seed, 30) ? 1 + (int32_t)next(seed, 6) : (int32_t)next(seed, UINT32_MAX),
        .flags = (uint8_t)(next(seed, 8) ? 0 : next(seed, 32)),
        .parent = (int32_t)next(seed, 8),
        .result = next(seed, 6) ? (int64_t)next(seed, 9) : (int64_t)odd[next(seed, 13)],
    };
    e->tid = next(seed, 4) ? e->pid : e->pid / 2 + (int32_t)next(seed, 3);
    e->number = next(seed, 60) ? number_of(names[next(seed, sizeof names / sizeof *names)])
                               : next(seed, UINT32_MAX);
    for (int i = 0; i < 6; i++)
        e->args[i] = odd[next(seed, sizeof odd / sizeof *odd)];
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(i % 4 ? 0 : next(seed, 9));
    *piece = (struct syscall_piece){
        .address = 0x100, .size = next(seed, 33), .at_return = (uint8_t)next(seed, 2)};
    if (next(seed, 2)) {
        e->pieces = piece;
        e->npieces = 1;
        e->bytes = bytes;
        e->nbytes = 32;
    }
}

TEST(test_random_events_break_nothing)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct recorded *r = recorded_new();
        uint64_t random = seed * 977, last = 0;
        int32_t clocked[8] = {0};
        uint64_t clocks[8] = {0};
        for (int i = 0; i < EVENTS - 1; i++) {
            struct syscall_event e;
            struct syscall_piece piece;
            uint8_t bytes[32];
            random_event(&e, &random, bytes, &piece);
            const uint64_t id = record(r, &e);
            assert_true(id <= last + 1);
            last = id > last ? id : last;
            if (id && e.tid > 0 && e.tid < 8) { /* the clock of a task grows with each event */
                const struct cause_stamp *s = &r->stamps[id];
                const uint64_t now = e.kind == SYSCALL_ENTRY ? s->entry : s->clock;
                assert_true(now > clocks[e.tid]);
                clocks[e.tid] = now;
                clocked[e.tid]++;
            }
        }
        assert_true(clocked[1] > 0);
        check_edges_grow(r);
        recorded_free(r);
    }
}
