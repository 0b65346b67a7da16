/* Our own snapshot document as numbers of a host. */
#include "engine/fleet/fleet_read.h"

#include <math.h>
#include <string.h>

#include "support/test.h"

static int take(const char *text, struct fleet_sample *s)
{
    struct error err = ERROR_INIT;
    fleet_sample_begin(s, 1);
    return fleet_read_snapshot(text, strlen(text), "host", s, &err);
}

TEST(each_member_becomes_its_metric)
{
    struct fleet_sample s;
    assert_int_equal(
        take("{\"load\":{\"1\":{\"value\":6}},\"schema\":\"rooftop.snapshot/1\",\"new\":[{}],"
             "\"host\":{\"hostname\":\"x\",\"cpus\":4},\"tasks\":{\"running\":2},"
             "\"memory\":{\"total\":{\"value\":200,\"unit\":\"B\"},\"used\":{\"value\":50}},"
             "\"pressure\":{\"cpu\":{\"value\":3}},\"cpu_total\":{\"busy\":{\"value\":40},"
             "\"frequency\":{\"value\":null,\"valid\":false,\"why\":\"no\"}},"
             "\"io\":[{\"kind\":\"network\",\"name\":\"a\",\"counted\":true,\"in\":{\"value\":1},"
             "\"out\":{\"value\":2}},{\"kind\":\"network\",\"counted\":false,\"in\":{\"value\":9}},"
             "{\"kind\":\"disk\",\"counted\":true,\"in\":{\"value\":10},\"out\":{\"value\":20}},"
             "{\"kind\":\"disk\",\"counted\":true,\"in\":{\"value\":10},\"out\":{\"value\":null}}],"
             "\"gpus\":{\"devices\":[{\"mem_total\":{\"value\":100},\"now\":{\"gfx_busy\":"
             "{\"value\":80},\"mem_used\":{\"value\":25},\"power\":{\"value\":300}}},"
             "{\"now\":{\"gfx_busy\":{\"value\":60},\"power\":{\"value\":200},\"mem_used\":"
             "{\"value\":75}},\"mem_total\":{\"value\":100}}]}}",
             &s),
        0);
    assert_true(s.v[FLEET_load] == 1.5 && s.v[FLEET_runnable] == 0.5 && s.v[FLEET_memory] == 25);
    assert_true(s.v[FLEET_pressure_cpu] == 3 && s.v[FLEET_cpu] == 40);
    assert_true(isnan(s.v[FLEET_cpu_clock]) && isnan(s.v[FLEET_swap]));
    assert_true(s.v[FLEET_net_in] == 1 && s.v[FLEET_net_out] == 2);
    assert_true(s.v[FLEET_disk_read] == 20 && s.v[FLEET_disk_write] == 20);
    assert_true(s.v[FLEET_gpus] == 2 && s.v[FLEET_gpu_busy] == 70 && s.v[FLEET_gpu_power] == 500);
    assert_true(s.v[FLEET_gpu_memory] == 75);
}

TEST(what_is_no_snapshot_is_refused)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "null",
        "{\"schema\":\"rooftop.tree/1\"}",
        "{\"schema\":7}",
        "{\"schema\":\"rooftop.snapshot/1\"",
        "{\"schema\":\"rooftop.snapshot/1\"} {}",
        "{\"schema\":\"rooftop.snapshot/1\",\"io\":[{]}",
    };
    struct fleet_sample s;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (take(texts[i], &s) == 0)
            fail_msg("%s is taken", texts[i]);
}

/* Members of other types than ours are passed over: a later version may change them. */
TEST(members_of_other_types_are_not_measured)
{
    struct fleet_sample s;
    assert_int_equal(take("{\"schema\":\"rooftop.snapshot/1\",\"host\":7,\"load\":null,\"io\":{},"
                          "\"gpus\":[1],\"memory\":\"x\",\"cpu_total\":{\"busy\":[1]}}",
                          &s),
                     0);
    for (int m = 0; m < FLEET_METRICS; m++)
        assert_true(isnan(s.v[m]));
}
