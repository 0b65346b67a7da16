/*
 * Compares event codes of the catalogs with libpfm4 and with numbers from the manuals. libpfm4
 * reads LIBPFM_FORCE_PMU only once, so each CPU is tested in a process of its own.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/perf_event/catalog.h"
#include "base/env.h"
#include "support/procfs.h"
#include "support/test.h"

/* The config that libpfm4 gives the name before "=r…"; 0 if it does not know the name. */
static uint64_t pfm_config(const char *spec)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof arg};
    char name[400];
    snprintf(name, sizeof name, "%.*s", (int)(strstr(spec, "=r") - spec), spec);
    return pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg) ==
                   PFM_SUCCESS
               ? attr.config
               : 0;
}

/* libpfm's name of a PMU; NULL where libpfm4 4.13 lacks it. */
static const char *libpfm_name(const char *key)
{
    static const char *const names[][2] = {{"zen3", "amd64_fam19h_zen3"},
                                           {"zen4", "amd64_fam19h_zen4"},
                                           {"skl", "skl"},
                                           {"icl", "icl"},
                                           {"spr", "spr"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], key) == 0)
            return names[i][1];
    return NULL;
}

/* Runs in the child. The exit status is the number of rows that differ; 200 = libpfm4 did not
 * start. */
static int compare_rows(const char *key, int least)
{
    int wrong = 0, compared = 0;
    setenv("LIBPFM_FORCE_PMU", libpfm_name(key), 1);
    if (pfm_initialize() != PFM_SUCCESS)
        return 200;
    for (const struct event_def *e = arch_find(key)->events; e->name; e++) {
        struct perf_encoding enc;
        struct error err = ERROR_INIT;
        if (event_resolve(e->spec, &enc, &err)) {
            fprintf(stderr, "%s %s: %s\n", key, e->spec, err.why);
            wrong++;
            continue;
        }
        /* a name of the kernel or of perf */
        if (!strstr(e->spec, "::"))
            continue;
        compared++;
        if (pfm_config(e->spec) == enc.config)
            continue;
        fprintf(stderr, "%s: libpfm4 says %#llx\n", e->spec,
                (unsigned long long)pfm_config(e->spec));
        wrong++;
    }
    return compared < least ? 201 : wrong;
}

static void check_against_libpfm(const char *key, int least)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(compare_rows(key, least));
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

TEST(zen3_codes_match_libpfm)
{
    check_against_libpfm("zen3", 15);
}

TEST(zen4_codes_match_libpfm)
{
    check_against_libpfm("zen4", 30);
}

TEST(skylake_codes_match_libpfm)
{
    check_against_libpfm("skl", 20);
}

TEST(icelake_codes_match_libpfm)
{
    check_against_libpfm("icl", 30);
}

TEST(sapphire_rapids_codes_match_libpfm)
{
    check_against_libpfm("spr", 25);
}

/* Codes from the manuals. */
TEST(golden_codes_of_the_manuals)
{
    static const struct {
        const char *key, *set, *name;
        uint64_t config;
    } golden[] = {
        {"zen4", "core", "cycles", 0x76},
        {"zen4", "core", "ref-cycles", 0x100000120},
        {"zen4", "topdown", "fe_no_ops", 0x1000001a0},
        {"zen4", "topdown", "be_stalls", 0x100001ea0},
        {"zen4", "topdown", "dispatched_ops", 0x7aa},
        {"zen4", "topdown2", "fe_empty_cycles", 0x1060001a0},
        {"zen4", "topdown2", "resyncs", 0x96},
        {"zen4", "topdown2b", "load_not_complete", 0xa2d6},
        {"zen4", "topdown2b", "ucode_ops", 0x1000000c2},
        {"zen4", "flops", "flops", 0x1f03},
        {"zen4", "l1d", "dram_fills", 0x4844},
        {"zen4", "l2", "l2_misses", 0x964},
        {"zen5", "topdown", "fe_no_ops", 0x1000001a0},
        {"zen5", "topdown2", "fe_empty_cycles", 0x1080001a0},
        {"zen5", "topdown2", "resyncs", 0x19f},
        {"zen5", "flops", "flops", 0xf03},
        {"zen5", "l1d", "l1d_fills", 0xff44},
        {"zen4", "ports", "fp_dispatched", 0x4ab},
        {"zen4", "ports", "loads_dispatched", 0x529},
        {"zen4", "ports_int", "int_scheduler2_full", 0x4af},
        {"zen4", "ports_memory", "fp_scheduler_full", 0x40ae},
        {"zen4", "ports_supply", "retire_queue_full", 0x20af},
        {"zen5", "ports", "int_dispatched", 0x8ab},
        {"zen5", "ports", "loads_dispatched", 0x529},
        {"zen5", "ports", "stores_dispatched", 0x629},
        {"zen5", "ports_int", "alu_scheduler_full", 0x1af},
        {"zen5", "ports_int", "agu_scheduler_full", 0x2af},
        {"skl", "ports", "port6", 0x40a1},
        {"spr", "ports", "port2_3_10", 0x4b2},
        {"neoverse_v2", "ports", "vector_ops", 0x74},
        {"neoverse_v2", "ports_memory", "load_ops", 0x70},
        {"skl", "topdown", "fe_not_delivered", 0x19c},
        {"icl", "topdown", "slots", 0x400},
        {"icl", "topdown", "td_be_bound", 0x8300},
        {"spr", "topdown", "td_mem_bound", 0x8700},
        {"spr", "flops16", "fp16_512", 0x10cf},
        {"armv8", "core", "instructions", 0x08},
        {"armv8", "l3", "ll_misses", 0x37},
        {"neoverse_v2", "topdown", "stall_slot_backend", 0x3d},
        {"neoverse_v2", "flops", "fp_scalable", 0x80c0},
    };
    env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const struct event_def *e = arch_find(golden[i].key)->events;
        while (e->name && (strcmp(e->set, golden[i].set) || strcmp(e->name, golden[i].name)))
            e++;
        assert_non_null(e->name);
        struct perf_encoding enc;
        assert_int_equal(event_resolve(e->spec, &enc, NULL), 0);
        assert_int_equal(enc.type, PERF_TYPE_RAW);
        assert_int_equal(enc.config, golden[i].config);
    }
    env_set_root(NULL);
}

static const struct event_def *row_of(const struct event_def *e, const char *set, const char *name)
{
    while (e->name && (strcmp(e->set, set) || strcmp(e->name, name)))
        e++;
    return e->name ? e : NULL;
}

static uint64_t config_of(const struct event_def *e)
{
    struct perf_encoding enc;
    struct error err = ERROR_INIT;
    if (event_resolve(e->spec, &enc, &err))
        fail_msg("%s: %s", e->spec, err.why);
    return enc.config;
}

/* P-cores of Alder Lake are those of Sapphire Rapids (Golden Cove), whose rows libpfm4 knows. The
 * metrics register's "slots" is the same pseudo event. */
TEST(alder_lake_p_cores_have_sapphire_rapids_codes)
{
    int compared = 0;
    for (const struct event_def *e = arch_find("adl")->events; e->name; e++) {
        const struct event_def *same = row_of(arch_find("spr")->events, e->set, e->name);
        if (strncmp(e->spec, "cpu_core/", 9) != 0)
            continue;
        env_set_root(procfs_tree("tests/data/sysfs/adl"));
        uint64_t ours = config_of(e);
        env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
        uint64_t wanted = same ? config_of(same) : 0; /* 0: there is no such row */
        if (wanted != ours)
            fail_msg("%s: %#llx, but %#llx on Sapphire Rapids", e->spec, (unsigned long long)ours,
                     (unsigned long long)wanted);
        compared++;
    }
    env_set_root(NULL);
    assert_true(compared > 40);
}

/* The E-cores' five are architectural events, which Intel numbers for all its cores. */
TEST(alder_lake_e_cores_have_architectural_codes)
{
    static const struct {
        const char *name;
        uint64_t config;
    } rows[] = {{"cycles", 0x3c},
                {"instructions", 0xc0},
                {"branches", 0xc4},
                {"branch-misses", 0xc5},
                {"ref-cycles", 0x300}};
    int compared = 0;
    env_set_root(procfs_tree("tests/data/sysfs/adl"));
    for (const struct event_def *e = arch_find("adl")->events; e->name; e++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows && !strncmp(e->spec, "cpu_atom/", 9); i++)
            if (strcmp(rows[i].name, e->name) == 0) {
                assert_int_equal(config_of(e), rows[i].config);
                compared++;
            }
    env_set_root(NULL);
    assert_int_equal(compared, 5);
}

/* A row of Zen 5 has the code of Zen 4's, which libpfm4 knows, but for those that AMD changed:
 * compared by hand with the kernel's list (pmu-events/arch/x86/amdzen5) on 2026-11-24. */
TEST(zen5_rows_that_differ_from_zen4)
{
    static const struct {
        const char *set, *name;
        uint64_t config;
    } changed[] = {{"topdown2", "fe_empty_cycles", 0x1080001a0}, /* 8 slots, not 6 */
                   {"topdown2", "resyncs", 0x19f},
                   {"flops", "flops", 0xf03},
                   {"l1d", "l1d_fills", 0xff44},
                   {"ports_int", "alu_scheduler_full", 0x1af},
                   {"ports_int", "agu_scheduler_full", 0x2af}};
    env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
    for (const struct event_def *e = arch_find("zen5")->events; e->name; e++) {
        const struct event_def *same = row_of(arch_find("zen4")->events, e->set, e->name);
        uint64_t expected = same ? config_of(same) : 0;
        for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
            if (!strcmp(changed[i].set, e->set) && !strcmp(changed[i].name, e->name))
                expected = changed[i].config;
        if (config_of(e) != expected)
            fail_msg("%s: %#llx, not %#llx", e->spec, (unsigned long long)config_of(e),
                     (unsigned long long)expected);
    }
    env_set_root(NULL);
}

static const struct event_def *common_row(const char *name)
{
    const struct event_def *e = catalog_common;
    while (e->name && strcmp(e->name, name) != 0)
        e++;
    return e;
}

TEST(common_rows_resolve_where_their_pmu_is)
{
    struct perf_encoding *enc;
    size_t n;
    env_set_root(procfs_tree("tests/data/sysfs/zen4"));
    assert_int_equal(event_resolve_all(common_row("umc_writes")->spec, &enc, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(enc[1].type, 21);
    assert_int_equal(enc[1].config, 0x20a);
    assert_int_equal(enc[1].scope, EVENT_UNCORE);
    free(enc);
    assert_int_equal(event_resolve_all(common_row("amd_l3_misses")->spec, &enc, &n, NULL), 0);
    assert_int_equal(enc[0].config, 0x104);
    assert_string_equal(enc[0].cpumask, "0,8");
    free(enc);
    env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
    struct error err = ERROR_INIT;
    assert_true(event_resolve_all(common_row("umc_writes")->spec, &enc, &n, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    for (const struct event_def *e = catalog_common; e->name; e++)
        if (strcmp(e->set, "software") == 0)
            assert_int_equal(event_resolve(e->spec, &(struct perf_encoding){0}, NULL), 0);
    env_set_root(NULL);
}

TEST(hybrid_rows_name_their_pmu)
{
    int atoms = 0;
    env_set_root(procfs_tree("tests/data/sysfs/adl"));
    for (const struct event_def *e = arch_find("adl")->events; e->name; e++) {
        struct perf_encoding enc;
        struct error err = ERROR_INIT;
        if (event_resolve(e->spec, &enc, &err))
            fail_msg("%s: %s", e->spec, err.why);
        assert_true(enc.hybrid);
        atoms += strcmp(enc.pmu, "cpu_atom") == 0 && enc.type == 10;
    }
    assert_int_equal(atoms, 5);
    env_set_root(NULL);
}
