/* Metrics over hand-written counts; the expected numbers were computed by hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/metric.h"
#include "engine/live/user_tables.h"
#include "support/test.h"

enum { CPUS = 2 };

static struct snapshot *picture(void)
{
    struct host *h = host_new();
    h->ncpus = CPUS;
    snprintf(h->hypervisor, sizeof h->hypervisor, "KVM");
    struct snapshot *s = snapshot_new(h);
    host_unref(h);
    s->interval_s = 2;
    s->total.busy = value_ok(25, UNIT_PERCENT);
    return s;
}

static struct counter *count(struct snapshot *s, const char *set, const char *name, double v)
{
    struct counter *c = snapshot_add_counter(s);
    c->set = set;
    c->name = name;
    c->source = "test";
    c->enabled_ns = 1;
    c->delta = value_ok(v, UNIT_COUNT);
    return c;
}

/* Adds a counter with a value for each CPU. */
static struct counter *count_cpus(struct snapshot *s, const char *set, const char *name, double a,
                                  double b)
{
    struct counter *c = count(s, set, name, a + b);
    c->percpu = snapshot_alloc(s, CPUS * sizeof *c->percpu);
    c->percpu[0] = value_ok(a, UNIT_COUNT);
    c->percpu[1] = value_ok(b, UNIT_COUNT);
    return c;
}

static void evaluate(struct snapshot *s, const char *arch)
{
    struct metric_set *m;
    struct error err = ERROR_INIT;
    if (metric_compile(&m, arch, NULL, &err))
        fail_msg("%s: %s", err.what, err.why);
    metric_evaluate(m, s);
    metric_free(m);
}

static double number(const struct snapshot *s, const char *id)
{
    const struct metric *m = snapshot_metric(s, id);
    if (!m || m->value.validity != VALUE_OK)
        fail_msg("%s: %s", id, m ? m->value.why : "no such metric");
    return m ? m->value.v : 0; /* fail_msg does not return; the analyser does not know */
}

static void near(const struct snapshot *s, const char *id, double want)
{
    double d = number(s, id) - want;
    if (d > 1e-9 * (want + 1) || d < -1e-9 * (want + 1))
        fail_msg("%s is %.12g, not %.12g", id, number(s, id), want);
}

static const char *reason(const struct snapshot *s, const char *id)
{
    const struct metric *m = snapshot_metric(s, id);
    assert_non_null(m);
    assert_int_equal(m->value.validity, VALUE_MISSING);
    assert_non_null(m->value.why);
    return m->value.why;
}

TEST(core_numbers_and_percpu)
{
    struct snapshot *s = picture();
    count_cpus(s, "core", "cycles", 4e9, 1e9);
    count_cpus(s, "core", "instructions", 8e9, 1e9);
    count(s, "core", "branches", 1e9);
    count(s, "core", "branch-misses", 2e7);
    count_cpus(s, "core", "ref-cycles", 2e9, 1e9);
    count_cpus(s, "msr", "tsc", 5e9, 5e9);
    count_cpus(s, "software", "task-clock", 2, 2);
    evaluate(s, "zen4");
    near(s, "ipc", 1.8);
    near(s, "cpi", 5.0 / 9);
    near(s, "branch_miss", 2);
    near(s, "branch_mpki", 1000 * 2e7 / 9e9);
    near(s, "ghz", 5e9 / 3e9 * 2.5e9);
    near(s, "tsc_rate", 2.5e9);
    const struct metric *m = snapshot_metric(s, "ipc");
    assert_true(m->percpu && m->percpu[0].v == 2 && m->percpu[1].v == 1);
    m = snapshot_metric(s, "ghz");
    assert_true(m->percpu[0].v == 5e9 && m->percpu[1].v == 2.5e9);
    assert_null(snapshot_metric(s, "branch_miss")->percpu);
    snapshot_unref(s);
}

static double children(const struct snapshot *s, const char *parent, int level)
{
    double sum = 0;
    for (size_t i = 0; i < s->nmetrics; i++) {
        const struct metric_def *d = s->metrics[i].def;
        const char *p = d->parent ? d->parent : "";
        if (d->level == level && strcmp(p, parent) == 0)
            sum += number(s, d->id);
    }
    return sum;
}

static void check_tree(const struct snapshot *s)
{
    assert_true(children(s, "", 1) > 99.999999 && children(s, "", 1) < 100.000001);
    for (size_t i = 0; i < s->nmetrics; i++) {
        const struct metric_def *d = s->metrics[i].def;
        double sum = d->level == 1 ? children(s, d->id, 2) : 0;
        if (sum != 0 && (sum > number(s, d->id) + 1e-9 || sum < number(s, d->id) - 1e-9))
            fail_msg("children of %s: %g, not %g", d->id, sum, number(s, d->id));
        if (d->level && (number(s, d->id) < 0 || number(s, d->id) > 100))
            fail_msg("%s is %g", d->id, number(s, d->id));
    }
}

static void add_zen(struct snapshot *s, double cycles, double width)
{
    double slots = cycles * width;
    count(s, "topdown", "cycles", cycles);
    count(s, "topdown", "fe_no_ops", 0.2 * slots);
    count(s, "topdown", "be_stalls", 0.3 * slots);
    count(s, "topdown", "retired_ops", 0.25 * slots);
    count(s, "topdown", "dispatched_ops", 0.35 * slots);
    count(s, "topdown2", "fe_no_ops", 0.2 * slots);
    count(s, "topdown2", "fe_empty_cycles", 0.15 * cycles);
    count(s, "topdown2", "branch-misses", 30);
    count(s, "topdown2", "resyncs", 10);
    count(s, "topdown2b", "not_complete", 100);
    count(s, "topdown2b", "load_not_complete", 60);
    count(s, "topdown2b", "retired_ops", 1000);
    count(s, "topdown2b", "ucode_ops", 100);
}

TEST(topdown_of_zen)
{
    for (int zen = 4; zen <= 5; zen++) {
        struct snapshot *s = picture();
        add_zen(s, 1e6, zen == 4 ? 6 : 8);
        evaluate(s, zen == 4 ? "zen4" : "zen5");
        near(s, "td_frontend", 20);
        near(s, "td_backend", 30);
        near(s, "td_retiring_pct", 25);
        near(s, "td_bad", 10);
        near(s, "td_smt", 15);
        near(s, "td_fetch_latency", 15);
        near(s, "td_mispredicts", 7.5);
        near(s, "td_memory", 18);
        near(s, "td_microcode", 2.5);
        check_tree(s);
        assert_null(snapshot_metric(s, "td_slots")); /* a step of other formulas is not shown */
        snapshot_unref(s);
    }
}

/* If more operations retired than were dispatched (counters are not read at the same time), bad
 * speculation is 0 and the sum stays 100 %. */
TEST(topdown_of_zen_clamps)
{
    struct snapshot *s = picture();
    add_zen(s, 1e6, 6);
    for (size_t i = 0; i < s->ncounters; i++)
        if (strcmp(s->counters[i].name, "retired_ops") == 0)
            s->counters[i].delta.v = 4.0e6;
    evaluate(s, "zen4");
    near(s, "td_bad", 0);
    near(s, "td_smt", 0);
    check_tree(s);
    snapshot_unref(s);
}

TEST(topdown_of_intel)
{
    static const struct {
        const char *name;
        double v;
    } rows[] = {{"slots", 1000},          {"td_retiring", 400},  {"td_bad_spec", 100},
                {"td_fe_bound", 200},     {"td_be_bound", 300},  {"td_heavy_ops", 50},
                {"td_br_mispredict", 90}, {"td_fetch_lat", 120}, {"td_mem_bound", 180},
                {"uop_dropping", 20}};
    struct snapshot *s = picture();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        count(s, "topdown", rows[i].name, rows[i].v);
    evaluate(s, "spr");
    near(s, "td_retiring_pct", 40);
    near(s, "td_frontend", 18); /* 200/1000 less the dropped 20/1000 */
    near(s, "td_backend", 30);
    near(s, "td_bad", 12);
    near(s, "td_heavy", 5);
    near(s, "td_mispredicts", 9);
    near(s, "td_fetch_latency", 10);
    near(s, "td_memory", 18);
    check_tree(s);
    snapshot_unref(s);
}

TEST(topdown_of_icelake_and_skylake)
{
    struct snapshot *s = picture();
    count(s, "topdown", "slots", 1000);
    count(s, "topdown", "td_retiring", 500);
    count(s, "topdown", "td_bad_spec", 100);
    count(s, "topdown", "td_fe_bound", 150);
    count(s, "topdown", "td_be_bound", 250);
    count(s, "topdown2", "cycles", 200);
    count(s, "topdown2", "fe_empty_cycles", 20);
    count(s, "topdown2", "branch-misses", 9);
    count(s, "topdown2", "machine_clears", 1);
    count(s, "topdown2", "ms_uops", 100);
    count(s, "topdown2", "uops_issued", 1000);
    count(s, "topdown2b", "stalls_mem_any", 40);
    count(s, "topdown2b", "bound_on_stores", 10);
    count(s, "topdown2b", "stalls_total", 70);
    count(s, "topdown2b", "ports_1", 10);
    count(s, "topdown2b", "ports_2", 20);
    evaluate(s, "icl");
    near(s, "td_bad", 10);
    near(s, "td_mispredicts", 9);
    near(s, "td_fetch_latency", 10);
    near(s, "td_memory", 25 * 50.0 / 100);
    near(s, "td_microcode", 5);
    check_tree(s);
    snapshot_unref(s);
    s = picture();
    count(s, "topdown", "cycles", 1000);
    count(s, "topdown", "fe_not_delivered", 800);
    count(s, "topdown", "uops", 2000);
    count(s, "topdown", "uops_issued", 2200);
    count(s, "topdown", "recovery_cycles", 25);
    evaluate(s, "skl");
    near(s, "td_frontend", 20);
    near(s, "td_retiring_pct", 50);
    near(s, "td_bad", 7.5);
    near(s, "td_backend", 22.5);
    check_tree(s);
    snapshot_unref(s);
}

TEST(topdown_of_arm_with_slots)
{
    static const char *const keys[] = {"armv8_slots8", "neoverse_v2"};
    for (size_t i = 0; i < 2; i++) {
        struct snapshot *s = picture();
        count(s, "topdown", "cycles", 1000);
        count(s, "topdown", "stall_slot", 4000);
        count(s, "topdown", "stall_slot_frontend", 1000);
        count(s, "topdown", "stall_slot_backend", 3000);
        count(s, "topdown", "op_retired", 3200);
        count(s, "topdown", "op_spec", 4000);
        count(s, "topdown", "branch-misses", 10);
        count(s, "stalls", "stalled-memory", 30);
        count(s, "stalls", "stalled-backend", 60);
        count(s, "stalls", "cycles", 1000);
        evaluate(s, keys[i]);
        near(s, "td_retiring_pct", 40);
        near(s, "td_frontend", i ? 11.5 : 12.5);
        near(s, "td_backend", i ? 34.5 : 37.5);
        near(s, "td_bad", i ? 14 : 10);
        if (i)
            near(s, "td_memory", 17.25);
        check_tree(s);
        snapshot_unref(s);
    }
}

TEST(flops_and_memory)
{
    struct snapshot *s = picture();
    count(s, "flops", "fp_scalar", 1);
    count(s, "flops", "fp_128d", 10);
    count(s, "flops", "fp_4flops", 100);
    count(s, "flops", "fp_8flops", 1000);
    count(s, "flops", "fp_512s", 10000);
    count(s, "dram", "imc_read", 1000);
    count(s, "dram", "imc_write", 500);
    count(s, "rapl", "energy-pkg", 50);
    evaluate(s, "spr");
    near(s, "flops", (1 + 20 + 400 + 8000 + 160000) / 2.0);
    near(s, "dram_read", 500);
    near(s, "dram_total", 750);
    near(s, "intensity", 168421.0 / 1500);
    near(s, "power_package", 25);
    near(s, "flops_per_watt", 168421 / 2.0 / 25);
    snapshot_unref(s);
    s = picture();
    count(s, "dram", "umc_reads", 1000);
    count(s, "flops", "flops", 4000);
    evaluate(s, "zen4");
    near(s, "dram_read", 32000);
    assert_non_null(strstr(reason(s, "dram_write"), "memory-controller"));
    near(s, "flops", 2000);
    snapshot_unref(s);
}

TEST(software_alone)
{
    struct snapshot *s = picture();
    count(s, "software", "task-clock", 3);
    count(s, "software", "page-faults", 10);
    count(s, "software", "context-switches", 30);
    count(s, "software", "cpu-migrations", 4);
    count(s, "software", "major-faults", 0);
    evaluate(s, "none");
    near(s, "cpu_util", 25); /* that of the host, from ticks */
    near(s, "fault_rate", 5);
    near(s, "major_fault_rate", 0); /* it was counted, and there were none */
    near(s, "switch_rate", 15);
    s->target_kind = TARGET_PIDS;
    evaluate(s, "none");
    near(s, "cpu_util", 150);
    s->counters[0].delta = value_pending(UNIT_SECONDS);
    evaluate(s, "none");
    assert_int_equal(snapshot_metric(s, "cpu_util")->value.validity, VALUE_PENDING);
    s->counters[0].delta = value_missing("the kernel ended the counting", UNIT_SECONDS);
    evaluate(s, "none");
    assert_string_equal(reason(s, "cpu_util"), "the kernel ended the counting");
    snapshot_unref(s);
}

TEST(absent_pmu_is_explained)
{
    static const char *const always[] = {"ipc",    "branch_miss", "td_frontend", "td_retiring_pct",
                                         "td_bad", "td_backend",  "flops"};
    struct snapshot *s = picture();
    evaluate(s, "none");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        assert_non_null(strstr(reason(s, always[i]), "no core PMU: this virtual machine"));
    assert_non_null(strstr(reason(s, "power_package"), "RAPL"));
    assert_null(snapshot_metric(s, "power_ram")); /* optional */
    assert_null(snapshot_metric(s, "l2_miss"));   /* a metric of other CPUs */
    assert_null(snapshot_metric(s, "smi_rate"));
    snapshot_unref(s);
}

/* Each set that is not there has its own reason; a missing core PMU has that of the machine. */
TEST(each_absence_has_its_reason)
{
    static const struct {
        const char *arch, *hypervisor, *id, *why;
    } cases[] = {
        {"none", "KVM", "ipc", "this virtual machine has none"},
        {"none", "", "ipc", "the kernel has no driver for this CPU's counters"},
        {"", "", "ipc", "the kernel has no driver for this CPU's counters"},
        {"generic", "KVM", "flops", "no event known for it on this CPU model"},
        {"zen4", "", "ipc", "(-e replaces the default sets)"},
        {"none", "KVM", "dram_read", "no memory-controller counters"},
        {"none", "KVM", "power_package", "no energy counters"},
        {"none", "KVM", "fault_rate", "software events are not counted here"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct host *h = host_new();
        h->ncpus = CPUS;
        snprintf(h->hypervisor, sizeof h->hypervisor, "%s", cases[i].hypervisor);
        struct snapshot *s = snapshot_new(h);
        host_unref(h);
        s->interval_s = 1;
        evaluate(s, cases[i].arch);
        if (!strstr(reason(s, cases[i].id), cases[i].why))
            fail_msg("%s of %s: '%s', not '%s'", cases[i].id, cases[i].arch, reason(s, cases[i].id),
                     cases[i].why);
        snapshot_unref(s);
    }
}

TEST(reasons_flags_and_zero_propagate)
{
    struct snapshot *s = picture();
    count(s, "core", "cycles", 0);
    struct counter *c = count(s, "core", "instructions", 5);
    c->delta.running = 0.2f;
    c->delta.flags = VALUE_SCALED;
    c = count(s, "core", "branch-misses", 0);
    c->delta = value_missing("not allowed: perf_event_paranoid is 3", UNIT_COUNT);
    count(s, "core", "branches", 100);
    evaluate(s, "zen4");
    assert_string_equal(reason(s, "ipc"), "no cycles in this interval");
    assert_string_equal(reason(s, "branch_miss"), "not allowed: perf_event_paranoid is 3");
    near(s, "branch_share", 2000);
    const struct value *v = &snapshot_metric(s, "branch_share")->value;
    assert_true(v->flags & VALUE_SCALED && v->flags & VALUE_LOW_CONFIDENCE);
    assert_true(v->flags & VALUE_CROSS_GROUP); /* both were counted alone */
    assert_true(v->running < 0.21f);
    snapshot_unref(s);
    s = picture();
    c = count(s, "core", "instructions", 5);
    c->delta.running = 0.5f;
    c->group = 3;
    c = count(s, "core", "cycles", 10);
    c->delta.running = 0.5f;
    c->group = 3;
    evaluate(s, "zen4");
    assert_int_equal(snapshot_metric(s, "ipc")->value.flags, 0); /* same group: comparable */
    near(s, "ipc", 0.5);
    snapshot_unref(s);
}

TEST(first_snapshot_is_pending)
{
    struct snapshot *s = picture();
    s->interval_s = 0;
    count(s, "core", "cycles", 1)->delta = value_pending(UNIT_COUNT);
    count(s, "core", "instructions", 1)->delta = value_pending(UNIT_COUNT);
    count(s, "software", "page-faults", 1);
    evaluate(s, "zen4");
    assert_int_equal(snapshot_metric(s, "ipc")->value.validity, VALUE_PENDING);
    assert_int_equal(snapshot_metric(s, "fault_rate")->value.validity, VALUE_PENDING);
    snapshot_unref(s);
}

static struct metric_def mine(const char *id, const char *formula)
{
    return (struct metric_def){.id = id,
                               .label = id,
                               .set = "mine",
                               .formula = formula,
                               .group = METRIC_USER,
                               .cpus = "any",
                               .what = "",
                               .reference = ""};
}

TEST(user_metrics_outlive_their_tables)
{
    char id[] = "double_it", formula[] = "2 * x + ipc";
    struct metric_def defs[] = {mine(id, formula)};
    struct user_tables user = {.metrics = defs, .nmetrics = 1};
    struct metric_set *m;
    struct snapshot *s = picture();
    count(s, "mine", "x", 5);
    count(s, "core", "cycles", 10);
    count(s, "core", "instructions", 20);
    assert_int_equal(metric_compile(&m, "zen4", &user, NULL), 0);
    metric_evaluate(m, s);
    metric_free(m);
    memset(id, 'z', sizeof id - 1);
    memset(formula, 'z', sizeof formula - 1);
    near(s, "double_it", 12);
    assert_string_equal(snapshot_metric(s, "double_it")->def->formula, "2 * x + ipc");
    snapshot_unref(s);
}

/* A CPU's name must match as a whole word: "armv8" is neither "armv8_slots8" nor "v8", and what
 * follows "_slots" is a width. */
TEST(a_cpu_has_the_rows_of_its_whole_name)
{
    static const struct {
        const char *arch, *cpus;
        bool applies;
    } cases[] = {{"armv8", "armv8_slots neoverse_v2", false},
                 {"armv8", "zen4 armv8_slots", false},
                 {"armv8", "armv8_slots armv8", true},
                 {"armv8", "xarmv8 armv8", true},
                 {"armv8", "xarmv8", false},
                 {"armv8_slots8", "armv8_slots", true},
                 {"armv8_slots8", "armv8", false},
                 {"zen4", "any", true},
                 {"zen4", "zen3 zen4", true},
                 {"zen4", "many", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct metric_def def = mine("mine", "slots_per_cycle * cycles");
        struct user_tables user = {.metrics = &def, .nmetrics = 1};
        struct metric_set *m;
        struct snapshot *s = picture();
        def.cpus = cases[i].cpus;
        count(s, "mine", "cycles", 5);
        assert_int_equal(metric_compile(&m, cases[i].arch, &user, NULL), 0);
        metric_evaluate(m, s);
        metric_free(m);
        const struct metric *got = snapshot_metric(s, "mine");
        if ((got != NULL) != cases[i].applies)
            fail_msg("%s has%s the rows for '%s'", cases[i].arch, got ? "" : " not", def.cpus);
        if (strcmp(cases[i].arch, "armv8_slots8") == 0 && got)
            near(s, "mine", 40);
        snapshot_unref(s);
    }
}

TEST(circles_are_refused)
{
    struct metric_def defs[] = {mine("p", "q + 1"), mine("q", "r"), mine("r", "p * 2")};
    struct user_tables user = {.metrics = defs, .nmetrics = 3};
    struct metric_set *m;
    struct error err = ERROR_INIT;
    assert_int_equal(metric_compile(&m, "none", &user, &err), -EINVAL);
    assert_null(m);
    assert_non_null(strstr(err.why, "back to itself"));
    defs[2].formula = "p * ";
    assert_int_equal(metric_compile(&m, "none", &user, &err), -EINVAL);
    assert_non_null(strstr(err.what, "'r'"));
    assert_non_null(strstr(err.what, "column 5"));
}

FIXTURE(drain)
{
    snapshot_pool_drain();
}

TEST_MAIN(NULL, drain)
