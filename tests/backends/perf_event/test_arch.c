/* Finds the CPU architecture from recorded /proc and /sys. */
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/env.h"
#include "support/procfs.h"
#include "support/test.h"

TEST(recorded_trees_are_recognised)
{
    static const char *const trees[][2] = {
        {"tests/data/sysfs/zen4", "zen4"},
        {"tests/data/sysfs/zen5", "zen5"},
        {"tests/data/sysfs/spr", "spr"},
        {"tests/data/sysfs/adl", "adl"},
        {"tests/data/sysfs/armv8-qemu", "armv8"},
        {"tests/data/sysfs/armv8-slots", "armv8_slots10"},
        {"tests/data/sysfs/neoverse-v2", "neoverse_v2"},
        {"tests/data/sysfs/vm-none", "none"},
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        env_set_root(procfs_tree(trees[i][0]));
        assert_string_equal(arch_detect()->key, trees[i][1]);
    }
    env_set_root("tests/data/sysfs/not-there");
    assert_string_equal(arch_detect()->key, "none");
    env_set_root(NULL);
}

TEST(arch_keys_are_found)
{
    for (const struct arch_def *a = arch_table; a->key; a++)
        assert_ptr_equal(arch_find(a->key), a);
    assert_null(arch_find("pentium"));
}

TEST(hybrid_core_pmus_are_listed)
{
    struct pmu cores[CORE_PMUS_MAX];
    env_set_root(procfs_tree("tests/data/sysfs/adl"));
    assert_int_equal(pmu_cores(cores), 2);
    assert_string_equal(cores[0].name, "cpu_atom");
    assert_string_equal(cores[0].cpus, "16-23");
    assert_string_equal(cores[1].name, "cpu_core");
    env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
    assert_int_equal(pmu_cores(cores), 0);
    env_set_root(NULL);
}

TEST(catalog_rows_are_complete)
{
    for (const struct arch_def *a = arch_table; a->key; a++)
        for (const struct event_def *e = a->events; e->name; e++) {
            assert_true(e->set && *e->set && *e->spec && *e->desc && *e->reference);
            assert_true(strlen(e->spec) < 512);
        }
}

/* The five events of AMD's top-down level 1 must fit besides the NMI watchdog. */
TEST(amd_topdown_fits_five_counters)
{
    static const char *const keys[] = {"zen4", "zen5"};
    for (size_t i = 0; i < 2; i++) {
        int n = 0;
        for (const struct event_def *e = arch_find(keys[i])->events; e->name; e++)
            n += strcmp(e->set, "topdown") == 0;
        assert_int_equal(n, 5);
    }
}
