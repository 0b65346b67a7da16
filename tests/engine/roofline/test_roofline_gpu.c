/* Kernels of profiles in the roofline model; the expected numbers were computed by hand. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/analysis/analysis.h"
#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_gpu.h"
#include "export/roofline_export.h"
#include "support/gpu_profile.h"
#include "support/test.h"

static struct gpu_profile p;
static struct analysis a;

static void open_profile(const char *roofs)
{
    const char *path = p.file.path;
    struct error err = ERROR_INIT;
    a = (struct analysis){.roofs = roofs};
    if (analysis_open(&a, &path, 1, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

FIXTURE(close_profile)
{
    analysis_close(&a);
    gpu_profile_remove(&p);
}

static const struct roof_point *point(const char *name)
{
    const struct roofline *r = &a.bricks.roofline;
    for (uint32_t i = 0; i < r->npoints; i++)
        if (strcmp(r->points[i].name, name) == 0)
            return &r->points[i];
    fail_msg("no point %s", name);
    return NULL;
}

static const char *bound(const struct roof_point *k)
{
    return roofline_bound_name(&a.bricks.roofline, k);
}

TEST_WITH(kernels_of_an_mi300x, NULL, close_profile)
{
    gpu_profile_mi300x(&p);
    open_profile(NULL);
    const struct roofline *r = &a.bricks.roofline;
    assert_int_equal(r->nroofs, 1);
    assert_string_equal(r->roofs[0].name, "MI300X");
    assert_int_equal(r->npoints, 3);
    assert_int_equal(r->uncounted, 1); /* fill */

    const struct roof_point *k = point("gemm(half*, half*)");
    assert_int_equal(k->work->dispatches, 4);
    assert_int_equal(k->work->counted, 4);
    assert_int_equal(k->total, 4000000);
    double mfma = 2000e6 * 512, valu = 64 * (10e6 + 2 * 30e6),
           hbm = 5e6 * 64 + 2.5e6 * 64 + 3e6 * 64;
    assert_float_equal(k->flops, (mfma + valu) * 1e3, 1e3); /* in 1 ms each */
    assert_float_equal(k->work->ops_s[UNIT_MATRIX][WORK_F16], mfma * 1e3, 1e3);
    assert_float_equal(k->work->ops_s[UNIT_VALU][WORK_F32], valu * 1e3, 1e3);
    assert_float_equal(k->bytes, hbm * 1e3, 1e3);
    assert_float_equal(k->work->intensity[LEVEL_HBM], (mfma + valu) / hbm, 1e-6);
    assert_float_equal(k->work->intensity[LEVEL_L2], (mfma + valu) / (63e6 * 64), 1e-6);
    assert_float_equal(k->work->intensity[LEVEL_L1], (mfma + valu) / (120e6 * 128), 1e-6);
    assert_float_equal(k->work->intensity[LEVEL_LDS], (mfma + valu) / (270e6 * 128), 1e-6);
    assert_string_equal(bound(k), "MFMA f16");
    assert_float_equal(k->distance, 1 - mfma * 1e3 / (304 * 2100e6 * 2048), 1e-9);
    assert_false(k->memory_bound || k->declared || roofline_incomplete(k));
}

TEST_WITH(a_kernel_at_its_memory, NULL, close_profile)
{
    gpu_profile_mi300x(&p);
    open_profile(NULL);
    const struct roof_point *k = point("saxpy(float*)");
    double first = 15e6 * 64 + 7.5e6 * 64 + 12e6 * 64, rest = 2 * first;
    assert_float_equal(k->work->bytes[LEVEL_HBM], first + 3 * rest, 1);
    assert_float_equal(k->bytes, (first + 3 * rest) / 4e-3, 1e3);
    assert_string_equal(bound(k), "HBM");
    assert_true(k->memory_bound);
    assert_float_equal(k->distance, 1 - k->bytes / 5324.8e9, 1e-9);
    assert_float_equal(k->bound, k->flops / (1 - k->distance), 1);
    /* a single dispatch: the first did half the work of the others */
    struct roof_point d;
    struct roof_work w;
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(roofline_gpu_dispatch(&d, &w, &a.bricks.roofline, &a.trace, k, i));
        assert_float_equal(d.bytes, (i ? rest : first) * 1e3, 1);
        assert_int_equal(d.total, 1000000);
        assert_int_equal(w.counted, 1);
        assert_int_equal(w.nmissing, 0);
    }
    assert_false(roofline_gpu_dispatch(&d, &w, &a.bricks.roofline, &a.trace, k, 4));
}

static bool misses(const struct roof_work *w, const char *name)
{
    for (uint32_t i = 0; i < w->nnamed; i++)
        if (strcmp(w->missing[i], name) == 0)
            return true;
    return false;
}

TEST_WITH(a_missing_counter_makes_a_point_incomplete, NULL, close_profile)
{
    gpu_profile_mi300x(&p);
    open_profile(NULL);
    const struct roof_point *k = point("softmax(float*)");
    assert_true(roofline_incomplete(k));
    assert_float_equal(k->flops, 64 * (5e6 + 5e6 + 5e6 + 2 * 20e6) / 0.4e-3, 1);
    assert_float_equal(k->bytes, 1200e3 * 1024 / 0.4e-3, 1);
    assert_int_equal(k->work->derived, 1 << LEVEL_HBM);
    assert_true(isnan(k->work->ops[UNIT_VALU][WORK_F64]));
    assert_true(isnan(k->work->intensity[LEVEL_L2]));
    assert_true(misses(k->work, "SQ_INSTS_VALU_MFMA_MOPS_F16"));
    assert_true(misses(k->work, "SQ_LDS_IDX_ACTIVE"));
    assert_false(misses(k->work, "SQ_INSTS_VALU_FMA_F32"));
    assert_false(misses(k->work, "TCC_EA0_RDREQ")); /* FETCH_SIZE was used instead */
    assert_string_equal(bound(k), "HBM");
}

/* Two passes, in each of which a dispatch counted half. Rates are over the dispatches that have
 * the counter, and their time. */
TEST_WITH(passes_are_put_together_by_rates, NULL, close_profile)
{
    gpu_profile_open(&p, "passes", "gfx942", "AMD Instinct MI300X", "{}");
    unsigned d = gpu_profile_dispatch(&p, "k()", 0, 1000);
    gpu_profile_counter(&p, d, "SQ_INSTS_VALU_MFMA_MOPS_F16", 1000);
    d = gpu_profile_dispatch(&p, "k()", 2000, 4000);
    gpu_profile_counter(&p, d, "TCP_TOTAL_CACHE_ACCESSES", 500);
    gpu_profile_dispatch(&p, "k()", 5000, 9000);
    gpu_profile_close(&p);
    open_profile(NULL);
    const struct roof_point *k = point("k()");
    assert_float_equal(k->flops, 512e3 / 1000e-9, 1);
    assert_float_equal(k->work->bytes_s[LEVEL_L1], 500 * 128 / 2000e-9, 1);
    assert_true(k->work->mixed);
    assert_int_equal(k->work->dispatches, 3);
    assert_int_equal(k->work->counted, 2);
    assert_int_equal(k->elapsed, 3000);
    assert_int_equal(k->total, 7000);
    struct roof_point one;
    struct roof_work w;
    assert_true(roofline_gpu_dispatch(&one, &w, &a.bricks.roofline, &a.trace, k, 0));
    assert_true(isnan(w.bytes[LEVEL_L1]) && isnan(w.intensity[LEVEL_L1]));
    assert_true(roofline_gpu_dispatch(&one, &w, &a.bricks.roofline, &a.trace, k, 1));
    assert_true(isnan(one.flops));
}

/* Counters that are there may show none of the work: that is no measured 0 %. */
TEST(a_share_that_no_counter_shows_is_not_zero)
{
    struct roof_work w = {.nmissing = 2};
    struct roof_point k = {.work = &w, .distance = 1};
    char out[24];
    assert_string_equal(roofline_reached(&k, 0, out), "n/a");
    k.distance = 0.999;
    assert_string_equal(roofline_reached(&k, 0, out), "n/a");
    assert_string_equal(roofline_reached(&k, 1, out), "0.1 %?");
    k.distance = 0.42;
    assert_string_equal(roofline_reached(&k, 0, out), "58 %?");
    w.nmissing = 0;
    k.distance = 1;
    assert_string_equal(roofline_reached(&k, 0, out), "0 %");
    k.distance = NAN;
    assert_string_equal(roofline_reached(&k, 0, out), "n/a");
}

/* A copy kernel has no operations: its bandwidth limits it. */
TEST_WITH(no_flops_are_not_unknown_flops, NULL, close_profile)
{
    gpu_profile_open(&p, "copy", "gfx942", "AMD Instinct MI300X", "{}");
    unsigned d = gpu_profile_dispatch(&p, "copy()", 0, 1000);
    gpu_profile_counter(&p, d, "SQ_INSTS_VALU_MFMA_MOPS_F16", 0);
    gpu_profile_counter(&p, d, "FETCH_SIZE", 2000);
    gpu_profile_counter(&p, d, "WRITE_SIZE", 2000);
    d = gpu_profile_dispatch(&p, "waves()", 2000, 3000);
    gpu_profile_counter(&p, d, "SQ_WAVES", 100);
    d = gpu_profile_dispatch(&p, "instant()", 4000, 4000);
    gpu_profile_counter(&p, d, "FETCH_SIZE", 2000);
    gpu_profile_close(&p);
    open_profile(NULL);
    const struct roof_point *k = point("copy()");
    assert_true(k->flops == 0 && k->intensity == 0 && isnan(k->bound));
    assert_string_equal(bound(k), "HBM");
    assert_float_equal(k->distance, 1 - 4000 * 1024 / 1000e-9 / 5324.8e9, 1e-9);
    k = point("waves()");
    assert_true(isnan(k->flops) && isnan(k->bytes) && isnan(k->distance));
    assert_string_equal(bound(k), "n/a");
    assert_int_equal(a.bricks.roofline.npoints, 2); /* without time there are no rates */
}

/* Types share a unit: half of the time f64 and half of the time f32 is the whole VALU. */
TEST_WITH(types_of_a_unit_share_its_time, NULL, close_profile)
{
    gpu_profile_open(&p, "mix", "gfx942", "AMD Instinct MI300X",
                     "{\"cu_count\": 100, \"max_engine_clk_fcompute\": 1000}");
    unsigned d = gpu_profile_dispatch(&p, "mix()", 0, 1000000);
    static const char *const types[] = {"F64", "F32"};
    static const double peak[] = {100e9 * 128, 100e9 * 256};
    for (int i = 0; i < 2; i++) {
        char name[64];
        static char kept[8][64];
        static const char *const how[] = {"ADD", "MUL", "TRANS", "FMA"};
        for (int k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "SQ_INSTS_VALU_%s_%s", how[k], types[i]);
            strcpy(kept[i * 4 + k], name);
            gpu_profile_counter(&p, d, kept[i * 4 + k],
                                k == 0 ? peak[i] * (i ? 0.3 : 0.5) * 1e-3 / 64 : 0);
        }
    }
    gpu_profile_close(&p);
    open_profile(NULL);
    const struct roof_point *k = point("mix()");
    assert_string_equal(bound(k), "VALU f64");
    assert_float_equal(k->distance, 0.2, 1e-9);
    const struct ceiling *c = &a.bricks.roofline.roofs[k->roof].ceilings[k->work->limit];
    assert_float_equal(roofline_use(c, k->work), 0.5, 1e-9);
}

static char *as_json(bool dispatches)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    const struct roofline_doc doc = {
        .r = &a.bricks.roofline, .t = &a.trace, .dispatches = dispatches};
    assert_non_null(f);
    roofline_export_json(f, &doc);
    fclose(f);
    return text;
}

static double number_in(const cJSON *from, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(from, key);
    if (!v)
        fail_msg("no \"%s\"", key);
    return v && cJSON_IsNumber(v) ? v->valuedouble : (double)NAN;
}

static bool alike(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fabs(b);
}

/* The document has everything that the roofline knows about a kernel: operations by unit and type,
 * and traffic on each level. */
TEST_WITH(the_document_has_every_number, NULL, close_profile)
{
    static const char *const levels[] = {"hbm", "l2", "l1", "lds"};
    gpu_profile_mi300x(&p);
    open_profile(NULL);
    char *text = as_json(false);
    cJSON *j = cJSON_Parse(text), *e;
    assert_non_null(j);
    unsigned kernels = 0;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(j, "points"))
    {
        const struct roof_work *w = point(cJSON_GetObjectItem(e, "name")->valuestring)->work;
        const cJSON *operations = cJSON_GetObjectItem(e, "operations"),
                    *level = cJSON_GetObjectItem(e, "levels");
        int counted = 0;
        for (int i = 0; i < WORK_UNITS * WORK_TYPES; i++) {
            char key[64];
            double ops = w->ops[i / WORK_TYPES][i % WORK_TYPES];
            snprintf(key, sizeof key, "%s %s", work_unit_name((enum work_unit)(i / WORK_TYPES)),
                     work_type_name((enum work_type)(i % WORK_TYPES)));
            if (isnan(ops))
                continue;
            counted++;
            if (!alike(number_in(operations, key), ops))
                fail_msg("%s: %g, not %g", key, number_in(operations, key), ops);
        }
        assert_int_equal(cJSON_GetArraySize(operations), counted);
        for (int l = 0; l < WORK_LEVELS; l++) {
            const cJSON *x = cJSON_GetObjectItem(level, levels[l]);
            assert_true(alike(number_in(x, "bytes"), w->bytes[l]));
            assert_true(alike(number_in(x, "bytes_per_s"), w->bytes_s[l]));
            assert_true(alike(number_in(x, "flop_per_byte"), w->intensity[l]));
        }
        assert_true(number_in(e, "dispatches") == w->dispatches &&
                    number_in(e, "counted") == w->counted);
        kernels++;
    }
    assert_int_equal(kernels, 3);
    cJSON_Delete(j);
    free(text);
}

/* The order of rows of counters and dispatches does not change the document. */
TEST_WITH(the_order_of_rows_changes_nothing, NULL, close_profile)
{
    static const char turn[] =
        "CREATE TEMP TABLE e AS SELECT event_id, pmc_id, value FROM [rocpd_pmc_event@];"
        "DELETE FROM [rocpd_pmc_event@];"
        "INSERT INTO [rocpd_pmc_event@](event_id, pmc_id, value) SELECT event_id, pmc_id, value"
        " FROM e ORDER BY rowid DESC;"
        "UPDATE [rocpd_kernel_dispatch@] SET id = 1000 - id;";
    gpu_profile_mi300x(&p);
    open_profile(NULL);
    char *before = as_json(true);
    analysis_close(&a);
    assert_int_equal(sqlite3_open(p.file.path, &p.file.db), SQLITE_OK);
    rocpd_file_sql(&p.file, turn);
    rocpd_file_close(&p.file);
    open_profile(NULL);
    char *after = as_json(true);
    assert_string_equal(before, after);
    assert_non_null(strstr(before, "\"dispatch\":9"));
    free(before);
    free(after);
}

/* Two GPUs and a file with four devices: each GPU uses its own row. */
TEST_WITH(each_gpu_has_its_own_row_of_the_file, NULL, close_profile)
{
    gpu_profile_open(&p, "two", "gfx90a", "AMD Instinct MI250X", "{}");
    rocpd_file_sql(&p.file, "INSERT INTO [rocpd_info_agent@](id, nid, pid, type, absolute_index,"
                            " name) VALUES(5, 1, 10, 'GPU', 5, 'gfx90a');");
    unsigned d = gpu_profile_dispatch(&p, "k()", 0, 1000);
    gpu_profile_counter(&p, d, "FETCH_SIZE", 1000);
    gpu_profile_counter(&p, d, "WRITE_SIZE", 0);
    d = gpu_profile_dispatch(&p, "k()", 2000, 3000);
    gpu_profile_counter(&p, d, "FETCH_SIZE", 500);
    gpu_profile_counter(&p, d, "WRITE_SIZE", 0);
    rocpd_file_sql(&p.file, "UPDATE [rocpd_kernel_dispatch@] SET agent_id = 5 WHERE id = 2;");
    gpu_profile_close(&p);
    open_profile("tests/data/rocm/mi200_roofline.csv");
    const struct roofline *r = &a.bricks.roofline;
    assert_int_equal(r->nroofs, 2);
    assert_int_equal(r->npoints, 2); /* the same kernel under two roofs */
    assert_string_equal(r->roofs[1].name, "gfx90a #1");
    assert_string_equal(r->roofs[1].how, "rocprof-compute roofline.csv, device 1");
    for (uint32_t i = 0; i < 2; i++)
        assert_float_equal(r->points[i].bytes,
                           (r->points[i].roof == 0 ? 1000 : 500) * 1024 / 1000e-9, 1);
}

/* GPUs of one model with different clocks have different peaks; with the same clock they share a
 * roof. */
TEST(gpus_of_different_clocks_have_their_own_roofs)
{
    for (unsigned slower = 0; slower < 2; slower++) {
        char sql[512];
        gpu_profile_open(&p, "clocks", "gfx942", "AMD Instinct MI300X",
                         "{\"cu_count\":304,\"max_engine_clk_fcompute\":2100}");
        snprintf(sql, sizeof sql,
                 "INSERT INTO [rocpd_info_agent@](id, nid, pid, type, absolute_index, name, "
                 "product_name,"
                 " extdata) VALUES(5, 1, 10, 'GPU', 5, 'gfx942', 'AMD Instinct MI300X',"
                 " '{\"cu_count\":304,\"max_engine_clk_fcompute\":%u}');",
                 slower ? 1050U : 2100U);
        rocpd_file_sql(&p.file, sql);
        for (unsigned i = 0; i < 2; i++) {
            unsigned d = gpu_profile_dispatch(&p, "k()", i * 2000, i * 2000 + 1000);
            gpu_profile_counter(&p, d, "FETCH_SIZE", 1000);
            gpu_profile_counter(&p, d, "WRITE_SIZE", 0);
        }
        rocpd_file_sql(&p.file, "UPDATE [rocpd_kernel_dispatch@] SET agent_id = 5 WHERE id = 2;");
        gpu_profile_close(&p);
        open_profile(NULL);
        const struct roofline *r = &a.bricks.roofline;
        assert_int_equal(r->nroofs, 1 + slower);
        assert_int_equal(r->npoints, 1 + slower);
        if (slower)
            assert_float_equal(r->roofs[0].flops, 2 * r->roofs[1].flops, 1);
        close_profile(NULL);
    }
}

TEST_WITH(ceilings_of_a_roofline_csv, NULL, close_profile)
{
    gpu_profile_mi300x(&p);
    open_profile("tests/data/rocm/mi200_roofline.csv");
    const struct roofline *r = &a.bricks.roofline;
    assert_string_equal(r->roofs[0].how, "rocprof-compute roofline.csv, device 0");
    assert_int_equal(r->roofs[0].nceilings, 11);
    assert_float_equal(r->roofs[0].bytes, 1389.1462e9, 1);
    const struct roof_point *k = point("saxpy(float*)");
    /* the peak of an MI300X is above that of an MI200 */
    assert_float_equal(k->distance, -1.7816, 1e-4);
    assert_non_null(strstr(roofline_why_above(r, k), "on another one"));
    assert_string_equal(bound(k), "HBM");
}

TEST_WITH(a_bad_roofs_file_is_an_error, NULL, close_profile)
{
    struct error err = ERROR_INIT;
    gpu_profile_mi300x(&p);
    const char *path = p.file.path;
    a = (struct analysis){.roofs = "tests/data/rocm/counter_names.txt"};
    assert_int_equal(analysis_open(&a, &path, 1, &err), -EINVAL);
    assert_int_equal(err.kind, ERROR_INPUT);
}

TEST_WITH(without_a_known_gpu_there_is_no_roof, NULL, close_profile)
{
    gpu_profile_open(&p, "odd", "gfx942", "a board", "{}");
    unsigned d = gpu_profile_dispatch(&p, "k()", 0, 1000);
    gpu_profile_counter(&p, d, "SQ_INSTS_VALU_MFMA_MOPS_F16", 1000);
    gpu_profile_close(&p);
    open_profile(NULL);
    const struct roof_point *k = point("k()");
    assert_int_equal(k->roof, GRAPH_NONE);
    assert_true(isnan(k->distance) && k->flops > 0);
    assert_string_equal(bound(k), "n/a");
}
