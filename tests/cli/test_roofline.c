/*
 * The command roofline, run as a user runs it, with a profile that has counters.
 * Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/gpu_profile.h"
#include "support/program.h"
#include "support/test.h"

#define ROOFS "tests/data/rocm/mi200_roofline.csv"

static struct gpu_profile profile;

FIXTURE(begin)
{
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    gpu_profile_mi300x(&profile);
    setenv("P", profile.file.path, 1);
}

FIXTURE(end)
{
    gpu_profile_remove(&profile);
}

TEST(as_text)
{
    struct program p;
    program_expect(&p, "$BIN roofline $P", 0);
    assert_non_null(strstr(p.out, "MI300X (theoretical: 304 units at 2100 MHz)"));
    assert_non_null(strstr(p.out, "78.3 %  MFMA f16           MI300X  gemm\n"));
    assert_non_null(strstr(p.out, "57.7 %?  HBM                MI300X  softmax\n"));
    assert_non_null(strstr(p.out, "incomplete: 21 counters missing (SQ_INSTS_VALU_ADD_F64"));
    assert_non_null(strstr(p.out, "1 kernel is without counters"));
    program_free(&p);
    program_expect(&p, "$BIN roofline $P --per dispatch", 0);
    assert_non_null(strstr(p.out, "41.5 %  HBM                MI300X  saxpy #2\n"));
    assert_non_null(strstr(p.out, "82.9 %  HBM                MI300X  saxpy #8\n"));
    program_free(&p);
    program_expect(&p, "$BIN roofline $P --roofs " ROOFS, 0);
    assert_non_null(strstr(p.out, "gfx942 (rocprof-compute roofline.csv, device 0)"));
    assert_non_null(strstr(p.out, "1.39 TB/s"));
    program_free(&p);
}

static double number(const cJSON *j, const char *key)
{
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, key);
    assert_true(cJSON_IsNumber(v));
    return v->valuedouble;
}

TEST(as_json)
{
    struct program p;
    program_expect(&p, "$BIN roofline $P --format json", 0);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    const cJSON *points = cJSON_GetObjectItemCaseSensitive(j, "points");
    const cJSON *roofs = cJSON_GetObjectItemCaseSensitive(j, "roofs");
    assert_int_equal(cJSON_GetArraySize(points), 3);
    assert_int_equal(cJSON_GetArraySize(roofs), 1);
    assert_float_equal(number(j, "kernels_without_counters"), 1, 0);
    const cJSON *gemm = cJSON_GetArrayItem(points, 0), *softmax = cJSON_GetArrayItem(points, 2);
    assert_float_equal(number(gemm, "total_ns"), 4e6, 0);
    const cJSON *levels = cJSON_GetObjectItemCaseSensitive(gemm, "levels");
    /* 4 x (5 M reads, half of them of 128 bytes, 3 M writes of 64) */
    assert_float_equal(number(cJSON_GetObjectItemCaseSensitive(levels, "hbm"), "bytes"),
                       4 * (2.5e6 * 128 + 2.5e6 * 64 + 3e6 * 64), 1);
    assert_float_equal(number(cJSON_GetObjectItemCaseSensitive(gemm, "operations"), "MFMA f16"),
                       4 * 2000e6 * 512, 1);
    levels = cJSON_GetObjectItemCaseSensitive(softmax, "levels");
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(levels, "l2"), "bytes"))); /* unknown, not 0 */
    assert_float_equal(number(softmax, "missing"), 21, 0);
    cJSON_Delete(j);
    program_free(&p);
}

TEST(as_csv)
{
    struct program p;
    program_expect(&p, "$BIN roofline $P --format csv --per dispatch", 0);
    unsigned rows = 0, commas = 0, first = 0;
    for (const char *c = p.out; *c; c++) {
        commas += *c == ',';
        if (*c != '\n')
            continue;
        rows++;
        if (rows == 1)
            first = commas;
        else if (strncmp(c + 1, "\"axpy", 5) == 0 || strncmp(c + 1, "\"soft", 5) == 0)
            commas = 0;
    }
    assert_int_equal(rows, 1 + 9);
    assert_int_equal(first, 19 + 16 + 4 + 4 - 1);
    assert_non_null(
        strstr(p.out, "\r\n\"saxpy(float*)\",2,\"MI300X\",1000000,1000000,512000000000,"));
    program_free(&p);
}

TEST(as_svg)
{
    struct program p;
    unsigned circles = 0;
    program_expect(&p, "$BIN roofline $P --format svg", 0);
    assert_int_equal(strncmp(p.out, "<svg ", 5), 0);
    assert_non_null(strstr(p.out, "</svg>\n"));
    for (const char *c = p.out; (c = strstr(c, "<circle")); c++)
        circles++;
    assert_int_equal(circles, 3);
    assert_non_null(strstr(p.out, "78.3 % of MFMA f16"));
    assert_null(strstr(p.out, "nan"));
    assert_null(strstr(p.out, "inf"));
    program_free(&p);
}

TEST(on_the_screen)
{
    program_answers("$BIN --headless --view roofline --utf8 --size 120x40 --roofs " ROOFS " $P", 0,
                    "gfx942, rocprof-compute roofline.csv, device 0", "");
}

TEST(bad_input)
{
    program_answers("$BIN roofline $P --format dot", 2, "", "text, json, csv, svg");
    program_answers("$BIN roofline $P --per core", 2, "", "");
    program_answers("$BIN roofline $P --roofs /nowhere.csv", 3, "", "/nowhere.csv");
    program_answers("$BIN --headless --roofs tests/data/rocm/counter_names.txt $P", 3, "",
                    "counter_names.txt:1");
}

TEST_MAIN(begin, end)
