/* The sampler with a fake kernel: what it opens, what is refused, what rings contain. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/live/source.h"
#include "support/fake_perf.h"
#include "support/procfs.h"
#include "support/records.h"
#include "support/test.h"

extern const struct source_ops source_sampler;

enum { NCPUS = 2 };
static struct fake_perf *fake;
static struct host *host;
static _Atomic uint64_t clock_ns; /* atomic: the sampler's threads read it too */

static uint64_t read_clock(void *ctx)
{
    (void)ctx;
    return clock_ns;
}

/* The counts grow with each read, because the sampler checks the PMU by reading twice. */
static ssize_t (*fake_read)(void *ctx, int fd, void *buf, size_t size);
static ssize_t read_and_step(void *ctx, int fd, void *buf, size_t size)
{
    fake_perf_step(ctx);
    return fake_read(ctx, fd, buf, size);
}

FIXTURE(set_up)
{
    procfs_new();
    procfs_machine(NCPUS);
    procfs_write("/proc/sys/kernel/perf_event_paranoid", "2\n");
    procfs_write("/proc/sys/kernel/perf_event_max_sample_rate", "50000\n");
    clock_ns = 1000000000;
    env_set_clock(read_clock, NULL);
    fake = fake_perf_new();
    fake_read = fake->sys.read;
    fake->sys.read = read_and_step;
    perf_sys_use(&fake->sys);
    host = host_new();
}

FIXTURE(tear_down)
{
    perf_sys_use(NULL);
    fake_perf_free(fake); /* asserts that all descriptors were closed */
    host_unref(host);
    env_set_clock(NULL, NULL);
    procfs_free();
}

static struct source *open_on(const struct target *t, pid_t command)
{
    struct source *s = NULL;
    struct error err = ERROR_INIT;
    struct source_config c = {.target = t, .host = host, .command_pid = command};
    assert_int_equal(source_sampler.open(&s, &c, &err), 0);
    return s;
}

/* Events are opened on a thread; until that is done, the profile says so. */
static bool opening(const struct snapshot *s)
{
    return s->stacks && s->stacks->why && strstr(s->stacks->why, "being opened");
}

static struct snapshot *poll_with(struct source *s, const struct sampling *sampling, bool gone)
{
    for (;;) {
        struct snapshot *out = snapshot_new(host);
        out->sampling = *sampling;
        out->target_gone = gone;
        source_sampler.poll(s, out, clock_ns);
        if (!opening(out))
            return out;
        snapshot_unref(out);
        usleep(1000);
    }
}

static const struct sampling on = {.on = true, .hz = 997};

/* A poll waits for the newest samples for 5 ms only, except the last one: where the machine is busy
 * they come with a later one. */
static struct snapshot *poll_until_sampled(struct source *s)
{
    for (;;) {
        struct snapshot *out = poll_with(s, &on, true);
        if (out->stacks->samples)
            return out;
        snapshot_unref(out);
    }
}

static const struct target whole_host = {.kind = TARGET_HOST};

/* The first sampling event that is open. */
static const struct fake_fd *event(void)
{
    for (int i = 0; i < fake->used; i++)
        if (fake->fds[i].open && fake->fds[i].attr.sample_freq && fake->fds[i].attr.task)
            return &fake->fds[i];
    fail_msg("nothing samples");
    return NULL;
}

static const char *notice(const struct snapshot *s, const char *id)
{
    for (size_t i = 0; i < s->nnotices; i++)
        if (strcmp(s->notices[i].id, id) == 0)
            return s->notices[i].text;
    return NULL;
}

static void no_cycles(int err)
{
    fake_perf_rule(fake, (struct fake_rule){.type = PERF_TYPE_HARDWARE,
                                            .config = FAKE_ANY,
                                            .cpu = FAKE_ANY,
                                            .pid = FAKE_ANY,
                                            .err = err});
}

static void write_record(int cpu, const void *record, size_t n)
{
    size_t size = 0;
    void *ring = fake_perf_ring(fake, cpu, &size);
    assert_non_null(ring);
    ring_append(ring, size, record, n);
}

/* --- what is opened --- */

TEST_WITH(off_opens_nothing, set_up, tear_down)
{
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &(struct sampling){.hz = 997}, false);
    assert_null(out->stacks);
    assert_int_equal(fake->opens, 0);
    snapshot_unref(out);
    source_sampler.close(s);
}

TEST_WITH(cycles_are_sampled_on_every_cpu, set_up, tear_down)
{
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_string_equal(out->stacks->event, "cycles");
    assert_null(out->stacks->why);
    assert_int_equal(fake_perf_open_count(fake), NCPUS);
    const struct fake_fd *e = event();
    assert_int_equal(e->pid, -1);
    assert_int_equal(e->attr.sample_freq, 997);
    assert_true(e->attr.freq && e->attr.mmap2 && e->attr.comm_exec && e->attr.sample_id_all);
    assert_false(e->attr.exclude_idle || e->attr.inherit || e->attr.disabled);
    assert_true(e->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
    assert_true(e->attr.watermark && e->attr.wakeup_watermark);
    snapshot_unref(out);
    out = poll_with(s, &(struct sampling){0}, false); /* and off again */
    assert_null(out->stacks);
    assert_int_equal(fake_perf_open_count(fake), 0);
    snapshot_unref(out);
    source_sampler.close(s);
}

TEST_WITH(only_the_chosen_cpus, set_up, tear_down)
{
    bool cpus[TARGET_MAX_CPUS] = {false, true};
    struct target t = {.kind = TARGET_HOST, .cpus = cpus};
    struct source *s = open_on(&t, 0);
    snapshot_unref(poll_with(s, &on, false));
    assert_int_equal(fake_perf_open_count(fake), 1);
    assert_int_equal(event()->cpu, 1);
    source_sampler.close(s);
}

TEST_WITH(without_cycles_a_timer_that_skips_idle, set_up, tear_down)
{
    no_cycles(ENOENT);
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_string_equal(out->stacks->event, "cpu-clock");
    assert_non_null(strstr(out->stacks->why, "ENOENT"));
    assert_int_equal(event()->attr.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(event()->attr.config, PERF_COUNT_SW_CPU_CLOCK);
    assert_true(event()->attr.exclude_idle);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* The PMU of a hypervisor that accepts every event and counts nothing. */
TEST_WITH(cycles_that_do_not_count_are_not_sampled, set_up, tear_down)
{
    fake_perf_script(fake, (struct fake_script){.type = PERF_TYPE_HARDWARE,
                                                .config = FAKE_ANY,
                                                .cpu = FAKE_ANY,
                                                .pid = FAKE_ANY,
                                                .steps = {{0, 1000, 1000, false}},
                                                .n = 1});
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_string_equal(out->stacks->event, "cpu-clock");
    assert_non_null(out->stacks->why);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* The command is held before its exec, so it is sampled from its first instruction on, with all
 * that it starts. */
TEST_WITH(a_command_is_sampled_from_its_exec, set_up, tear_down)
{
    char *argv[] = {"x", NULL};
    struct target t = {.kind = TARGET_COMMAND, .argv = argv};
    struct source *s = open_on(&t, 4711);
    snapshot_unref(poll_with(s, &on, false));
    int events = 0, owners = 0;
    for (int i = 0; i < fake->used; i++) {
        const struct fake_fd *e = &fake->fds[i];
        if (!e->open)
            continue;
        if (e->pid == 4711) {
            events++;
            assert_true(e->attr.inherit && e->attr.enable_on_exec && e->attr.disabled);
            assert_true(e->cpu >= 0 && e->output >= 0 && !e->ring);
        } else { /* the ring belongs to an event that outlives the command */
            owners++;
            assert_int_equal(e->pid, 0);
            assert_int_equal(e->attr.config, PERF_COUNT_SW_DUMMY);
            assert_non_null(e->ring);
        }
    }
    assert_int_equal(events, NCPUS);
    assert_int_equal(owners, NCPUS);
    source_sampler.close(s);
}

TEST_WITH(all_threads_of_processes_share_a_ring_a_cpu, set_up, tear_down)
{
    struct target t = {.kind = TARGET_PIDS, .pids = (pid_t[]){50}, .npids = 1};
    procfs_write("/proc/50/task/50/stat", "50 (x) R 1\n");
    procfs_write("/proc/50/task/51/stat", "51 (x) R 1\n");
    procfs_write("/proc/50/task/52/stat", "52 (x) R 1\n");
    struct source *s = open_on(&t, 0);
    snapshot_unref(poll_with(s, &on, false));
    assert_int_equal(fake_perf_open_count(fake), 3 * NCPUS + NCPUS);
    assert_true(event()->attr.inherit && !event()->attr.enable_on_exec && !event()->attr.disabled);
    source_sampler.close(s);
}

/*
 * More threads than descriptors: whole CPUs are sampled, and samples of the process and its
 * children are kept.
 */
TEST_WITH(too_many_threads_are_sampled_by_cpu, set_up, tear_down)
{
    struct target t = {.kind = TARGET_PIDS, .pids = (pid_t[]){50}, .npids = 1};
    enum { FILES = 256, THREADS = FILES / 4 / NCPUS + 1 }; /* events may use a quarter of them */
    struct rlimit before, low;
    getrlimit(RLIMIT_NOFILE, &before);
    low = before;
    low.rlim_cur = FILES;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    uint64_t buf[64];
    for (int tid = 50; tid < 50 + THREADS; tid++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/50/task/%d/stat", tid);
        procfs_write(path, "%d (x) R 1\n", tid);
    }
    struct source *s = open_on(&t, 0);
    snapshot_unref(poll_with(s, &on, false));
    assert_int_equal(fake_perf_open_count(fake), NCPUS);
    assert_int_equal(event()->pid, -1);
    assert_false(event()->attr.inherit);
    struct record_ids ids = {.pid = 60, .tid = 60, .time = 1000000100};
    write_record(0, buf, record_make_task(buf, ids, PERF_RECORD_FORK, 50));
    static const pid_t pids[] = {50, 60, 70, 50};
    for (int i = 0; i < 4; i++) {
        ids = (struct record_ids){.pid = pids[i], .tid = pids[i], .time = 1000000200};
        write_record(0, buf,
                     record_make_sample(buf, ids, PERF_RECORD_MISC_KERNEL, 1ull << 63, NULL, 0));
    }
    struct snapshot *out = poll_with(s, &on, true);
    assert_int_equal(out->stacks->samples, 3); /* not those of process 70 */
    snapshot_unref(out);
    source_sampler.close(s);
    setrlimit(RLIMIT_NOFILE, &before);
}

TEST_WITH(dwarf_asks_for_stacks, set_up, tear_down)
{
    struct sampling dwarf = {.on = true, .hz = 997, .callgraph = CALLGRAPH_DWARF};
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &dwarf, false);
    assert_int_equal(out->stacks->callgraph, CALLGRAPH_DWARF);
    assert_true(event()->attr.sample_type & PERF_SAMPLE_STACK_USER);
    assert_true(event()->attr.sample_regs_user && event()->attr.sample_stack_user == 8192);
    assert_true(event()->attr.exclude_callchain_user);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* With frame pointers, a little of the stack is copied to find the caller of functions that keep
 * none. */
TEST_WITH(without_stacks_frame_pointers_are_left, set_up, tear_down)
{
    struct sampling dwarf = {.on = true, .hz = 997, .callgraph = CALLGRAPH_DWARF};
    fake->no_dumps = true;
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &dwarf, false);
    assert_int_equal(out->stacks->callgraph, CALLGRAPH_FP);
    assert_string_equal(out->stacks->event, "cycles");
    assert_non_null(out->stacks->why);
    snapshot_unref(out);
    out = poll_with(s, &on, false);
    assert_int_equal(out->stacks->callgraph, CALLGRAPH_FP);
    assert_null(out->stacks->why);
    assert_true(event()->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
    assert_int_equal(event()->attr.sample_stack_user, 0);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* If locked memory is limited, rings are made smaller. */
TEST_WITH(rings_shrink_to_what_is_allowed, set_up, tear_down)
{
    fake->map_max = 600 << 10; /* room for one ring of 512 KB, but then none for the other CPU */
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_null(out->stacks->why);
    for (int cpu = 0; cpu < NCPUS; cpu++) {
        size_t size = 0;
        assert_non_null(fake_perf_ring(fake, cpu, &size));
        assert_int_equal(size, 256 << 10);
    }
    assert_int_equal(fake_perf_open_count(fake), NCPUS);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* If not even the smallest ring is allowed, there is a reason. */
TEST_WITH(no_room_for_rings_is_told, set_up, tear_down)
{
    procfs_write("/proc/sys/kernel/perf_event_mlock_kb", "2000\n");
    fake->map_max = 1 << 10;
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_non_null(strstr(out->stacks->why, "perf_event_mlock_kb"));
    assert_non_null(notice(out, "sampler.refused"));
    for (size_t i = 0; i < out->nnotices; i++) /* the advice fits the current limit */
        if (strcmp(out->notices[i].id, "sampler.refused") == 0)
            assert_non_null(strstr(out->notices[i].help, "perf_event_mlock_kb=4000`"));
    snapshot_unref(out);
    source_sampler.close(s);
}

/* --- what is refused --- */

static void refuse_all(int err, bool unless_exclude_kernel)
{
    fake_perf_rule(fake, (struct fake_rule){.type = FAKE_ANY,
                                            .config = FAKE_ANY,
                                            .cpu = FAKE_ANY,
                                            .pid = FAKE_ANY,
                                            .unless_exclude_kernel = unless_exclude_kernel,
                                            .err = err});
}

TEST_WITH(without_the_kernel_where_it_is_refused, set_up, tear_down)
{
    refuse_all(EACCES, true);
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_string_equal(out->stacks->event, "cycles");
    assert_true(event()->attr.exclude_kernel);
    assert_non_null(notice(out, "sampler.kernel"));
    snapshot_unref(out);
    source_sampler.close(s);
}

TEST_WITH(a_refusal_has_its_reason, set_up, tear_down)
{
    static const struct {
        int err;
        const char *why;
    } rows[] = {{EACCES, "EACCES"}, {EPERM, "EPERM"},   {ENOSYS, "ENOSYS"},
                {EBUSY, "EBUSY"},   {EMFILE, "EMFILE"}, {ENOMEM, "ENOMEM"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake->nrules = 0;
        refuse_all(rows[i].err, false);
        struct source *s = open_on(&whole_host, 0);
        struct snapshot *out = poll_with(s, &on, false);
        assert_non_null(out->stacks);
        assert_int_equal(out->stacks->samples, 0);
        if (!out->stacks->why || !strstr(out->stacks->why, rows[i].why))
            fail_msg("%s: %s", rows[i].why, out->stacks->why ? out->stacks->why : "no reason");
        assert_non_null(notice(out, "sampler.refused"));
        snapshot_unref(out);
        source_sampler.close(s);
    }
}

TEST_WITH(the_kernels_limit_of_the_rate_is_told, set_up, tear_down)
{
    procfs_write("/proc/sys/kernel/perf_event_max_sample_rate", "500\n");
    struct source *s = open_on(&whole_host, 0);
    struct snapshot *out = poll_with(s, &on, false);
    assert_int_equal(event()->attr.sample_freq, 500);
    assert_true(out->stacks->hz == 997); /* the requested rate */
    assert_non_null(notice(out, "sampler.rate"));
    snapshot_unref(out);
    source_sampler.close(s);
}

/* --- what rings say --- */

static const struct hot_symbol *leaf(const struct hot_stacks *p, size_t place)
{
    return &p->symbols[p->places[place].symbol];
}

/*
 * The sample is in the ring of CPU 0; the earlier mapping that explains it is in that of CPU 1.
 * The file cannot be opened, so the name is the offset in it.
 */
TEST_WITH(rings_are_read_in_the_order_of_time, set_up, tear_down)
{
    uint64_t buf[64], chain[] = {PERF_CONTEXT_USER, 0x7000010};
    struct source *s = open_on(&whole_host, 0);
    snapshot_unref(poll_with(s, &on, false));
    struct record_ids ids = {.pid = 9, .tid = 9, .time = 1000000300, .cpu = 0};
    write_record(0, buf, record_make_sample(buf, ids, PERF_RECORD_MISC_USER, 0x7000010, chain, 2));
    ids.time = 1000000100;
    write_record(1, buf, record_make_comm(buf, ids, 1));
    ids.time = 1000000200;
    write_record(1, buf,
                 record_make_mmap2(buf, ids, 0x7000000, 0x1000, 0x3000, 5, "/nonexistent/lib.so"));
    clock_ns += 1000000000;
    struct snapshot *out = poll_with(s, &on, true);
    const struct hot_stacks *p = out->stacks;
    assert_int_equal(p->samples, 1);
    assert_int_equal(p->nplaces, 1);
    assert_string_equal(leaf(p, 0)->module, "lib.so");
    assert_string_equal(leaf(p, 0)->name, "0x3010");
    assert_int_equal(leaf(p, 0)->where, HOT_UNKNOWN);
    assert_true(p->seconds > 0.99 && p->seconds < 1.01);
    snapshot_unref(out);
    source_sampler.close(s);
}

TEST_WITH(lost_and_throttled_are_counted, set_up, tear_down)
{
    uint64_t buf[64];
    struct source *s = open_on(&whole_host, 0);
    snapshot_unref(poll_with(s, &on, false));
    struct record_ids ids = {.pid = 9, .tid = 9, .time = 1000000100};
    write_record(0, buf, record_make_lost(buf, ids, 40));
    write_record(1, buf, record_make_lost(buf, ids, 2));
    size_t n = record_make_task(buf, ids, PERF_RECORD_THROTTLE, 0);
    write_record(1, buf, n);
    struct snapshot *out = poll_with(s, &on, true);
    assert_int_equal(out->stacks->lost, 42);
    assert_int_equal(out->stacks->throttled, 1);
    snapshot_unref(out);
    out = poll_with(s, &on, true); /* of this interval only */
    assert_int_equal(out->stacks->lost, 0);
    assert_int_equal(out->stacks->throttled, 0);
    snapshot_unref(out);
    source_sampler.close(s);
}

TEST_WITH(a_damaged_ring_is_a_loss_and_not_an_end, set_up, tear_down)
{
    uint64_t buf[64], junk[8] = {0};
    struct source *s = open_on(&whole_host, 0);
    snapshot_unref(poll_with(s, &on, false));
    write_record(0, junk, sizeof junk);
    struct snapshot *out = poll_with(s, &on, true);
    assert_int_equal(out->stacks->lost, 1);
    snapshot_unref(out);
    struct record_ids ids = {.pid = 9, .tid = 9, .time = 1000000100};
    write_record(0, buf,
                 record_make_sample(buf, ids, PERF_RECORD_MISC_KERNEL, 1ull << 63, NULL, 0));
    out = poll_until_sampled(s);
    assert_int_equal(out->stacks->samples, 1);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* Some kernels sample idle CPUs with a timer; these samples are dropped. */
TEST_WITH(idle_is_no_sample_of_a_timer, set_up, tear_down)
{
    uint64_t buf[64];
    no_cycles(ENOENT);
    struct source *s = open_on(&whole_host, 0);
    snapshot_unref(poll_with(s, &on, false));
    struct record_ids ids = {.time = 1000000100};
    for (int i = 0; i < 5; i++)
        write_record(0, buf,
                     record_make_sample(buf, ids, PERF_RECORD_MISC_KERNEL, 1ull << 63, NULL, 0));
    struct snapshot *out = poll_with(s, &on, true);
    assert_int_equal(out->stacks->samples, 0);
    snapshot_unref(out);
    source_sampler.close(s);
}

/* A call chain is cut where an address lies outside all mappings. */
TEST_WITH(callers_outside_of_all_mappings_are_cut, set_up, tear_down)
{
    uint64_t buf[64];
    uint64_t chain[] = {PERF_CONTEXT_USER, 0x7000010, 0x7000020, 0xdeadbeef000, 0x7000030};
    struct source *s = open_on(&whole_host, 0);
    snapshot_unref(poll_with(s, &on, false));
    struct record_ids ids = {.pid = 9, .tid = 9, .time = 1000000100};
    write_record(0, buf, record_make_comm(buf, ids, 1));
    write_record(0, buf, record_make_mmap2(buf, ids, 0x7000000, 0x1000, 0, 5, "/nonexistent/a"));
    write_record(0, buf, record_make_sample(buf, ids, PERF_RECORD_MISC_USER, 0x7000010, chain, 5));
    struct snapshot *out = poll_with(s, &on, true);
    assert_int_equal(out->stacks->samples, 1);
    assert_int_equal(out->stacks->nnodes, 2);
    snapshot_unref(out);
    source_sampler.close(s);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
