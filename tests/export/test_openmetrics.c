/* Names, units, labels and order of a document of OpenMetrics. */
#include "export/openmetrics.h"

#include <stdlib.h>
#include <string.h>

#include "export/live/export_openmetrics.h"
#include "support/sample_snapshot.h"
#include "support/test.h"

static char *write_document(const struct openmetrics *m)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    openmetrics_write(f, m);
    fclose(f);
    return text;
}

TEST(samples_of_a_name_stand_together_in_base_units)
{
    struct openmetrics *m = openmetrics_new();
    const char *const a[] = {"cpu", "0", NULL}, *const b[] = {"cpu", "1", NULL};
    const struct value half = value_ok(50, UNIT_PERCENT), fast = value_ok(2e9, UNIT_HZ);
    openmetrics_add(m, "cpu", "busy", "busy", a, &half);
    openmetrics_add(m, "cpu", "gfx_hz", "clock", NULL, &fast);
    openmetrics_add(m, "cpu", "busy", "busy", b, &half);
    openmetrics_add(m, "cpu", "busy", "busy", b, &half); /* twice the same */
    char *text = write_document(m);
    assert_string_equal(text,
                        "# HELP rooftop_cpu_busy_ratio busy\n# TYPE rooftop_cpu_busy_ratio gauge\n"
                        "# UNIT rooftop_cpu_busy_ratio ratio\nrooftop_cpu_busy_ratio{cpu=\"0\"} "
                        "0.5\nrooftop_cpu_busy_ratio{cpu=\"1\"} 0.5\n"
                        "# HELP rooftop_cpu_gfx_hertz clock\n# TYPE rooftop_cpu_gfx_hertz gauge\n"
                        "# UNIT rooftop_cpu_gfx_hertz hertz\nrooftop_cpu_gfx_hertz 2000000000\n"
                        "# EOF\n");
    free(text);
    openmetrics_free(m);
}

TEST(what_was_not_measured_is_not_there)
{
    struct openmetrics *m = openmetrics_new();
    const struct value none = value_missing("no sensor", UNIT_WATT);
    openmetrics_add(m, "gpu", "power", "power", NULL, &none);
    char *text = write_document(m);
    assert_string_equal(text, "# EOF\n");
    free(text);
    openmetrics_free(m);
}

TEST(labels_and_names_from_outside_are_harmless)
{
    struct openmetrics *m = openmetrics_new();
    const char *const hostile[] = {"name", "a\"b\\c\nd\x1b[31m\xff", NULL};
    const struct value one = value_ok(1, UNIT_NONE);
    openmetrics_add(m, "x", "A-b{c}\n", "help", hostile, &one);
    char *text = write_document(m);
    assert_non_null(strstr(text, "\nrooftop_x_a_b_c__{name=\"a\\\"b\\\\c\xef\xbf\xbd"
                                 "d\xef\xbf\xbd[31m\xef\xbf\xbd\"} 1\n"));
    free(text);
    openmetrics_free(m);
}

TEST(a_snapshot_has_host_cpus_devices_events_and_metrics)
{
    static const char *const wanted[] = {
        "rooftop_time_seconds 176368",
        "rooftop_cpu_busy_ratio{cpu=\"0\"} 0.0030000000000000005\n",
        "rooftop_network_in_bytes_per_second{device=\"eth0\"} 1500000\n",
        "rooftop_event_per_second{set=\"core\",event=\"cycles\"} 3100000000\n",
        "rooftop_event_running_ratio{set=\"core\",event=\"instructions\"} 0.25\n",
        "rooftop_metric_per_cycle{set=\"core\",id=\"ipc\"} ",
        "rooftop_build_info{version=\"9.9\"} 1\n",
    };
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    struct snapshot *s = sample_snapshot();
    export_openmetrics(f, s, "9.9");
    fclose(f);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("%s is not in\n%s", wanted[i], text);
    snapshot_unref(s);
    free(text);
}

TEST_MAIN(NULL, NULL)
