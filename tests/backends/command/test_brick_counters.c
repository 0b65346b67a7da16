/* Names of events become what librooftop takes: each answer is opened by librooftop itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/command/command_impl.h"
#include "base/env.h"
#include "rooftop/counters.h"
#include "support/procfs.h"
#include "support/test.h"

static char *resolved(const char *list)
{
    struct error err = ERROR_INIT;
    char *out = NULL;
    if (brick_counters_resolve(list, &out, &err) != 0)
        fail_msg("%s: %s %s", list, err.what, err.why);
    return out;
}

TEST(names_become_numbers)
{
    static const struct {
        const char *list, *expected;
    } rows[] = {
        {"page-faults", "page-faults=1:0x2:u"},
        {"page-faults:uk,task-clock", "page-faults=1:0x2:uk,task-clock=1:0x1:u"},
        {"context-switches,cpu-migrations", "context-switches=1:0x3:uk,cpu-migrations=1:0x4:uk"},
        {"context-switches:u", "context-switches=1:0x3:u"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = resolved(rows[i].list);
        assert_string_equal(out, rows[i].expected);
        free(out);
    }
}

/* A word is one event, or several with the number of times that each counts. */
TEST(words_are_the_events_of_this_cpu)
{
    static const struct {
        const char *root, *list, *expected;
    } rows[] = {
        {"zen4", "flops", "flops=4:0x1f03:u"},
        {"zen4", "bytes", "bytes*64_dram_fills=4:0x4844:u"},
        {"spr", "flops",
         "flops*1_fp_scalar=4:0x3c7:u,flops*2_fp_128d=4:0x4c7:u,flops*4_fp_4flops=4:0x18c7:u,"
         "flops*8_fp_8flops=4:0x60c7:u,flops*16_fp_512s=4:0x80c7:u"},
        {"spr", "cycles,bytes", "cycles=0:0x0:u,bytes*64_cache-misses=0:0x3:u"},
        {"neoverse-v2", "flops", "flops*1_fp_fixed=4:0x80c1:u,flops*1_fp_scalable=4:0x80c0:u"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char root[64];
        snprintf(root, sizeof root, "tests/data/sysfs/%s", rows[i].root);
        env_set_root(procfs_tree(root));
        char *out = resolved(rows[i].list);
        assert_string_equal(out, rows[i].expected);
        free(out);
    }
    struct error err = ERROR_INIT;
    char *out = NULL;
    env_set_root(procfs_tree("tests/data/sysfs/armv8-qemu"));
    assert_true(brick_counters_resolve("flops", &out, &err) < 0);
    assert_non_null(strstr(err.why, "not operations"));
    env_set_root(procfs_tree("tests/data/sysfs/spr")); /* five and four are nine */
    assert_true(brick_counters_resolve("cycles,faults,branches,r01,flops", &out, &err) < 0);
    assert_non_null(strstr(err.why, "at most eight"));
    env_set_root(NULL);
}

/* librooftop understands every answer: none of its reasons is that it does not know the event. */
TEST(librooftop_understands_them)
{
    char *out = resolved("cycles,instructions:u,,LLC-load-misses,r01c2,no-pmu/event=0x44,umask=1/,"
                         "minor-faults,alignment-faults");
    rooftop_counters *g = rooftop_counters_open(out);
    static const char *const names[] = {"cycles", "instructions", "LLC-load-misses", "r01c2"};
    assert_int_equal(rooftop_counters_n(g), 7);
    for (unsigned i = 0; i < 7; i++) {
        if (i < 4)
            assert_memory_equal(rooftop_counters_name(g, i), names[i], strlen(names[i]));
        assert_string_not_equal(rooftop_counters_why(g, i), "no event has this name here");
    }
    assert_non_null(strstr(rooftop_counters_name(g, 4), "no-pmu/event_0x44_umask_1/"));
    assert_true(*rooftop_counters_why(g, 4));
    rooftop_counters_close(g);
    free(out);
}

TEST(what_cannot_be_asked_is_refused)
{
    static const struct {
        const char *list, *why;
    } rows[] = {
        {"cycels", "cycels: unknown event"},
        {"", "no event is named"},
        {",,", "no event is named"},
        {"faults,faults,faults,faults,faults,faults,faults,faults,faults", "at most eight"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err = ERROR_INIT;
        char *out = NULL;
        assert_true(brick_counters_resolve(rows[i].list, &out, &err) < 0);
        assert_null(out);
        if (!strstr(err.why, rows[i].why))
            fail_msg("%s: \"%s\", not \"%s\"", rows[i].list, err.why, rows[i].why);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}
