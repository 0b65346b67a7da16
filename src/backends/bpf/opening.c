/*
 * Makes maps and loads programs. Two threads share the slow steps. The second makes the ring and
 * loads the programs of calls, which the kernel verifies slowly. The first makes the other maps and
 * reads the kernel's types, then loads and attaches the programs of tasks and of io_uring.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/bpf/bpf_impl.h"
#include "base/arena.h"
#include "base/thread.h"

enum { TASKS_MOST = 32768 };

/* Loading the programs of calls, or those of tasks. */
struct part {
    const char *failed; /* the tracepoint whose program failed */
    int rc;
    int programs[BPF_TRACE_PROGRAMS]; /* loaded programs; -1: none */
    char why[4096];                   /* the verifier's objection */
};

struct opening {
    struct bpf_trace *s;
    struct programs_setup setup;
    size_t ring;
    sem_t tables, types, maps; /* posted when the step has ended; its rc is the result */
    int tables_rc, plans_rc, types_rc, maps_rc, map_rc;
    atomic_flag mapped; /* a thread makes the ring readable or has done so */
    struct part calls, tasks;
};

static int refuse_opening(struct error *err, int code, const char *what, const char *why)
{
    const bool rights = code == EPERM || code == EACCES;
    return error_set(err, rights ? ERROR_PERMISSION : ERROR_UNSUPPORTED, code,
                     rights ? "run as root, or give CAP_BPF and CAP_PERFMON" : NULL, what, "%s",
                     why && why[0] ? why : strerror(code));
}

/* --- maps --- */

static int first_bad(const int *maps, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (maps[i] < 0)
            return maps[i];
    return 0;
}

/* The maps that the second thread makes. */
static int make_ring(struct bpf_trace *s, size_t ring)
{
    const int rc = ring_make(&s->ring, ring);
    if (rc != 0)
        return rc;
    s->scratch = kernel_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct scratch), s->cpus, 0);
    s->lost = kernel_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, LOSTS, 0);
    s->types = kernel_types_load(sizeof(struct scratch));
    s->memory_program = kernel_map(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0);
    const int maps[] = {s->scratch, s->lost, s->types, s->memory_program};
    return first_bad(maps, sizeof maps / sizeof *maps);
}

/* The maps that the first thread makes. */
static int make_tables(struct bpf_trace *s)
{
    s->tasks =
        kernel_map(BPF_MAP_TYPE_HASH, 4, sizeof(struct task_state), TASKS_MOST, BPF_F_NO_PREALLOC);
    s->plans = kernel_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct plan), PLANS, BPF_F_MMAPABLE);
    const int maps[] = {s->tasks, s->plans};
    return first_bad(maps, sizeof maps / sizeof *maps);
}

static int fill_plans(const struct bpf_trace *s)
{
    const size_t size = PLANS * sizeof(struct plan);
    struct plan *plans = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->plans, 0);
    if (plans == MAP_FAILED)
        return -errno;
    plans_fill(plans, s->setup);
    munmap(plans, size);
    return 0;
}

/* --- programs --- */

static bool is_program_wanted(const struct bpf_trace *s, const struct program *p)
{
    return !(p->signals || p->newer) || !s->setup->counts_only;
}

static int load_one_program(const struct opening *o,
                            void (*write)(struct code *c, const struct programs_setup *s),
                            struct part *part)
{
    struct code *c = xcalloc(1, sizeof *c);
    code_start(c);
    write(c, &o->setup);
    const int rc =
        code_finish(c) ? kernel_program(c, o->s->types, part->why, sizeof part->why) : -E2BIG;
    free(c);
    return rc;
}

static int attach_program(struct bpf_trace *s, int *program, const char *tracepoint)
{
    const int rc = kernel_attach(*program, tracepoint);
    close(*program);
    *program = -1;
    if (rc < 0)
        return rc;
    s->links[s->nlinks++] = rc;
    return 0;
}

/* Loads the programs of calls, or those of tasks, which are attached at once. */
static void load_part(const struct opening *o, struct part *part, bool calls)
{
    for (size_t i = 0; programs[i].tracepoint && part->rc == 0; i++) {
        const struct program *p = &programs[i];
        if (p->calls != calls || !is_program_wanted(o->s, p))
            continue;
        part->failed = p->tracepoint;
        part->programs[i] = load_one_program(o, p->write, part);
        part->rc = part->programs[i] < 0 ? part->programs[i] : 0;
        if (part->rc == 0 && !calls)
            part->rc = attach_program(o->s, &part->programs[i], p->tracepoint);
        if (p->newer && part->rc == -ENOENT)
            part->rc = 0;
    }
}

/* Attaches the programs of calls, after those of tasks, so that no call of an unknown task is seen.
 */
static void attach_calls(const struct opening *o, struct part *part)
{
    for (size_t i = 0; programs[i].tracepoint && part->rc == 0; i++)
        if (part->programs[i] >= 0) {
            part->failed = programs[i].tracepoint;
            part->rc = attach_program(o->s, &part->programs[i], programs[i].tracepoint);
        }
}

static void part_start(struct part *part)
{
    for (size_t i = 0; i < BPF_TRACE_PROGRAMS; i++)
        part->programs[i] = -1;
}

static void part_end(struct part *part)
{
    for (size_t i = 0; i < BPF_TRACE_PROGRAMS; i++)
        if (part->programs[i] >= 0)
            close(part->programs[i]);
}

/* Loads the program in which those of calls go on. */
static void load_memory_program(const struct opening *o, struct part *part)
{
    static const uint32_t place = 0;
    part->failed = "memory";
    const int program = load_one_program(o, program_memory, part);
    part->rc = program < 0 ? program : kernel_map_set(o->s->memory_program, &place, &program);
    if (program >= 0)
        close(program);
}

/* --- the whole --- */

static void wait_for_step(sem_t *step)
{
    while (sem_wait(step) != 0)
        ;
}

/* The first thread that has loaded its programs makes the ring readable. */
static void map_ring(struct opening *o)
{
    if (!atomic_flag_test_and_set(&o->mapped))
        o->map_rc = ring_map(&o->s->ring);
}

/* The second thread's steps. */
static void *ring_and_calls(void *arg)
{
    struct opening *o = arg;
    o->maps_rc = make_ring(o->s, o->ring);
    o->setup.scratch = o->s->scratch;
    o->setup.lost = o->s->lost;
    o->setup.ring = o->s->ring.map;
    o->setup.memory_program = o->s->memory_program;
    wait_for_step(&o->tables);
    sem_post(&o->maps);
    if (o->maps_rc == 0 && o->tables_rc == 0 && o->setup.memory)
        load_memory_program(o, &o->calls);
    wait_for_step(&o->types);
    if (o->maps_rc == 0 && o->tables_rc == 0 && o->types_rc == 0) {
        load_part(o, &o->calls, true);
        map_ring(o);
    }
    return NULL;
}

static void tables_and_types(struct opening *o)
{
    o->tables_rc = make_tables(o->s);
    o->setup.tasks = o->s->tasks;
    o->setup.plans = o->s->plans;
    sem_post(&o->tables);
    if (o->tables_rc == 0)
        o->types_rc = kernel_types_read(&o->setup.types);
    sem_post(&o->types);
}

static int error_of(const struct opening *o, struct error *err)
{
    const struct part *bad = o->tasks.rc != 0 ? &o->tasks : &o->calls;
    if (o->types_rc != 0)
        return refuse_opening(err, -o->types_rc, "read the kernel's types",
                              "/sys/kernel/btf/vmlinux cannot be used");
    const int steps[] = {o->tables_rc, o->plans_rc, o->maps_rc, o->map_rc};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] != 0)
            return refuse_opening(err, -steps[i], "make BPF maps", NULL);
    return bad->rc != 0 ? refuse_opening(err, -bad->rc, bad->failed, bad->why) : 0;
}

static void do_all(struct opening *o)
{
    pthread_t thread;
    const bool started = thread_start(&thread, ring_and_calls, o) == 0;
    tables_and_types(o);
    if (o->tables_rc == 0)
        o->plans_rc = fill_plans(o->s); /* the second thread reads tables_rc */
    if (!started)
        ring_and_calls(o);
    wait_for_step(&o->maps);
    if (o->maps_rc == 0 && o->tables_rc == 0 && o->plans_rc == 0 && o->types_rc == 0) {
        load_part(o, &o->tasks, false);
        if (o->tasks.rc == 0)
            operations_watch(o->s, &o->setup);
        map_ring(o);
    }
    if (started)
        pthread_join(thread, NULL);
    if (o->maps_rc == 0 && o->map_rc == 0 && o->plans_rc == 0 && o->tasks.rc == 0)
        attach_calls(o, &o->calls);
}

static int open_programs_and_ring(struct bpf_trace *s, size_t ring, struct error *err)
{
    struct opening *o = xcalloc(1, sizeof *o);
    atomic_flag_clear(&o->mapped);
    o->s = s;
    o->ring = ring;
    o->setup.follow = s->setup->follow;
    o->setup.memory = !s->setup->counts_only;
    sem_init(&o->tables, 0, 0);
    sem_init(&o->types, 0, 0);
    sem_init(&o->maps, 0, 0);
    part_start(&o->calls);
    part_start(&o->tasks);
    do_all(o);
    part_end(&o->calls);
    part_end(&o->tasks);
    sem_destroy(&o->tables);
    sem_destroy(&o->types);
    sem_destroy(&o->maps);
    int rc = error_of(o, err);
    free(o);
    if (rc != 0)
        return rc;
    rc = intake_start(&s->intake, &s->ring);
    return rc == 0 ? 0 : refuse_opening(err, -rc, "start a thread", NULL);
}

int bpf_trace_open(struct bpf_trace *s, const struct tracer_setup *setup,
                   const struct syscall_sink *sink, struct tracer_result *result, size_t ring,
                   struct error *err)
{
    *s = (struct bpf_trace){.setup = setup,
                            .cpus = kernel_cpus(),
                            .ring.map = -1,
                            .tasks = -1,
                            .plans = -1,
                            .scratch = -1,
                            .lost = -1,
                            .types = -1,
                            .memory_program = -1,
                            .operations = {.rings = -1, .programs = {-1, -1}},
                            .intake = {.file = -1, .wake = -1}};
    raw_calls_open(&s->raw, setup, sink, result);
    return open_programs_and_ring(s, ring, err);
}
