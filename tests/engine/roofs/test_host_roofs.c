/* Measured roofs: what is refused, what is stored and read again, and what CPUs can do in theory.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/roofs/host_roofs.h"
#include "support/temp_folder.h"
#include "support/test.h"

static struct host_roof flops(const char *type, double value, double per_cycle, double theory)
{
    struct host_roof r = {.kind = HOST_ROOF_OPERATIONS,
                          .name = "FMA",
                          .threads = 1,
                          .value = value,
                          .clock = 3e9,
                          .per_cycle = per_cycle,
                          .theory = theory,
                          .spread = 0.01};
    snprintf(r.type, sizeof r.type, "%s", type);
    return r;
}

static void add(struct host_roofs *r, struct host_roof row)
{
    host_roofs_add(r, &row);
}

TEST(what_is_above_theory_is_refused)
{
    struct host_roofs r = {.n = 0};
    add(&r, flops("FP64", 48e9, 16, 16));
    add(&r, flops("FP64", 48.9e9, 16.3, 16)); /* within what the clock may be wrong by */
    add(&r, flops("FP64", 60e9, 20, 16));
    add(&r, flops("INT8", 60e9, 20, NAN)); /* nothing is known to be above of */
    assert_string_equal(r.rows[0].refused, "");
    assert_string_equal(r.rows[1].refused, "");
    assert_non_null(strstr(r.rows[2].refused, "125.0 % of what the CPU can do"));
    assert_string_equal(r.rows[3].refused, "");
    host_roofs_free(&r);
}

static char *document_of(const struct host_roofs *r, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    host_roofs_write_json(f, r);
    fclose(f);
    return text;
}

TEST(documents_come_back_as_they_were)
{
    struct host_roofs r = {.cpu = "A \"CPU\"", .microcode = "0x1", .cpus = 2, .quick = true}, back;
    struct error err = ERROR_INIT;
    size_t n;
    add(&r, flops("FP64", 48e9, 16, 16));
    add(&r, flops("FP64", 60e9, 20, 16));
    struct host_roof memory = {.kind = HOST_ROOF_BANDWIDTH,
                               .name = "load",
                               .level = "L3",
                               .working_set = 16 << 20,
                               .threads = 2,
                               .value = 2e11,
                               .clock = NAN,
                               .per_cycle = NAN,
                               .theory = NAN};
    add(&r, memory);
    struct host_roof none = {.kind = HOST_ROOF_BANDWIDTH,
                             .name = "store",
                             .level = "L3",
                             .threads = 2,
                             .value = NAN,
                             .clock = NAN,
                             .per_cycle = NAN,
                             .theory = NAN,
                             .spread = NAN,
                             .refused = "too busy"};
    add(&r, none);
    char *text = document_of(&r, &n);
    assert_int_equal(host_roofs_parse(&back, text, n, "x", &err), 0);
    size_t m;
    char *again = document_of(&back, &m);
    assert_string_equal(text, again);
    assert_int_equal(back.n, 4);
    assert_true(isnan(back.rows[3].value));
    assert_true(isnan(back.rows[2].clock));
    char why[64];
    assert_true(host_roofs_hold(&r, &back, why, sizeof why));
    free(text);
    free(again);
    host_roofs_free(&back);
    host_roofs_free(&r);
}

static void refused(const char *text, const char *why)
{
    struct host_roofs r;
    struct error err = ERROR_INIT;
    if (host_roofs_parse(&r, text, strlen(text), "roofs.json", &err) != -EINVAL ||
        err.kind != ERROR_INPUT || !strstr(err.why, why) || !strstr(err.what, "roofs.json"))
        fail_msg("%s: kind %d, '%s: %s', not '%s'", text, err.kind, err.what, err.why, why);
    host_roofs_free(&r);
}

TEST(what_is_no_such_document_is_refused)
{
#define ROOFS(row) "{\"schema\":\"rooftop.host_roofs/1\",\"roofs\":[" row "]}"
    refused("", "no document");
    refused("[1", "no document");
    refused("{\"schema\":\"rooftop.roofs/9\",\"roofs\":[]}", "no document");
    refused("{\"schema\":\"rooftop.host_roofs/1\"}", "no document");
    refused(ROOFS("1"), "no known kind");
    refused(ROOFS("{\"kind\":\"speed\"}"), "no known kind");
    refused(ROOFS("{\"kind\":\"operations\",\"value\":1,\"threads\":1,\"working_set\":0}"),
            "an older rooftop");
    refused(ROOFS("{\"kind\":\"loaded\",\"value\":1,\"threads\":2,\"working_set\":1,"
                  "\"load\":1,\"reads\":1.5}"),
            "share of reads");
    refused(ROOFS("{\"kind\":\"latency\",\"value\":0,\"threads\":1,\"working_set\":1}"), "above 0");
    refused(ROOFS("{\"kind\":\"latency\",\"value\":1e999,\"threads\":1,\"working_set\":1}"),
            "above 0");
    refused(ROOFS("{\"kind\":\"latency\",\"value\":1,\"threads\":0,\"working_set\":1}"),
            "no threads");
    refused(ROOFS("{\"kind\":\"latency\",\"value\":1,\"threads\":1,\"working_set\":-1}"),
            "no working set");
}

static void put_host(const char *model)
{
    char text[128];
    snprintf(text, sizeof text, "processor\t: 0\nmodel name\t: %s\nmicrocode\t: 0x12\n\n", model);
    temp_folder_put("root/proc/cpuinfo", text);
}

/* The same host finds its roofs again; another CPU in the same home does not take them for its own.
 */
TEST_WITH(roofs_are_of_the_host_that_measured_them, temp_folder_make, temp_folder_remove)
{
    struct host_roofs r = {.cpus = 2}, back;
    struct error err = ERROR_INIT;
    char root[128];
    snprintf(root, sizeof root, "%s/root", temp_folder);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    assert_int_equal(host_roofs_load(&back, &err), -ENOENT);
    put_host("First CPU");
    env_set_root(root);
    host_roofs_describe(&r);
    assert_string_equal(r.cpu, "First CPU");
    assert_string_equal(r.microcode, "0x12");
    add(&r, flops("FP64", 48e9, 16, 16));
    assert_int_equal(host_roofs_store(&r, &err), 0);
    assert_int_equal(host_roofs_load(&back, &err), 0);
    assert_int_equal(back.n, 1);
    host_roofs_free(&back);
    put_host("Second CPU");
    assert_int_equal(host_roofs_load(&back, &err), -ESTALE);
    assert_non_null(strstr(err.why, "First CPU"));
    env_set_root(NULL);
    host_roofs_free(&back);
    host_roofs_free(&r);
}

/* Published peaks: Zen 2 to 4 have two 256-bit FMA pipes: 16 FP64 FLOP a cycle; with the two for
 * additions
 * 24. Zen 5 and Intel's servers have 32 with 512 bits; Neoverse V2 four pipes of 128 bits: 16. */
TEST(theory_is_what_vendors_say)
{
    assert_true(roof_theory_flops("zen3", 256, 64, ROOF_FMA) == 16);
    assert_true(roof_theory_flops("zen4", 256, 32, ROOF_FMA) == 32);
    assert_true(roof_theory_flops("zen4", 512, 64, ROOF_FMA) == 16);
    assert_true(roof_theory_flops("zen4", 512, 64, ROOF_FMA_ADD) == 24);
    assert_true(roof_theory_flops("zen5", 512, 64, ROOF_FMA) == 32);
    assert_true(roof_theory_flops("spr", 512, 64, ROOF_FMA) == 32);
    assert_true(isnan(roof_theory_flops("spr", 512, 64, ROOF_FMA_ADD)));
    assert_true(roof_theory_flops("skl", 256, 64, ROOF_FMA_ADD) == 12);
    assert_true(roof_theory_flops("neoverse_v2", 128, 64, ROOF_FMA) == 16);
    assert_true(roof_theory_flops("zen4", 0, 64, ROOF_FMA) == 4);
    assert_true(isnan(roof_theory_flops("generic", 256, 64, ROOF_FMA)));
    assert_true(roof_theory_flops("zen5", 512, 32, ROOF_FMA_ADD) == 96);
    assert_true(roof_theory_flops("zen5", 128, 64, ROOF_MUL_ADD) == 8);
    assert_true(roof_theory_flops("zen5", 0, 32, ROOF_MUL_ADD) == 4);
    assert_true(roof_theory_flops("skl", 128, 64, ROOF_MUL_ADD) == 4);
    assert_true(isnan(roof_theory_flops("spr", 128, 64, ROOF_MUL_ADD)));
    assert_true(roof_theory_flops("zen5", 512, 8, ROOF_DOT) == 256);
    assert_true(roof_theory_flops("zen5", 256, 8, ROOF_DOT) == 128);
    assert_true(roof_theory_flops("zen5", 512, 16, ROOF_DOT) == 128);
    assert_true(roof_theory_flops("zen4", 512, 16, ROOF_DOT) == 64);
    assert_true(isnan(roof_theory_flops("spr", 512, 8, ROOF_DOT)));
    assert_true(roof_theory_l1("zen4", 512, "load") == 64);
    assert_true(roof_theory_l1("zen4", 256, "store") == 32);
    assert_true(roof_theory_l1("zen4", 256, "copy") == 64);
    assert_true(roof_theory_l1("zen5", 512, "load") == 128);
    assert_true(roof_theory_l1("zen5", 512, "store") == 64);
    assert_true(roof_theory_l1("zen5", 512, "triad") == 192);
    assert_true(roof_theory_l1("zen5", 256, "store") == 64); /* also where AVX-512 is off */
    assert_true(roof_theory_l1("spr", 256, "load") == 96);   /* also Alder Lake, without AVX-512 */
    assert_true(roof_theory_l1("spr", 512, "load") == 128);
    assert_true(isnan(roof_theory_l1("generic", 512, "load")));
}
