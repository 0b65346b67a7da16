/* What fills the pipes, from a kernel made of recorded counts on the CPUs of the real catalogs. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_event/catalog.h"
#include "base/env.h"
#include "engine/live/metric.h"
#include "engine/live/source.h"
#include "engine/ports/ports.h"
#include "support/fake_perf.h"
#include "support/procfs.h"
#include "support/test.h"

extern const struct source_ops source_perf;

struct machine {
    struct fake_perf *fake;
    struct host *host;
    struct source *source;
    struct metric_set *metrics;
    struct snapshot *snap;
    struct ports_report report;
};

/* Counts grow by these in each interval, on each CPU. */
struct slope {
    long config;
    uint64_t each;
};

static void poll_machine(struct machine *m, uint64_t now)
{
    snapshot_unref(m->snap);
    m->snap = snapshot_new(m->host);
    m->snap->cpus = snapshot_alloc(m->snap, sizeof *m->snap->cpus);
    m->source ? source_perf.poll(m->source, m->snap, now) : (void)0;
    fake_perf_step(m->fake);
}

/* own: an event of the user's is asked for, as with -e. */
static void machine_with(struct machine *m, const char *root, enum target_sets sets, bool own,
                         const struct slope *slopes, size_t n)
{
    static struct target target;
    static char own_event[] = "r1c2";
    target = (struct target){.kind = TARGET_HOST, .sets = sets};
    target.event_spec = own ? own_event : NULL;
    *m = (struct machine){.fake = fake_perf_new(), .host = host_new()};
    env_set_root(procfs_tree(root));
    perf_sys_use(&m->fake->sys);
    m->host->ncpus = 1;
    for (size_t i = 0; i < n; i++)
        fake_perf_script(m->fake, (struct fake_script){PERF_TYPE_RAW,
                                                       slopes[i].config,
                                                       FAKE_ANY,
                                                       FAKE_ANY,
                                                       {{0, 1000000, 1000000, false},
                                                        {slopes[i].each, 2000000, 2000000, false}},
                                                       2});
    struct source_config config = {.target = &target, .host = m->host};
    assert_int_equal(source_perf.open(&m->source, &config, NULL), 0);
    assert_int_equal(metric_compile(&m->metrics, m->host->pmu_arch, NULL, NULL), 0);
}

static void machine_open(struct machine *m, const char *root, enum target_sets sets,
                         const struct slope *slopes, size_t n)
{
    machine_with(m, root, sets, false, slopes, n);
}

/* Polls until the last event of the last set has been counted. */
static void machine_run(struct machine *m, const char *set, const char *name)
{
    for (int i = 0; i < 100000; i++) {
        poll_machine(m, (uint64_t)(i + 1) * 1000000000);
        const struct counter *c = snapshot_counter(m->snap, set, name);
        assert_non_null(c);
        if (i > 2 && c->delta.validity != VALUE_PENDING)
            break;
        usleep(500);
    }
    metric_evaluate(m->metrics, m->snap);
    ports_report_make(&m->report, m->snap);
}

static void machine_close(struct machine *m)
{
    ports_report_free(&m->report);
    source_perf.close(m->source);
    snapshot_unref(m->snap);
    metric_free(m->metrics);
    host_unref(m->host);
    perf_sys_use(NULL);
    fake_perf_free(m->fake);
    env_set_root(NULL);
}

static const struct ports_row *port(const struct machine *m, const char *id)
{
    for (size_t i = 0; i < m->report.n; i++)
        if (strcmp(m->report.rows[i].metric->def->id, id) == 0)
            return &m->report.rows[i];
    fail_msg("no row %s", id);
    return NULL;
}

static void assert_port(const struct machine *m, const char *id, const char *pipes, double expect,
                        const char *code)
{
    const struct ports_row *row = port(m, id);
    assert_string_equal(row->pipes, pipes);
    assert_int_equal(row->metric->value.validity, VALUE_OK);
    assert_float_equal(row->metric->value.v, expect, 1e-6);
    assert_true(row->nevents > 0);
    assert_string_equal(row->events[0].code, code);
    assert_true(*row->events[0].name && *row->metric->def->reference);
}

TEST(zen4_tells_dispatch_and_what_stopped_it)
{
    static const struct slope slopes[] = {
        {0x76, 1000}, {0x4ab, 500}, {0x8ab, 2000}, {0x529, 700}, {0x629, 300}, {0x1af, 100},
        {0x8af, 40},  {0x2ae, 250}, {0x40ae, 10},  {0x2aa, 900}, {0x1aa, 100},
    };
    struct machine m;
    machine_open(&m, "tests/data/sysfs/zen4", SETS_PORTS, slopes, sizeof slopes / sizeof *slopes);
    machine_run(&m, "ports_supply", "decoder_ops");
    assert_port(&m, "port_fp", "D", 0.5, "r4ab");
    assert_port(&m, "port_int", "DC", 2, "r8ab");
    assert_port(&m, "port_loads", "S", 0.7, "r529");
    assert_port(&m, "port_stores", "S", 0.3, "r629");
    assert_port(&m, "port_int_scheduler0", "DSC", 10, "r1af");
    assert_port(&m, "port_int_scheduler3", "DSC", 4, "r8af");
    assert_port(&m, "port_load_queue", "S", 25, "r2ae");
    assert_port(&m, "port_fp_scheduler", "D", 1, "r40ae");
    assert_port(&m, "port_op_cache", "DSC", 90, "r2aa");
    assert_int_equal(m.report.counted, m.report.n);
    assert_null(m.report.why);
    assert_non_null(strstr(m.report.note, "no counter for a port"));
    /* top-down is there, because formulas of other CPUs' ports use it; the rest is not */
    assert_null(snapshot_counter(m.snap, "l2", "l2_misses"));
    machine_close(&m);
}

TEST(sapphire_rapids_tells_ports)
{
    static const struct slope slopes[] = {
        {0x3c, 1000}, {0x1b2, 250}, {0x20b2, 1000}, {0x4b2, 1500}, {0x10b2, 400}, {0x80b2, 600},
    };
    struct machine m;
    machine_open(&m, "tests/data/sysfs/spr", SETS_PORTS, slopes, sizeof slopes / sizeof *slopes);
    machine_run(&m, "ports", "port7_8");
    assert_port(&m, "port_0", "DC", 25, "r1b2");
    assert_port(&m, "port_5_11", "D", 50, "r20b2");
    assert_port(&m, "port_load", "S", 50, "r4b2");
    assert_port(&m, "port_store", "S", 25, "r10b2");
    assert_int_equal(port(&m, "port_store")->nevents, 2);
    assert_string_equal(port(&m, "port_store")->events[1].code, "r80b2");
    machine_close(&m);
}

TEST(arm_tells_slots)
{
    static const struct slope slopes[] = {{0x11, 1000}, {0x3f, 2000}, {0x3d, 1000}};
    struct machine m;
    machine_open(&m, "tests/data/sysfs/neoverse-v2", SETS_PORTS, slopes,
                 sizeof slopes / sizeof *slopes);
    pthread_mutex_lock(&m.fake->lock); /* the self-test reads beside us */
    for (size_t i = 0; i < 3; i++)     /* its PMU has a type of its own */
        m.fake->scripts[i].type = FAKE_ANY;
    pthread_mutex_unlock(&m.fake->lock);
    machine_run(&m, "ports_memory", "branch_ops");
    assert_port(&m, "port_slots", "DSC", 75, "r3f");
    assert_port(&m, "port_slots_backend", "DSC", 12.5, "r3d");
    assert_non_null(strstr(m.report.note, "no counter for a pipe"));
    machine_close(&m);
}

/* The sets of ports take turns with all others, so nobody counts them who has not asked. */
TEST(usual_sets_leave_ports_out_and_say_so)
{
    struct machine m;
    machine_open(&m, "tests/data/sysfs/zen4", SETS_USUAL, NULL, 0);
    machine_run(&m, "core", "cycles");
    assert_int_equal(m.report.counted, 0);
    assert_true(m.report.n > 10);
    assert_non_null(strstr(m.report.why, "--ports"));
    for (int i = 0; i < m.fake->used; i++)
        assert_true(m.fake->fds[i].attr.config != 0x4ab);
    machine_close(&m);
    machine_open(&m, "tests/data/sysfs/zen4", SETS_WITH_PORTS, NULL, 0);
    machine_run(&m, "ports_supply", "decoder_ops");
    assert_int_equal(m.report.counted, m.report.n);
    assert_non_null(snapshot_counter(m.snap, "l2", "l2_misses"));
    machine_close(&m);
    /* beside events of the user's, which replace the usual sets */
    machine_with(&m, "tests/data/sysfs/zen4", SETS_WITH_PORTS, true, NULL, 0);
    machine_run(&m, "ports_supply", "decoder_ops");
    assert_int_equal(m.report.counted, m.report.n);
    assert_non_null(snapshot_counter(m.snap, "user", "r1c2"));
    assert_null(snapshot_counter(m.snap, "l2", "l2_misses"));
    machine_close(&m);
}

/* A virtual machine may hide the counters of a CPU that is known: rows and reasons are there. */
TEST(hidden_counters_have_rows_with_reasons)
{
    struct machine m;
    env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
    const struct arch_def *cpu = arch_find(arch_of_cpu());
    machine_open(&m, "tests/data/sysfs/vm-none", SETS_PORTS, NULL, 0);
    assert_string_equal(m.host->pmu_arch, cpu ? cpu->key : "none");
    assert_non_null(strstr(m.host->pmu, "none"));
    machine_close(&m);
}

/* Each label begins with the pipes that it tells about, each row's set has its events. */
TEST(every_row_names_its_pipes_and_events)
{
    for (const struct metric_def *d = metric_table; d->id; d++) {
        if (d->group != METRIC_PORTS)
            continue;
        size_t letters = strcspn(d->label, " ");
        assert_true(letters >= 1 && letters <= 3 && strspn(d->label, "DSC") == letters);
        assert_true(strncmp(d->set, "ports", 5) == 0 || strcmp(d->set, "topdown") == 0);
    }
    for (const struct arch_def *a = arch_table; a->key; a++)
        assert_true(strlen(ports_note(a->key)) > 40);
    assert_string_equal(ports_note("armv8_slots10"), ports_note("armv8_slots"));
}
