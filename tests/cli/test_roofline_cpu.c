/*
 * Bricks of a program under the measured roofs of a CPU, as a user sees them.
 * Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* Measured on a machine of two CPUs. */
#define MEASURED "tests/data/roofs/zen4-2cpus.json"
#define RECORD                                                                                     \
    "ROOFTOP_BRICKS=$D $DEMO --tokens 6 --threads 1 --backend scalar --quiet && ls $D/*.bricks"

static int begin(void **state)
{
    const char *path = program_rooftop();
    char bin[4096], demo[4200];
    temp_folder_make(state);
    setenv("D", temp_folder, 1);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    if (path && realpath(path, bin)) {
        bin[strlen(bin) - strlen("/rooftop")] = '\0';
        snprintf(demo, sizeof demo, "%s/examples/transformer/transformer", bin);
        setenv("DEMO", demo, 1);
        program_answers(RECORD, 0, "", "");
    }
    return 0;
}

TEST(a_file_of_roofs_serves_bricks)
{
    struct program p;
    program_expect(&p, "$BIN roofline --roofs " MEASURED " $D/*.bricks", 0);
    assert_non_null(strstr(p.out, "scalar (measured 2026-11-23 by rooftop lab roofs --quick on AMD "
                                  "EPYC)"));
    assert_non_null(strstr(p.out, "\n  DRAM "));
    assert_non_null(strstr(p.out, "\n  scalar f32 "));
    assert_null(strstr(p.out, "256-bit")); /* scalars cannot have wider ones */
    assert_null(strstr(p.out, "no peaks"));
    program_free(&p);
}

/* The roofs of this host do not stand in for those of a file that is not there. */
TEST(a_file_of_roofs_that_is_not_there_is_told)
{
    struct program p;
    program_run(&p, "$BIN roofline --roofs $D/absent.json $D/*.bricks");
    assert_int_equal(p.status, 3);
    assert_non_null(strstr(p.err, "absent.json: No such file"));
    program_free(&p);
    program_run(&p, "$BIN --headless --view roofline --roofs $D/absent.json --frames 1");
    assert_int_equal(p.status, 3);
    program_free(&p);
}

TEST(documents_have_the_ceilings)
{
    struct program p;
    program_expect(&p, "$BIN roofline --format json --roofs " MEASURED " $D/*.bricks", 0);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    const cJSON *roof = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(j, "roofs"), 0);
    const cJSON *ceilings = cJSON_GetObjectItemCaseSensitive(roof, "ceilings");
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(j, "points"), *point;
    assert_int_equal(cJSON_GetArraySize(ceilings), 4 + 2); /* levels; scalars of two types */
    assert_int_equal(cJSON_GetObjectItemCaseSensitive(roof, "threads")->valueint, 1);
    assert_true(cJSON_GetArraySize(points) > 3);
    cJSON_ArrayForEach(point, points)
    {
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(point, "roof")->valueint, 0);
        assert_true(cJSON_GetObjectItemCaseSensitive(point, "reached")->valuedouble > 0);
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(point, "threads")->valueint, 1);
    }
    cJSON_Delete(j);
    program_free(&p);
    program_expect(&p, "$BIN roofline --format svg --roofs " MEASURED " $D/*.bricks", 0);
    assert_non_null(strstr(p.out, "DRAM "));
    assert_null(strstr(p.out, "nan"));
    program_free(&p);
}

TEST(the_screen_has_them_too)
{
    struct program p;
    program_expect(
        &p, "$BIN --headless --view roofline --utf8 --size 200x50 --roofs " MEASURED " $D/*.bricks",
        0);
    assert_non_null(strstr(p.out, "scalar: measured 2026-11-23 by rooftop lab roofs"));
    assert_non_null(strstr(p.out, "scalar f32"));
    assert_non_null(strstr(p.out, "measured: times, roofs"));
    program_free(&p);
}

/* Never measured, then measured on another CPU: both say what helps. */
TEST(without_roofs_of_this_host_the_way_is_told)
{
    struct program p;
    program_answers("$BIN roofline $D/*.bricks", 0,
                    "no peaks: this host's roofs were never measured: rooftop lab "
                    "roofs",
                    "");
    program_answers("$BIN --headless --view roofline --size 80x24 $D/*.bricks", 0,
                    "no roofs: this host's roofs were never measured: rooftop lab", "");
    program_expect(&p,
                   "mkdir -p $D/rooftop && sed 's/\"cpu\":.*/\"cpu\": \"Other\",/' " MEASURED
                   " >$D/rooftop/host_roofs.json && $BIN roofline --format json $D/*.bricks; "
                   "rm -r $D/rooftop",
                   0);
    assert_non_null(strstr(p.out, "they were measured with CPU 'Other', and now it is"));
    assert_null(strstr(p.out, "\"ceilings\":[{"));
    program_free(&p);
}

TEST(a_bad_file_is_refused)
{
    temp_folder_put("bad.json", "{\"schema\":\"rooftop.host_roofs/9\"}");
    program_answers("$BIN roofline --roofs $D/bad.json $D/*.bricks", 3, "", "bad.json");
    program_answers("$BIN --headless --frames 1 --roofs $D/bad.json", 3, "", "bad.json");
}

TEST_MAIN(begin, temp_folder_remove)
