/* The counters of the lab's runs, with a kernel made up here: which events each CPU gets, what is
 * added, what is refused. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/lab/lab_impl.h"
#include "base/env.h"
#include "support/fake_perf.h"
#include "support/procfs.h"
#include "support/test.h"

static struct fake_perf *fake;
static struct perf_sys counting;
static uint64_t reads, behind; /* behind: time that the group did not run */

/* Member k of a group grows by 100 (k + 1) with each read. */
static ssize_t read_growing(void *ctx, int fd, void *buf, size_t size)
{
    ssize_t n = fake->sys.read(ctx, fd, buf, size);
    uint64_t *word = buf;
    if (n < 24)
        return n;
    reads++;
    word[1] = 1000 * reads;
    word[2] = 1000 * reads - behind * reads;
    for (uint64_t k = 0; k < word[0]; k++)
        word[3 + 2 * k] = 100 * (word[0] - k) * reads; /* the last member comes first */
    return n;
}

FIXTURE(setup)
{
    fake = fake_perf_new();
    counting = fake->sys;
    counting.read = read_growing;
    perf_sys_use(&counting);
    reads = behind = 0;
}

FIXTURE(teardown)
{
    perf_sys_use(NULL);
    env_set_root(NULL);
    fake_perf_free(fake);
}

/* What each event of a set adds between two reads. */
static void count_set(struct lab_set *s, double sum[LAB_SUMS])
{
    memset(sum, 0, LAB_SUMS * sizeof *sum);
    assert_string_equal(s->why, "");
    assert_int_equal(lab_set_open(s), 0);
    assert_int_equal(lab_set_read(s, NULL), 0);
    assert_int_equal(lab_set_read(s, sum), 0);
    lab_set_close(s);
}

TEST_WITH(each_cpu_gets_its_own_events, setup, teardown)
{
    static const struct {
        const char *root;
        uint64_t macro_ops, l1_accesses;
        double l1_sum; /* of accesses: where the CPU counts hits, misses are added */
    } cpus[] = {
        {"tests/data/sysfs/zen4", 0xc1, 0x729, 100},
        {"tests/data/sysfs/spr", 0x2c2, 0x1d1, 300},
        {"tests/data/sysfs/neoverse-v2", 0x3a, 0x4, 100},
    };
    struct lab_set sets[LAB_SETS];
    double sum[LAB_SUMS];
    for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++) {
        env_set_root(procfs_tree(cpus[i].root));
        lab_sets_find(sets);
        assert_int_equal(sets[0].n, 4);
        count_set(&sets[0], sum);
        assert_true(sum[LAB_CYCLES] == 100 && sum[LAB_INSTRUCTIONS] == 200);
        assert_true(sum[LAB_BRANCHES] == 300 && sum[LAB_MISPREDICTS] == 400);
        assert_int_equal(sets[1].events[0].config, cpus[i].macro_ops);
        count_set(&sets[1], sum);
        assert_true(sum[LAB_MACRO_OPS] == 100 && sum[LAB_CYCLES] == 0);
        assert_int_equal(sets[2].events[0].config, cpus[i].l1_accesses);
        count_set(&sets[2], sum);
        assert_true(sum[LAB_L1_ACCESSES] == cpus[i].l1_sum && sum[LAB_L1_MISSES] == 200);
    }
}

/* Event k of a set counts 100 k; of Zen 4: cycles, slots that the frontend left empty, that the
 * backend refused, macro-ops retired and dispatched, which make 1000 slots. */
TEST_WITH(slots_become_level_one_of_top_down, setup, teardown)
{
    struct lab_set sets[LAB_SETS];
    const struct lab_set *s = &sets[LAB_SET_TOPDOWN];
    double sum[LAB_SUMS], part[LAB_TOPDOWN_PARTS];
    static const char *const roots[] = {"tests/data/sysfs/zen4", "tests/data/sysfs/spr",
                                        "tests/data/sysfs/neoverse-v2"};
    for (size_t i = sizeof roots / sizeof *roots; i-- > 0;) {
        env_set_root(procfs_tree(roots[i]));
        lab_sets_find(sets);
        count_set(&sets[LAB_SET_TOPDOWN], sum);
        assert_in_range(s->n, 5, LAB_EVENTS);
        lab_topdown(s, sum + LAB_NUMBERS, part);
        for (int k = 0; k < LAB_TOPDOWN_PARTS; k++)
            assert_false(isnan(part[k]));
    }
    assert_string_equal(s->names[1], "fe_no_ops");
    assert_float_equal(part[LAB_FRONTEND], 20, 1e-9);
    assert_float_equal(part[LAB_BACKEND], 30, 1e-9);
    assert_float_equal(part[LAB_RETIRING], 40, 1e-9);
    assert_float_equal(part[LAB_BAD], 10, 1e-9);
}

TEST_WITH(a_slice_that_was_not_counted_to_its_end_is_left_out, setup, teardown)
{
    struct lab_set sets[LAB_SETS];
    double sum[LAB_SUMS] = {0};
    env_set_root(procfs_tree("tests/data/sysfs/zen4"));
    lab_sets_find(sets);
    behind = 10;
    assert_int_equal(lab_set_open(&sets[0]), 0);
    assert_int_equal(lab_set_read(&sets[0], NULL), 0);
    assert_int_equal(lab_set_read(&sets[0], sum), -EAGAIN);
    assert_true(sum[LAB_CYCLES] == 0);
    lab_set_close(&sets[0]);
}

TEST_WITH(what_is_refused_has_its_reason, setup, teardown)
{
    struct lab_set sets[LAB_SETS];
    env_set_root(procfs_tree("tests/data/sysfs/zen4"));
    fake_perf_rule(
        fake,
        (struct fake_rule){
            .type = FAKE_ANY, .config = FAKE_ANY, .cpu = FAKE_ANY, .pid = FAKE_ANY, .err = EACCES});
    lab_sets_find(sets);
    for (int i = 0; i < LAB_SETS; i++)
        assert_true(strlen(sets[i].why) > 10);
    env_set_root(procfs_tree("tests/data/sysfs/vm-none"));
    lab_sets_find(sets);
    assert_non_null(strstr(sets[1].why, "no event for it"));
}
