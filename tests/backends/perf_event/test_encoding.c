/* Encodes names of events for perf_event_open: every form, and every mistake. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/encoding.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/env.h"
#include "support/procfs.h"
#include "support/test.h"

static struct perf_encoding good(const char *spec)
{
    struct perf_encoding e;
    struct error err = ERROR_INIT;
    if (event_resolve(spec, &e, &err))
        fail_msg("%s: %s: %s", spec, err.what, err.why);
    return e;
}

static struct error bad(const char *spec, enum error_kind kind)
{
    struct perf_encoding e;
    struct error err = ERROR_INIT;
    if (event_resolve(spec, &e, &err) == 0)
        fail_msg("'%s' should not resolve", spec);
    if (err.kind != kind)
        fail_msg("%s: kind %d: %s; %s", spec, err.kind, err.why, err.help);
    return err;
}

FIXTURE(use)
{
    env_set_root(procfs_tree("tests/data/sysfs/zen4"));
}

FIXTURE(unuse)
{
    env_set_root(NULL);
}

TEST_WITH(generic_names_resolve, use, unuse)
{
    struct perf_encoding e = good("cycles");
    assert_int_equal(e.type, PERF_TYPE_HARDWARE);
    assert_int_equal(e.config, 0);
    assert_int_equal(e.counters, 1); /* AMD has no fixed counters */
    assert_string_equal(e.pmu, "cpu");
    e = good(" branch-misses ");
    assert_int_equal(e.config, PERF_COUNT_HW_BRANCH_MISSES);
    e = good("L1-dcache-load-misses");
    assert_int_equal(e.type, PERF_TYPE_HW_CACHE);
    assert_int_equal(e.config, 0x10000);
    assert_int_equal(good("LLC-store-misses").config, 0x10102);
    assert_int_equal(good("iTLB-loads").config, 4);
    bad("iTLB-stores", ERROR_USAGE);
    e = good("task-clock");
    assert_int_equal(e.type, PERF_TYPE_SOFTWARE);
    assert_int_equal(e.counters, 0);
    assert_true(e.scale == 1e-9);
    assert_string_equal(e.unit, "s");
    assert_int_equal(good("cs").config, PERF_COUNT_SW_CONTEXT_SWITCHES);
}

TEST_WITH(modifiers_exclude_the_other_modes, use, unuse)
{
    struct perf_encoding e = good("cycles:u");
    assert_true(!e.exclude_user && e.exclude_kernel && e.exclude_hv);
    e = good("r1c2:k");
    assert_int_equal(e.config, 0x1c2);
    assert_true(e.exclude_user && !e.exclude_kernel);
    e = good("instructions:uk");
    assert_true(!e.exclude_user && !e.exclude_kernel && e.exclude_hv);
    e = good("cycles:pp");
    assert_true(!e.exclude_user && !e.exclude_kernel && !e.exclude_hv);
    e = good("cpu/event=0xc1/u");
    assert_true(e.exclude_kernel);
    bad("power/energy-pkg/u", ERROR_USAGE);
    bad("cycles:zz", ERROR_USAGE);
}

TEST_WITH(raw_codes_resolve, use, unuse)
{
    struct perf_encoding e = good("r1000001a0");
    assert_int_equal(e.type, PERF_TYPE_RAW);
    assert_true(e.config == 0x1000001a0);
    assert_int_equal(good("r1f03").counters, 2); /* FLOPs use two counters on AMD */
    assert_int_equal(good("any name=rc1").config, 0xc1);
    bad("r", ERROR_USAGE);
    bad("r11223344556677889", ERROR_USAGE);
}

TEST_WITH(sysfs_terms_fill_their_bits, use, unuse)
{
    struct perf_encoding e = good("cpu/event=0x1a0,umask=0x1e,cmask=6,name=x/");
    assert_int_equal(e.type, 4);
    assert_true(e.config == 0x106001ea0);
    assert_true(good("cpu/config=0x76/").config == 0x76);
    assert_int_equal(good("cpu/cpu-cycles/").config, 0x76);
    assert_int_equal(good("cpu/event=0x76,inv/").config, 0x800076);
    e = good("msr/tsc/");
    assert_int_equal(e.type, 9);
    assert_int_equal(e.scope, EVENT_CORE);
    e = good("power/energy-pkg/");
    assert_int_equal(e.config, 2);
    assert_int_equal(e.scope, EVENT_UNCORE);
    assert_string_equal(e.unit, "Joules");
    assert_string_equal(e.cpumask, "0");
    assert_true(e.scale == 1.0 / 4294967296);
}

TEST_WITH(sysfs_mistakes_are_explained, use, unuse)
{
    assert_non_null(strstr(bad("cpu/evnt=1/", ERROR_USAGE).help, "'event'"));
    assert_non_null(strstr(bad("cpu/umask=0x100/", ERROR_USAGE).why, "does not fit"));
    assert_non_null(strstr(bad("powr/energy-pkg/", ERROR_UNSUPPORTED).help, "'power'"));
    assert_non_null(strstr(bad("power/energy-pgk/", ERROR_USAGE).help, "'energy-pkg'"));
    bad("cpu/event=/", ERROR_USAGE);
    bad("cpu/event=-1/", ERROR_USAGE);
    bad("cpu/event=zz/", ERROR_USAGE);
    bad("cpu/event=1/q", ERROR_USAGE);
    bad("cpu/event", ERROR_USAGE);
    bad("/event/", ERROR_USAGE);
    bad("../cpu/event=1/", ERROR_UNSUPPORTED);
    bad("cpu/../type/", ERROR_USAGE);
    bad("..//", ERROR_UNSUPPORTED);
}

/* An Arm kernel opens any event number; an event that the PMU lacks would read 0 for ever. */
TEST_WITH(catalog_rows_that_an_arm_pmu_lacks_are_unsupported, use, unuse)
{
    env_set_root(procfs_tree("tests/data/sysfs/armv8-qemu")); /* lists 0x8 and 0x11 */
    assert_int_equal(good("INST_RETIRED=r8").config, 8);
    assert_non_null(strstr(bad("BR_RETIRED=r21", ERROR_UNSUPPORTED).why, "does not count it"));
    assert_int_equal(good("r21").config, 0x21);                       /* a number is not checked */
    assert_int_equal(good("FP_SCALE_OPS_SPEC=r80c0").config, 0x80c0); /* not in the PMU's list */
    env_set_root(procfs_tree("tests/data/sysfs/zen4"));
    assert_int_equal(good("RETIRED_OPS=rc1").config, 0xc1);
}

TEST_WITH(families_give_one_encoding_a_pmu, use, unuse)
{
    struct perf_encoding *e;
    size_t n;
    env_set_root(procfs_tree("tests/data/sysfs/spr"));
    assert_int_equal(event_resolve_all("uncore_imc/cas_count_read/", &e, &n, NULL), 0);
    assert_int_equal(n, 3); /* not uncore_imc_free_running_0 */
    assert_string_equal(e[2].pmu, "uncore_imc_10");
    assert_int_equal(e[0].config, 0xcf05);
    assert_string_equal(e[0].unit, "B");
    assert_true(e[0].scale > 63.999 && e[0].scale < 64.001);
    free(e);
    assert_int_equal(good("cycles").counters, 0); /* Intel: fixed counters */
    assert_int_equal(good("r8200").counters, 0);
    assert_int_equal(good("r1c2").counters, 1);
}

TEST_WITH(hybrids_give_one_encoding_a_core_type, use, unuse)
{
    struct perf_encoding *e;
    size_t n;
    env_set_root(procfs_tree("tests/data/sysfs/adl"));
    assert_int_equal(event_resolve_all("cycles:u", &e, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_true(e[0].config == UINT64_C(10) << 32 && e[1].config == UINT64_C(4) << 32);
    assert_true(e[0].hybrid && e[1].hybrid && e[1].exclude_kernel);
    assert_string_equal(e[0].cpumask, "16-23");
    free(e);
    assert_int_equal(event_resolve_all("rc4", &e, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(e[0].type, 10); /* raw codes belong to the PMU that is named */
    free(e);
    struct event_request *r;
    assert_int_equal(event_list_parse("{cycles,instructions},task-clock", &r, &n, NULL), 0);
    assert_int_equal(n, 5);
    assert_string_equal(r[0].name, r[1].name);
    assert_int_equal(r[0].set, r[3].set);
    assert_int_equal(r[4].set, -1);
    free(r);
}

TEST_WITH(tracepoints_come_from_tracefs, use, unuse)
{
    struct perf_encoding e = good("sched:sched_switch");
    assert_int_equal(e.type, PERF_TYPE_TRACEPOINT);
    assert_int_equal(e.config, 372);
    assert_true(good("sched:sched_switch:u").exclude_kernel);
    assert_non_null(strstr(bad("sched:sched_swich", ERROR_USAGE).help, "'sched_switch'"));
    env_set_root(procfs_tree("tests/data/sysfs/spr"));
    assert_non_null(strstr(bad("sched:sched_switch", ERROR_UNSUPPORTED).help, "mount -t tracefs"));
}

TEST_WITH(unknown_events_name_the_nearest, use, unuse)
{
    assert_non_null(strstr(bad("cycels", ERROR_USAGE).help, "'cycles'"));
    assert_non_null(strstr(bad("context_switchs", ERROR_USAGE).help, "'context-switches'"));
    assert_non_null(strstr(bad("qqqqqqqqqqqqqqqqqq", ERROR_USAGE).help, "names are"));
    bad("", ERROR_USAGE);
    bad("   ", ERROR_USAGE);
    bad("cyc\x01les", ERROR_USAGE);
}

TEST_WITH(lists_split_outside_slashes, use, unuse)
{
    struct event_request *r;
    size_t n;
    assert_int_equal(
        event_list_parse("cycles:u, {cpu/event=0xc1,name=ops/, rc0} ,page-faults", &r, &n, NULL),
        0);
    assert_int_equal(n, 4);
    assert_string_equal(r[0].name, "cycles");
    assert_string_equal(r[0].spec, "cycles:u");
    assert_string_equal(r[1].name, "ops");
    assert_int_equal(r[1].set, r[2].set);
    assert_int_equal(r[3].set, -1);
    free(r);
}

TEST_WITH(list_mistakes_name_the_column, use, unuse)
{
    static const struct {
        const char *list, *column;
    } cases[] = {{"", "column 1"},          {"cycles,", "column 8"},    {"{cycles", "column 8"},
                 {"cycles}", "column 7"},   {"{{cycles}}", "column 2"}, {"{cycles}x", "column 9"},
                 {"{cycles}}", "column 9"}, {"{}", "column 2"},         {",cycles", "column 1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct event_request *r;
        size_t n;
        struct error err = ERROR_INIT;
        assert_true(event_list_parse(cases[i].list, &r, &n, &err) < 0);
        assert_null(r);
        if (!strstr(err.what, cases[i].column))
            fail_msg("'%s': %s", cases[i].list, err.what);
    }
}

TEST_WITH(long_lists_are_refused, use, unuse)
{
    char list[7 * 300 + 1] = "";
    struct event_request *r;
    size_t n;
    for (int i = 0; i < 257; i++)
        strcat(list, i ? ",cycles" : "cycles");
    struct error err = ERROR_INIT;
    assert_true(event_list_parse(list, &r, &n, &err) < 0);
    assert_non_null(strstr(err.why, "256"));
}
