/* The table of kernels and the report as documents. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/kernels/kernels_list.h"
#include "export/kernels/device_use_export.h"
#include "export/kernels/kernels_export.h"
#include "export/kernels/kernels_report.h"
#include "support/profile_scene.h"
#include "support/test.h"

enum what { TEXT, CSV, JSON, REPORT, REPORT_JSON };
static const char *const paths[] = {"run \"1\".json"};

static char *document(const struct analysis *a, enum what what, bool ascii)
{
    char *text = NULL;
    size_t len = 0;
    uint32_t rows[64];
    FILE *f = open_memstream(&text, &len);
    const struct kernels *k = &a->kernels;
    uint32_t n = kernels_list(&k->by[KERNELS_BY_BASE], NULL, 0, false, rows);
    if (what == TEXT)
        kernels_export_text(f, &k->by[KERNELS_BY_BASE], rows, n, ascii);
    else if (what == CSV)
        kernels_export_csv(f, &k->by[KERNELS_BY_BASE], rows, n);
    else if (what == JSON)
        kernels_export_json(f, &a->trace, k, KERNELS_BY_BASE, rows, n);
    else if (what == REPORT)
        kernels_report_text(f, &a->trace, k, paths, 1, ascii);
    else
        kernels_report_json(f, &a->trace, k, paths, 1);
    fclose(f);
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in\n%s", part, text);
}

static double number(const cJSON *j, const char *key)
{
    const cJSON *n = cJSON_GetObjectItem(j, key);
    assert_non_null(n);
    return cJSON_IsNumber(n) ? n->valuedouble : (double)NAN;
}

TEST(table_as_text)
{
    char *text = document(profile_scene(), TEXT, true);
    expect(text, "cutlass::Kernel");
    expect(text, "layer::layer_norm"); /* demangled */
    expect(text, "2/16 registers");
    expect(text, "Occupancy limited by warps");
    for (const char *c = text; *c; c++)
        assert_true((unsigned char)*c < 0x7f);
    free(text);
}

TEST(table_as_csv)
{
    const struct kernel_table *t = &profile_scene()->kernels.by[KERNELS_BY_BASE];
    char *text = document(profile_scene(), CSV, false);
    uint32_t lines = 0, commas = 0, first = 0;
    for (const char *c = text; *c; c++) {
        commas += *c == ',';
        if (*c != '\n')
            continue;
        first = lines++ == 0 ? commas : first;
        assert_int_equal(commas, first); /* base names have no commas */
        commas = 0;
    }
    assert_int_equal(lines, t->n + 1);
    expect(text, "\"cutlass::Kernel\",kernel,20,");
    expect(text, ",occupancy-vgpr,low,");
    free(text);
}

TEST(table_as_json)
{
    const struct kernels *k = &profile_scene()->kernels;
    char *text = document(profile_scene(), JSON, false);
    cJSON *doc = cJSON_Parse(text), *row;
    double total = 0;
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.kernels/1");
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(doc, "rows"))
    {
        total += number(row, "total_ns");
        const cJSON *label = cJSON_GetObjectItem(row, "bottleneck");
        assert_true(cJSON_IsNull(label) || cJSON_GetObjectItem(label, "source"));
    }
    assert_true(total == (double)(k->total.kernels + k->total.copies));
    row = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "rows"), 0);
    assert_string_equal(cJSON_GetObjectItem(row, "name")->valuestring, "cutlass::Kernel");
    assert_true(isnan(number(row, "agprs"))); /* null */
    assert_true(number(cJSON_GetObjectItem(row, "occupancy"), "waves_per_simd") == 2);
    cJSON_Delete(doc);
    free(text);
}

TEST(report_as_text)
{
    char *text = document(profile_scene(), REPORT, true);
    expect(text, "run \"1\".json\n120 dispatches of kernels, 5 copies\non NVIDIA A100");
    expect(text, "Where the time of the devices went");
    expect(text, "Critical path");
    expect(text, "As a whole\n");
    expect(text, " 1. Kernel<cutlass_80_");
    expect(text, "grid 864, block 256; ");
    expect(text, "2 of 16 warps a scheduler fit, limited by registers");
    expect(text, "hardware counters: what a kernel does inside is not known");
    free(text);
}

TEST(report_as_json)
{
    const struct kernels_total *t = &profile_scene()->kernels.total;
    char *text = document(profile_scene(), REPORT_JSON, false);
    cJSON *doc = cJSON_Parse(text);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.report/1");
    assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "files"), 0)->valuestring,
                        paths[0]);
    assert_true(number(doc, "kernels_running_ns") + number(doc, "only_copies_ns") +
                    number(doc, "idle_ns") ==
                number(doc, "wall_ns"));
    const cJSON *path = cJSON_GetObjectItem(doc, "path");
    assert_true(number(path, "length_ns") == (double)t->path);
    assert_true(number(path, "kernels_ns") + number(path, "copies_ns") + number(path, "launch_ns") +
                    number(path, "host_ns") <=
                number(path, "length_ns"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "kernels")), 7);
    cJSON_Delete(doc);
    free(text);
}

/* "copied": nothing without copies, n/a without any size, a least where some are missing. */
TEST(bytes_that_are_not_recorded)
{
    static const struct {
        uint64_t copies, unsized, bytes;
        const char *text, *ascii;
    } list[] = {{0, 0, 0, "        0          \n", "        0          \n"},
                {2, 2, 0, "       n/a\n", "       n/a\n"},
                {2, 1, 100, " ≥100 B\n", " >=100 B\n"},
                {2, 0, 0, "       0 B\n", "       0 B\n"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int ascii = 0; ascii < 2; ascii++) {
            struct device_use row = {.rank = "",
                                     .device = "GPU 0",
                                     .wall = 10,
                                     .ncopies = list[i].copies,
                                     .nunsized = list[i].unsized,
                                     .bytes = {list[i].bytes},
                                     .allocated = GRAPH_UNKNOWN};
            struct device_uses u = {.rows = &row,
                                    .n = 1,
                                    .ndevices = 1,
                                    .nranks = 1,
                                    .slowest = TRACE_UNKNOWN,
                                    .idlest = TRACE_UNKNOWN};
            char *text = NULL;
            size_t len = 0;
            FILE *f = open_memstream(&text, &len);
            device_uses_text(f, &u, ascii);
            fclose(f);
            expect(text, ascii ? list[i].ascii : list[i].text);
            free(text);
        }
}

TEST(a_profile_without_kernels)
{
    struct kernels k = {.total = {0}};
    struct trace t = {.calls = graph_new(), .sums = graph_new()};
    char *text = NULL;
    size_t len = 0;
    kernels_make(&k, &t, &(struct critical_path){.nsteps = 0}, NULL);
    FILE *f = open_memstream(&text, &len);
    kernels_export_text(f, &k.by[0], NULL, 0, true);
    kernels_report_text(f, &t, &k, NULL, 0, true);
    kernels_report_json(f, &t, &k, NULL, 0);
    fclose(f);
    expect(text, "no kernels and no copies are in it");
    expect(text, "kernels: none were recorded");
    free(text);
    kernels_free(&k);
    trace_free(&t);
}
