/* roofline.csv of rocprof-compute: a real one, and damaged ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/roofline/roofs_csv.h"
#include "support/test.h"

#define REAL "tests/data/rocm/mi200_roofline.csv"

static double peak_of(const struct roofs_row *r, const char *name)
{
    for (uint32_t i = 0; i < r->nceilings; i++)
        if (strcmp(r->ceilings[i].name, name) == 0)
            return r->ceilings[i].peak;
    return 0;
}

TEST(a_real_one)
{
    struct arena memory = {0};
    struct roofs_csv csv;
    assert_int_equal(roofs_csv_read(&csv, &memory, REAL, NULL), 0);
    assert_int_equal(csv.nrows, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(csv.rows[i].device, i);
        assert_int_equal(csv.rows[i].nceilings, 11);
    }
    assert_float_equal(peak_of(&csv.rows[0], "HBM"), 1389.1462e9, 1);
    assert_float_equal(peak_of(&csv.rows[1], "L2"), 5027.3335e9, 1);
    assert_float_equal(peak_of(&csv.rows[2], "L1"), 9263.9912e9, 1);
    assert_float_equal(peak_of(&csv.rows[3], "LDS"), 18325.387e9, 1);
    assert_float_equal(peak_of(&csv.rows[0], "VALU f32"), 20946.693e9, 1);
    assert_float_equal(peak_of(&csv.rows[0], "MFMA bf16"), 170499.52e9, 1);
    assert_float_equal(peak_of(&csv.rows[3], "MFMA i8"), 166901e9, 1);
    arena_free(&memory);
}

static int parse(struct roofs_csv *csv, struct arena *memory, const char *text, struct error *err)
{
    return roofs_csv_parse(csv, memory, text, strlen(text), "r.csv", err);
}

TEST(newer_columns)
{
    struct arena memory = {0};
    struct roofs_csv csv;
    assert_int_equal(parse(&csv, &memory,
                           "\xef\xbb\xbf"
                           "device,HBMBw,hbmBwHigh,MALLBw,\"MFMAF4Flops\",MFMAF6Flops,I32Ops,"
                           "FP16Flops\r\n\r\n3,10,11,12,900,800,5,\r\n1, 20,21,22,1,2,3,4",
                           NULL),
                     0);
    assert_int_equal(csv.nrows, 2);
    assert_int_equal(csv.rows[0].device, 3);
    assert_int_equal(csv.rows[0].nceilings, 2); /* F16 is empty: not measured */
    assert_true(peak_of(&csv.rows[0], "HBM") == 10e9);
    assert_true(peak_of(&csv.rows[0], "MFMA f6f4") == 900e9);
    assert_true(peak_of(&csv.rows[1], "MFMA f6f4") == 2e9);
    assert_true(peak_of(&csv.rows[1], "VALU f16") == 4e9);
    arena_free(&memory);
}

TEST(bad_ones_are_refused)
{
    static const struct {
        const char *text, *where, *why;
    } bad[] = {
        {"", "r.csv:1", "no device"},
        {"device\n0\n", "r.csv:1", "no device and no bandwidth"},
        {"HBMBw\n1\n", "r.csv:1", "no device"},
        {"device,HBMBw\n", "r.csv:2", "there is no device"},
        {"device,HBMBw\n0,1\n1,fast\n", "r.csv:3", "'fast'"},
        {"device,HBMBw\n0,nan\n", "r.csv:2", "not a number"},
        {"device,HBMBw\n0,-1\n", "r.csv:2", "'-1'"},
        {"device,HBMBw\n0,1e300\n", "r.csv:2", "1e300"},
        {"device,HBMBw\n0.5,1\n", "r.csv:2", "not the number of a device"},
        {"device,HBMBw,L2Bw\n0,1\n", "r.csv:2", "cut short"},
        {"device,HBMBw\n0,1\n0,2\n", "r.csv:3", "already"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arena memory = {0};
        struct roofs_csv csv;
        struct error err = ERROR_INIT;
        assert_int_equal(parse(&csv, &memory, bad[i].text, &err), -EINVAL);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (strcmp(err.what, bad[i].where) != 0 || !strstr(err.why, bad[i].why))
            fail_msg("%s: %s: %s", bad[i].text, err.what, err.why);
        arena_free(&memory);
    }
}

/* The real file, cut anywhere: it is read or refused, and complete rows keep their values. */
TEST(cut_anywhere)
{
    char text[8192];
    FILE *f = fopen(REAL, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t cut = 0; cut <= n; cut++) {
        struct arena memory = {0};
        struct roofs_csv csv;
        char *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, text, cut);
        int rc = roofs_csv_parse(&csv, &memory, copy, cut, "cut", NULL);
        assert_true(rc == -EINVAL || (rc == 0 && csv.nrows > 0));
        free(copy);
        arena_free(&memory);
    }
}

TEST(files_that_cannot_be_read)
{
    struct arena memory = {0};
    struct roofs_csv csv;
    struct error err = ERROR_INIT;
    assert_int_equal(roofs_csv_read(&csv, &memory, "/nowhere/r.csv", &err), -ENOENT);
    assert_string_equal(err.what, "/nowhere/r.csv");
    assert_int_equal(roofs_csv_read(&csv, &memory, "/tmp", &err), -EINVAL);
    assert_int_equal(err.kind, ERROR_INPUT);
    arena_free(&memory);
}
