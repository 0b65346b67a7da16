/*
 * Random programs of processes and threads that talk through pipes, sockets, connections, eventfds,
 * futexes and signals. They know what happened before what, by vector clocks in shared memory. They
 * run under a tracer, whose Lamport clocks and edges must agree with that. Not for TSan: programs
 * with threads fork and trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <netinet/in.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/causes/causes.h"
#include "engine/syscalls/log.h"
#include "engine/syscalls/tracer.h"
#include "support/test.h"

/* --- what program and test share --- */

enum { TASKS = 7, PROCESSES = 4, OPS = 1200, EACH = 60, PIPES = 2, PAIRS = 2, EVENTS = 2 };
enum { LISTENERS = 2, WORDS = 4, SLOTS = 60, TAG = 0x5a5a0000 };

struct op { /* one call, with the vector clocks of its entry and its return */
    uint32_t task;
    atomic_uint number; /* of the system call */
    uint32_t entry[TASKS], end[TASKS];
    atomic_bool done;
};

struct shared {
    atomic_uint nops;
    struct op ops[OPS + 1];
    atomic_int tids[TASKS], pids[TASKS];
    atomic_uint word[WORDS], woken_by[WORDS], slots[EVENTS];
    uint32_t slot_op[EVENTS][SLOTS];
    uint32_t signal_op[TASKS][TASKS]; /* by target and sender */
};

/* --- the program --- */

enum act { SEND_PIPE, SEND_PAIR, SEND_EVENT, SEND_LINK, WAKE, SIGNAL, ACTS };
struct todo {
    uint8_t act, take; /* take: the other end of it */
    uint8_t with, end; /* which pipe, …; the end of a pair; the target of a signal */
};

static struct shared *sh;
static struct todo todo[TASKS][TASKS * EACH];
static uint32_t ntodo[TASKS];
static int pipes[PIPES][2], pairs[PAIRS][2], events[EVENTS], listeners[LISTENERS];
static struct sockaddr_storage addresses[LISTENERS];
static socklen_t address_sizes[LISTENERS];
static _Thread_local uint32_t me, now[TASKS];

static uint32_t next(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void merge(const uint32_t *from)
{
    for (int i = 0; i < TASKS; i++)
        if (from[i] > now[i])
            now[i] = from[i];
}

/* A call that the test recognises by its number and its last argument. The register of that
 * argument keeps its value, so calls that have fewer arguments bear the tag of an earlier one. */
static uint32_t begin(void)
{
    uint32_t id = atomic_fetch_add(&sh->nops, 1) + 1;
    if (id > OPS)
        _exit(77);
    sh->ops[id].task = me;
    now[me]++;
    memcpy(sh->ops[id].entry, now, sizeof now);
    return id;
}

static void end(uint32_t id)
{
    now[me]++;
    memcpy(sh->ops[id].end, now, sizeof now);
    atomic_store(&sh->ops[id].done, true);
}

static long call(uint32_t id, long number, long a, long b, long c, long d, long e)
{
    atomic_store(&sh->ops[id].number, (unsigned)number);
    return syscall(number, a, b, c, d, e, (long)(TAG | id));
}

static void send_id(int fd)
{
    uint32_t id = begin();
    if (call(id, SYS_write, fd, (long)&id, sizeof id, 0, 0) != sizeof id)
        _exit(71);
    end(id);
}

static void take_id(int fd)
{
    uint32_t id = begin(), from = 0;
    if (call(id, SYS_read, fd, (long)&from, sizeof from, 0, 0) != sizeof from || from > OPS)
        _exit(72);
    merge(sh->ops[from].entry);
    end(id);
}

static void send_event(uint32_t i)
{
    uint32_t slot = atomic_fetch_add(&sh->slots[i], 1);
    if (slot >= SLOTS)
        return;
    uint32_t id = begin();
    uint64_t value = UINT64_C(1) << slot;
    sh->slot_op[i][slot] = id;
    call(id, SYS_write, events[i], (long)&value, sizeof value, 0, 0);
    end(id);
}

static void take_event(uint32_t i)
{
    uint32_t id = begin();
    uint64_t value = 0;
    if (call(id, SYS_read, events[i], (long)&value, sizeof value, 0, 0) == sizeof value)
        for (int slot = 0; slot < SLOTS; slot++)
            if (value >> slot & 1)
                merge(sh->ops[sh->slot_op[i][slot]].entry);
    end(id);
}

static void send_link(uint32_t i)
{
    int fd = socket(addresses[i].ss_family, SOCK_STREAM, 0);
    uint32_t id = begin();
    if (call(id, SYS_connect, fd, (long)&addresses[i], (long)address_sizes[i], 0, 0) != 0)
        _exit(73);
    end(id);
    send_id(fd);
    close(fd);
}

static void take_link(uint32_t i)
{
    uint32_t id = begin(); /* whose connect it was, the bytes tell later */
    int fd = (int)call(id, SYS_accept4, listeners[i], 0, 0, 0, 0);
    if (fd < 0)
        _exit(74);
    end(id);
    take_id(fd);
    close(fd);
}

/* Each word is woken once: so a wait that returns 0 was woken by that call. */
static void wake(uint32_t i)
{
    uint32_t id = begin();
    atomic_store(&sh->woken_by[i], id);
    atomic_store(&sh->word[i], 1);
    call(id, SYS_futex, (long)&sh->word[i], FUTEX_WAKE, INT32_MAX, 0, 0);
    end(id);
}

static void wait_for(uint32_t i)
{
    struct timespec most = {.tv_nsec = 3000000};
    uint32_t id = begin();
    if (call(id, SYS_futex, (long)&sh->word[i], FUTEX_WAIT, 0, (long)&most, 0) == 0)
        merge(sh->ops[atomic_load(&sh->woken_by[i])].entry);
    end(id);
}

/* Each task signals each other one once, with a number of its own. */
static void send_signal(uint32_t target, bool thread)
{
    int tid = atomic_load(&sh->tids[target]), pid = atomic_load(&sh->pids[target]);
    if (tid == 0 || target == me || sh->signal_op[target][me])
        return;
    uint32_t id = begin();
    sh->signal_op[target][me] = id;
    /* A signal to a process may be taken by any of its threads, for which another one may just be
     * about to be sent: so only processes with one thread get such signals. */
    if (thread || pid != tid || target + PROCESSES < TASKS)
        call(id, SYS_tgkill, pid, tid, SIGRTMIN + (int)me, 0, 0);
    else
        call(id, SYS_kill, pid, SIGRTMIN + (int)me, 0, 0, 0);
    end(id);
}

static void on_signal(int number)
{
    uint32_t from = (uint32_t)(number - SIGRTMIN);
    if (from < TASKS && sh->signal_op[me][from])
        merge(sh->ops[sh->signal_op[me][from]].entry);
}

static sigset_t meant(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < TASKS; i++)
        sigaddset(&set, SIGRTMIN + i);
    return set;
}

static void take_signals(void)
{
    sigset_t set = meant();
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void act(const struct todo *t)
{
    switch (t->act) {
    case SEND_PIPE:
        t->take ? take_id(pipes[t->with][0]) : send_id(pipes[t->with][1]);
        break;
    case SEND_PAIR:
        t->take ? take_id(pairs[t->with][!t->end]) : send_id(pairs[t->with][t->end]);
        break;
    case SEND_EVENT:
        t->take ? take_event(t->with) : send_event(t->with);
        break;
    case SEND_LINK:
        t->take ? take_link(t->with) : send_link(t->with);
        break;
    case WAKE:
        t->take ? wait_for(t->with) : wake(t->with);
        break;
    default:
        t->take ? take_signals() : send_signal(t->with, t->end);
        break;
    }
}

struct thread {
    uint32_t task;
    uint32_t clock[TASKS];
    pthread_t id;
};

static void run_task(uint32_t task)
{
    me = task;
    atomic_store(&sh->pids[task], (int)getpid());
    atomic_store(&sh->tids[task], (int)syscall(SYS_gettid));
    for (uint32_t i = 0; i < ntodo[task]; i++)
        act(&todo[task][i]);
}

static void *run_thread(void *ctx)
{
    struct thread *t = ctx;
    memcpy(now, t->clock, sizeof now);
    run_task(t->task);
    return NULL;
}

/* Process p has the tasks p, p + PROCESSES, … */
static void run_process(uint32_t p)
{
    struct thread threads[TASKS];
    for (uint32_t i = p + PROCESSES; i < TASKS; i += PROCESSES) {
        threads[i].task = i;
        memcpy(threads[i].clock, now, sizeof now);
        pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
    }
    run_task(p);
    for (uint32_t i = p + PROCESSES; i < TASKS; i += PROCESSES)
        pthread_join(threads[i].id, NULL);
}

static void add(uint32_t task, struct todo t, bool take)
{
    t.take = take;
    if (ntodo[task] < sizeof todo[0] / sizeof *todo[0])
        todo[task][ntodo[task]++] = t;
}

/* What others wait for has one taker: else one of two could take what the other needs to go on. */
static uint32_t taker(const struct todo *t, uint64_t *seed)
{
    if (t->act == SEND_EVENT || t->act == WAKE || t->act == SIGNAL)
        return next(seed, TASKS);
    return (t->act * 3u + t->with * 2u + (t->act == SEND_PAIR ? t->end : 0)) % TASKS;
}

/* All tasks do their parts of one sequence, in which things are taken after they were sent: so
 * nobody waits for ever. */
static void plan(uint64_t seed)
{
    static const uint8_t kinds[ACTS] = {PIPES, PAIRS, EVENTS, LISTENERS, WORDS, TASKS};
    struct todo waiting[64];
    uint32_t n = 0, woken = 0;
    for (int step = 0; step < TASKS * EACH / 2; step++) {
        if (n == 64 || (n > 0 && next(&seed, 2))) {
            uint32_t i = next(&seed, n);
            add(taker(&waiting[i], &seed), waiting[i], true);
            waiting[i] = waiting[--n];
            continue;
        }
        struct todo t = {.act = (uint8_t)next(&seed, ACTS), .end = (uint8_t)next(&seed, 2)};
        t.with = (uint8_t)next(&seed, kinds[t.act]);
        if (t.act == WAKE && woken >> t.with & 1)
            continue;
        if (t.act == WAKE) { /* others wait already */
            woken |= 1u << t.with;
            add(next(&seed, TASKS), t, true);
            add(next(&seed, TASKS), t, true);
        }
        add(next(&seed, TASKS), t, false);
        waiting[n++] = t;
    }
    for (uint32_t i = 0; i < n; i++)
        add(taker(&waiting[i], &seed), waiting[i], true);
}

static bool listen_by(int i, int family, const void *address, socklen_t size)
{
    listeners[i] = socket(family, SOCK_STREAM, 0);
    if (listeners[i] < 0 || bind(listeners[i], address, size) != 0 ||
        listen(listeners[i], 512) != 0)
        return false;
    address_sizes[i] = sizeof addresses[i];
    getsockname(listeners[i], (void *)&addresses[i], &address_sizes[i]);
    const int probe = socket(family, SOCK_STREAM, 0); /* the loopback may be down */
    const bool works = connect(probe, (void *)&addresses[i], address_sizes[i]) == 0;
    if (works)
        close(accept(listeners[i], NULL, NULL));
    close(probe);
    return works;
}

/* The first by TCP, where there is a network. */
static void listen_at(int i)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    snprintf(un.sun_path + 1, sizeof un.sun_path - 1, "rooftop-%d-%d", i, (int)getpid());
    if (i == 0 && listen_by(i, AF_INET, &in, sizeof in))
        return;
    if (!listen_by(i, AF_UNIX, &un, sizeof un))
        _exit(75);
}

static int program(const char *path, uint64_t seed)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    sh = mmap(NULL, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    sigset_t set = meant();
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    for (int i = 0; i < TASKS; i++)
        sigaction(SIGRTMIN + i, &sa, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < PIPES; i++)
        if (pipe(pipes[i]) != 0)
            return 76;
    for (int i = 0; i < PAIRS; i++)
        socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]);
    for (int i = 0; i < EVENTS; i++)
        events[i] = eventfd(0, EFD_NONBLOCK);
    for (int i = 0; i < LISTENERS; i++)
        listen_at(i);
    plan(seed);
    pid_t pids[PROCESSES] = {0};
    for (uint32_t p = 1; p < PROCESSES; p++)
        if ((pids[p] = fork()) == 0) {
            run_process(p);
            _exit(0);
        }
    run_process(0);
    int bad = 0, status = 0;
    for (uint32_t p = 1; p < PROCESSES; p++) {
        uint32_t id = begin();
        bad |= call(id, SYS_wait4, pids[p], (long)&status, 0, 0, 0) != pids[p] || status != 0;
        for (uint32_t i = 1; i <= atomic_load(&sh->nops) && i <= OPS; i++)
            if (sh->ops[i].task % PROCESSES == p && atomic_load(&sh->ops[i].done))
                merge(sh->ops[i].end);
        end(id);
    }
    return bad ? 70 : 0;
}

/* --- the test --- */

struct seen { /* what the tracer knows of an operation */
    uint64_t id, entry, clock;
};

struct check {
    struct causes *causes;
    struct shared *shared;
    uint64_t seed;
    const char *when;  /* "while it runs", "saved" */
    struct seen *seen; /* by operation */
    uint32_t *op;      /* by identifier of causes; 0: no operation */
    uint32_t *arrival; /* by identifier: 1 + the task that a signal came from */
    int32_t *tid;      /* by identifier */
    struct cause *edges;
    size_t nedges, edges_cap;
    uint64_t kinds[CAUSE_KINDS];
};

enum { IDS = 1 << 20 };

struct found {
    size_t checked; /* edges that the program knows about */
    uint64_t kinds[CAUSE_KINDS];
};

static void on_cause(void *ctx, const struct cause *cause)
{
    struct check *c = ctx;
    if (c->nedges == c->edges_cap) {
        c->edges_cap = c->edges_cap ? 2 * c->edges_cap : 256;
        c->edges = xrealloc(c->edges, c->edges_cap, sizeof *c->edges);
    }
    c->edges[c->nedges++] = *cause;
    c->kinds[cause->kind]++;
}

/* The operation that a call is; 0: none. */
static uint32_t tagged(const struct check *c, const struct syscall_event *e)
{
    const uint32_t tag = (uint32_t)e->args[5], op = tag & 0xffff;
    if (e->kind != SYSCALL_CALL || (tag & 0xffff0000) != TAG || op > OPS || c->seen[op].id)
        return 0;
    return e->number == atomic_load(&c->shared->ops[op].number) || e->number == SYS_restart_syscall
               ? op
               : 0;
}

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct check *c = ctx;
    const struct cause_stamp stamp = causes_add(c->causes, e);
    if (!stamp.id || stamp.id >= IDS)
        return;
    c->tid[stamp.id] = e->tid;
    if (e->kind == SYSCALL_SIGNAL && e->result >= SIGRTMIN && e->result < SIGRTMIN + TASKS)
        c->arrival[stamp.id] = 1 + (uint32_t)(e->result - SIGRTMIN);
    const uint32_t op = tagged(c, e);
    if (!op)
        return;
    c->op[stamp.id] = op;
    if (!(e->flags & SYSCALL_RESTARTS)) /* else it is made again */
        c->seen[op] = (struct seen){.id = stamp.id, .entry = stamp.entry, .clock = stamp.clock};
}

/* Whether operation a was entered before operation b returned, as the program knows. */
static bool before(const struct shared *s, uint32_t a, uint32_t b)
{
    const uint32_t task = s->ops[a].task;
    return s->ops[b].end[task] >= s->ops[a].entry[task];
}

static const char *const kind_names[CAUSE_KINDS] = {"start", "end",    "bytes", "accept",
                                                    "wake",  "signal", "room"};

static void refuse(const struct check *c, const char *what, uint32_t a, uint32_t b)
{
    const struct op *x = &c->shared->ops[a], *y = &c->shared->ops[b];
    fail_msg("seed %llu, %s: %s: operation %u (call %u of task %u, clocks %llu to %llu) and "
             "operation %u "
             "(call %u of task %u, clocks %llu to %llu)",
             (unsigned long long)c->seed, c->when, what, a, atomic_load(&x->number), x->task,
             (unsigned long long)c->seen[a].entry, (unsigned long long)c->seen[a].clock, b,
             atomic_load(&y->number), y->task, (unsigned long long)c->seen[b].entry,
             (unsigned long long)c->seen[b].clock);
}

static void check_clocks(const struct check *c, const struct shared *s)
{
    const uint32_t n = s->nops;
    for (uint32_t a = 1; a <= n; a++) {
        const uint32_t task = s->ops[a].task, entry = s->ops[a].entry[task],
                       end = s->ops[a].end[task];
        if (!c->seen[a].id)
            fail_msg("operation %u of %u is not in the trace", a, n);
        for (uint32_t b = 1; b <= n; b++) {
            if (a == b)
                continue;
            if (s->ops[b].entry[task] >= entry && c->seen[a].entry >= c->seen[b].entry)
                refuse(c, "entry not before entry", a, b);
            if (s->ops[b].end[task] >= entry && c->seen[a].entry >= c->seen[b].clock)
                refuse(c, "entry not before return", a, b);
            if (s->ops[b].entry[task] >= end && c->seen[a].clock >= c->seen[b].entry)
                refuse(c, "return not before entry", a, b);
            if (s->ops[b].end[task] >= end && c->seen[a].clock >= c->seen[b].clock)
                refuse(c, "return not before return", a, b);
        }
    }
}

/* Returns how many edges the program knows about. */
static size_t check_edges(const struct check *c, const struct shared *s)
{
    size_t known = 0;
    for (size_t i = 0; i < c->nedges; i++) {
        const struct cause *e = &c->edges[i];
        if (e->from >= IDS || e->to >= IDS)
            continue;
        const uint32_t a = c->op[e->from], b = c->op[e->to], from = c->arrival[e->to];
        if (e->kind == CAUSE_SIGNAL && a && from) {
            assert_int_equal(s->ops[a].task, from - 1);
            assert_int_equal(c->tid[e->from], s->tids[from - 1]);
            known++;
        } else if (e->kind == CAUSE_ACCEPT && a && b) { /* the read behind it tells whose it was */
            uint32_t read = b + 1;
            while (read <= s->nops && s->ops[read].task != s->ops[b].task)
                read++;
            if (read > s->nops || !before(s, a, read))
                refuse(c, kind_names[e->kind], a, b);
            known++;
        } else if (a && b) {
            if (!before(s, a, b))
                refuse(c, kind_names[e->kind], a, b);
            known++;
        }
    }
    return known;
}

static const struct tracer_ops *tracer(const struct tracer_setup *setup)
{
    struct error err = ERROR_INIT;
    const struct tracer_ops *ops = tracer_choose(setup, "ptrace", &err);
    if (!ops) {
        print_message("skipped: %s\n", err.why);
        skip();
    }
    return ops;
}

static struct check *check_new(struct shared *s, uint64_t seed, const char *when)
{
    struct check *c = xcalloc(1, sizeof *c);
    c->shared = s;
    c->seed = seed;
    c->when = when;
    c->seen = xcalloc(OPS + 1, sizeof *c->seen);
    c->op = xcalloc(IDS, sizeof *c->op);
    c->arrival = xcalloc(IDS, sizeof *c->arrival);
    c->tid = xcalloc(IDS, sizeof *c->tid);
    c->causes = causes_new(on_cause, c);
    return c;
}

/* Checks all that it saw, and frees it. */
static void check_end(struct check *c, struct found *found)
{
    check_clocks(c, c->shared);
    found->checked += check_edges(c, c->shared);
    for (int i = 0; i < CAUSE_KINDS; i++)
        found->kinds[i] += c->kinds[i];
    causes_free(c->causes);
    free(c->seen);
    free(c->op);
    free(c->arrival);
    free(c->tid);
    free(c->edges);
    free(c);
}

struct both { /* the events as they come, and kept for later */
    struct check *now;
    struct syscall_log *log;
};

static void on_event_now(void *ctx, const struct syscall_event *e)
{
    struct both *both = ctx;
    on_event(both->now, e);
    if (e->kind != SYSCALL_ENTRY)
        syscall_log_add(both->log, e);
}

/* A saved trace has no entries: they are made from the times. */
static void check_saved(struct syscall_log *log, struct shared *s, uint64_t seed,
                        struct found *found)
{
    struct check *c = check_new(s, seed, "saved");
    const struct syscall_sink sink = {.event = on_event, .ctx = c, .entries = true};
    assert_int_equal(syscall_log_lost(log), 0);
    syscall_log_sort(log);
    syscall_log_give(log, &sink);
    check_end(c, found);
}

static void run_one(const char *self, uint64_t seed, struct found *now, struct found *later)
{
    char path[] = "/tmp/rooftop-causes-XXXXXX", number[24];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, sizeof(struct shared)), 0);
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(s != MAP_FAILED);
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    char program_name[] = "--program";
    char *argv[] = {(char *)self, program_name, path, number, NULL};
    const struct tracer_setup setup = {
        .argv = argv, .follow = true, .same_cpu = seed % 2, .string_limit = 32};
    struct both both = {check_new(s, seed, "while it runs"), syscall_log_new(64 << 20)};
    const struct syscall_sink sink = {.event = on_event_now, .ctx = &both, .entries = true};
    struct tracer_result result = {0};
    struct error err = ERROR_INIT;
    const struct tracer_ops *ops = tracer(&setup);
    assert_int_equal(ops->run(&setup, &sink, &result, &err), 0);
    assert_int_equal(result.status, 0);
    assert_true(s->nops > 100);
    check_end(both.now, now);
    check_saved(both.log, s, seed, later);
    syscall_log_free(both.log);
    munmap(s, sizeof *s);
    close(fd);
    unlink(path);
}

static char self_path[4096];

/* Finding no edge would be right too, and useless. */
static void check_found(const char *when, const struct found *found, uint64_t programs)
{
    print_message("%s: %zu edges checked", when, found->checked);
    for (int i = 0; i < CAUSE_KINDS; i++)
        print_message(", %llu of %s", (unsigned long long)found->kinds[i], kind_names[i]);
    print_message("\n");
    assert_true(found->checked > 50);
    assert_true(found->kinds[CAUSE_START] >= programs * (TASKS - 1));
    assert_true(found->kinds[CAUSE_BYTES] > 0 && found->kinds[CAUSE_ACCEPT] > 0 &&
                found->kinds[CAUSE_SIGNAL] > 0);
}

TEST(test_clocks_and_edges_of_random_programs)
{
    struct found now = {0}, later = {0};
    const char *seeds = getenv("ROOFTOP_CAUSES_SEEDS"); /* more of them, by hand */
    const uint64_t n = seeds ? strtoull(seeds, NULL, 10) : 6;
    for (uint64_t seed = 1; seed <= n; seed++)
        run_one(self_path, seed, &now, &later);
    check_found("while it runs", &now, n);
    check_found("saved", &later, n);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "--program") == 0)
        return program(argv[2], strtoull(argv[3], NULL, 10));
    ssize_t len = readlink("/proc/self/exe", self_path, sizeof self_path - 1);
    self_path[len > 0 ? len : 0] = 0;
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    return tests_run(NULL, NULL);
}
