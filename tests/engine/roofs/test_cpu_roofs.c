/* What a roofline takes of measured roofs: the best of each width, type and level, for one core and
 * for all; what n threads can do together. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "engine/roofs/cpu_roofs.h"
#include "support/temp_folder.h"
#include "support/test.h"

static void add_operations(struct host_roofs *r, const char *name, const char *type, uint32_t width,
                           uint32_t threads, double value)
{
    struct host_roof row = {.kind = HOST_ROOF_OPERATIONS,
                            .width = width,
                            .threads = threads,
                            .value = value,
                            .theory = NAN,
                            .per_cycle = NAN,
                            .spread = 0.01 * threads};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.type, sizeof row.type, "%s", type);
    host_roofs_add(r, &row);
}

static void add_bandwidth(struct host_roofs *r, const char *name, const char *level,
                          uint32_t threads, double value)
{
    struct host_roof row = {.kind = HOST_ROOF_BANDWIDTH,
                            .width = 256,
                            .threads = threads,
                            .value = value,
                            .theory = NAN,
                            .per_cycle = NAN};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.level, sizeof row.level, "%s", level);
    host_roofs_add(r, &row);
}

static void fill_roofs(struct host_roofs *r)
{
    *r = (struct host_roofs){.cpus = 4, .made = "2026-01-31T12:00:00Z"};
    add_operations(r, "256-bit FMA", "FP32", 256, 1, 100e9);
    add_operations(r, "256-bit FMA+ADD", "FP32", 256, 1, 150e9);
    add_operations(r, "256-bit FMA+ADD", "FP32", 256, 4, 500e9);
    add_operations(r, "256-bit FMA", "FP64", 256, 1, 50e9);
    add_operations(r, "scalar FMA", "FP32", 0, 1, 12e9);
    add_operations(r, "AVX-512 dot", "BF16", 512, 1, 900e9);
    add_bandwidth(r, "load", "DRAM", 1, 20e9);
    add_bandwidth(r, "copy", "DRAM", 1, 22e9);
    add_bandwidth(r, "store past caches", "DRAM", 1, 60e9);
    add_bandwidth(r, "load", "DRAM", 4, 40e9);
    add_bandwidth(r, "load", "L1", 1, 200e9);
}

TEST(the_best_loop_of_each_kind_counts)
{
    struct host_roofs r;
    struct cpu_roofs cpu;
    struct arena memory = {0};
    fill_roofs(&r);
    struct host_roof wrong = {.kind = HOST_ROOF_BANDWIDTH,
                              .name = "load",
                              .level = "L1",
                              .threads = 1,
                              .value = 9e11,
                              .theory = NAN,
                              .per_cycle = NAN,
                              .refused = "a wrong clock"};
    host_roofs_add(&r, &wrong);
    cpu_roofs_take(&cpu, &memory, &r);
    assert_int_equal(cpu.cpus, 4);
    assert_string_equal(cpu.none, "");
    assert_string_equal(cpu.how, "measured 2026-01-31 by rooftop lab roofs");
    assert_true(cpu.flops[CPU_256][CPU_F32].one == 150e9);
    assert_true(cpu.flops[CPU_256][CPU_F32].all == 500e9);
    assert_true(cpu.flops[CPU_256][CPU_F64].one == 50e9);
    assert_true(cpu.flops[CPU_SCALAR][CPU_F32].one == 12e9);
    assert_true(cpu.flops[CPU_512][CPU_F32].one == 0); /* BF16 is no FP32 */
    assert_true(cpu.bytes[CPU_DRAM].one == 22e9);      /* stores past the caches do not count */
    assert_true(cpu.bytes[CPU_L1].one == 200e9);       /* what was refused serves never */
    arena_free(&memory);
    host_roofs_free(&r);
}

static void add_loaded(struct host_roofs *r, double reads, double load, double latency)
{
    struct host_roof row = {.kind = HOST_ROOF_LOADED,
                            .name = "load",
                            .level = "DRAM",
                            .threads = 4,
                            .load = load,
                            .reads = reads,
                            .value = latency,
                            .theory = NAN,
                            .per_cycle = NAN,
                            .spread = NAN};
    host_roofs_add(r, &row);
}

static const struct cpu_unit *unit(const struct cpu_roofs *cpu, const char *name, uint32_t width)
{
    for (uint32_t i = 0; i < cpu->nunits; i++)
        if (strcmp(cpu->units[i].name, name) == 0 && cpu->units[i].width == width)
            return &cpu->units[i];
    fail_msg("no unit %s of %u bits", name, width);
    return NULL;
}

TEST(units_of_other_types_are_kept_apart)
{
    struct host_roofs r;
    struct cpu_roofs cpu;
    struct arena memory = {0}, other = {0};
    fill_roofs(&r);
    add_operations(&r, "AVX-512 dot", "BF16", 512, 4, 3600e9);
    add_operations(&r, "AVX-512 VNNI dot, 256", "INT8", 256, 1, 470e9);
    add_operations(&r, "AVX-VNNI dot", "INT8", 256, 1, 480e9);
    add_operations(&r, "AVX-512 VNNI dot", "INT8", 512, 1, 800e9);
    add_operations(&r, "AMX matrix", "BF16", 512, 1, 5000e9);
    add_operations(&r, "NEON FMA", "FP16", 128, 1, 99e9);
    cpu_roofs_take(&cpu, &memory, &r);
    struct cpu_roofs copy = cpu_roofs_copy(&other, &cpu);
    arena_free(&memory);
    host_roofs_free(&r);
    assert_int_equal(copy.nunits, 5);
    assert_true(unit(&copy, "bf16 dot", 512)->peak.one == 900e9);
    assert_true(unit(&copy, "bf16 dot", 512)->peak.all == 3600e9);
    assert_true(unit(&copy, "int8 dot", 256)->peak.one == 480e9);
    assert_true(unit(&copy, "int8 dot", 512)->peak.one == 800e9);
    assert_true(unit(&copy, "bf16 matrix", 512)->peak.one == 5000e9);
    assert_true(unit(&copy, "f16 FMA", 128)->peak.one == 99e9);
    arena_free(&other);
}

/* On straight lines between what was measured; from the point without load on, also on the other
 * curves; not beyond the most that was moved. */
TEST(latency_under_load_lies_between_measured_points)
{
    struct host_roofs r;
    struct cpu_roofs cpu;
    struct arena memory = {0};
    fill_roofs(&r);
    cpu_roofs_take(&cpu, &memory, &r);
    assert_true(isnan(cpu_load_latency(&cpu, 1, 5e9)));
    add_loaded(&r, 1, 20e9, 140e-9);
    add_loaded(&r, 0.5, 30e9, 300e-9);
    add_loaded(&r, 1, 10e9, 100e-9); /* in any order */
    add_loaded(&r, 1, 40e9, 200e-9);
    cpu_roofs_take(&cpu, &memory, &r);
    assert_int_equal(cpu.nloads, 4);
    assert_float_equal(cpu_load_latency(&cpu, 1, 1e9), 100e-9, 1e-15);
    assert_float_equal(cpu_load_latency(&cpu, 0.9, 15e9), 120e-9, 1e-15);
    assert_float_equal(cpu_load_latency(&cpu, 1, 30e9), 170e-9, 1e-15);
    assert_float_equal(cpu_load_latency(&cpu, 0.6, 20e9), 200e-9, 1e-15);
    assert_float_equal(cpu_load_latency(&cpu, 1, 40e9), 200e-9, 1e-15);
    assert_true(isnan(cpu_load_latency(&cpu, 1, 41e9)));
    assert_true(isnan(cpu_load_latency(&cpu, 0.5, 35e9)));
    assert_true(isnan(cpu_load_latency(&cpu, 1, NAN)));
    arena_free(&memory);
    host_roofs_free(&r);
}

/* One core and all are measured; between them nothing was, so the bound is a simple one. */
TEST(threads_can_do_together_what_was_measured)
{
    const struct cpu_peak p = {.one = 20, .all = 50, .one_spread = 0.1, .all_spread = 0.2};
    const struct cpu_peak one_core = {.one = 20};
    assert_true(cpu_peak_of(&p, 1, 4) == 20);
    assert_true(cpu_peak_of(&p, 2, 4) == 40);
    assert_true(cpu_peak_of(&p, 3, 4) == 50); /* not 60: all together do not reach that */
    assert_true(cpu_peak_of(&p, 4, 4) == 50);
    assert_true(cpu_peak_of(&p, 9, 4) == 50); /* more threads than CPUs */
    assert_true(cpu_peak_of(&one_core, 1, 1) == 20);
    assert_true(cpu_peak_spread(&p, 1) == 0.1);
    assert_true(cpu_peak_spread(&p, 4) == 0.2);
}

TEST(names_of_backends_tell_vectors)
{
    assert_int_equal(cpu_width_of("scalar"), CPU_SCALAR);
    assert_int_equal(cpu_width_of("sse2"), CPU_128);
    assert_int_equal(cpu_width_of("NEON"), CPU_128);
    assert_int_equal(cpu_width_of("avx"), CPU_256);
    assert_int_equal(cpu_width_of("avx2"), CPU_256);
    assert_int_equal(cpu_width_of("AVX2-FMA"), CPU_256);
    assert_int_equal(cpu_width_of("avx512"), CPU_512);
    assert_int_equal(cpu_width_of("AVX-512"), CPU_512);
    assert_int_equal(cpu_width_of("sve"), CPU_512);
    assert_int_equal(cpu_width_of("amx"), CPU_512);
    assert_int_equal(cpu_width_of("cuda:0"), CPU_WIDTHS);
    assert_int_equal(cpu_width_of("hip"), CPU_WIDTHS);
    assert_int_equal(cpu_width_of(""), CPU_WIDTHS);
}

static void put_host(const char *microcode)
{
    char text[128];
    snprintf(text, sizeof text, "processor\t: 0\nmodel name\t: A CPU\nmicrocode\t: %s\n\n",
             microcode);
    temp_folder_put("root/proc/cpuinfo", text);
}

static void put_governor(const char *governor)
{
    temp_folder_put("root/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor);
}

static void expect_none(const char *why)
{
    struct cpu_roofs cpu;
    struct arena memory = {0};
    cpu_roofs_load(&cpu, &memory);
    assert_int_equal(cpu.cpus, 0);
    assert_string_equal(cpu.how, "");
    if (!strstr(cpu.none, why) || !strstr(cpu.none, "rooftop lab roofs"))
        fail_msg("'%s' does not say '%s'", cpu.none, why);
    arena_free(&memory);
}

/* Never measured; measured; then other microcode, and then another governor. */
TEST_WITH(stored_roofs_serve_while_the_host_is_the_same, temp_folder_make, temp_folder_remove)
{
    struct host_roofs r;
    struct cpu_roofs cpu;
    struct arena memory = {0};
    struct error err = ERROR_INIT;
    char root[128];
    snprintf(root, sizeof root, "%s/root", temp_folder);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    put_host("0x1");
    put_governor("performance\n");
    env_set_root(root);
    expect_none("never measured");
    fill_roofs(&r);
    host_roofs_describe(&r);
    assert_int_equal(host_roofs_store(&r, &err), 0);
    cpu_roofs_load(&cpu, &memory);
    assert_int_equal(cpu.cpus, 4);
    assert_true(cpu.bytes[CPU_DRAM].all == 40e9);
    put_host("0x2");
    expect_none("microcode '0x1', and now it is '0x2'");
    put_host("0x1");
    put_governor("powersave\n");
    expect_none("governor 'performance', and now it is 'powersave'");
    put_governor("performance\n");
    temp_folder_put("rooftop/host_roofs.json",
                    "{\"schema\":\"rooftop.host_roofs/1\",\"roofs\":[{\"kind\":\"operations\","
                    "\"value\":1,\"threads\":1,\"working_set\":0}]}");
    expect_none("an older rooftop wrote it");
    env_set_root(NULL);
    arena_free(&memory);
    host_roofs_free(&r);
}

TEST_WITH(a_chosen_file_serves_on_any_host, temp_folder_make, temp_folder_remove)
{
    struct host_roofs r;
    struct cpu_roofs cpu;
    struct arena memory = {0};
    struct error err = ERROR_INIT;
    char path[128], *text = NULL;
    size_t n;
    fill_roofs(&r);
    snprintf(r.cpu, sizeof r.cpu, "Some other CPU");
    FILE *f = open_memstream(&text, &n);
    host_roofs_write_json(f, &r);
    fclose(f);
    temp_folder_put("roofs.json", text);
    temp_folder_put("roofs.csv", "device,HBMBw\n0,1000\n");
    snprintf(path, sizeof path, "%s/roofs.csv", temp_folder);
    assert_false(cpu_roofs_recognise(path));
    snprintf(path, sizeof path, "%s/roofs.json", temp_folder);
    assert_true(cpu_roofs_recognise(path));
    assert_int_equal(cpu_roofs_read(&cpu, &memory, path, &err), 0);
    assert_non_null(strstr(cpu.how, "on Some other CPU"));
    assert_true(cpu.flops[CPU_256][CPU_F32].all == 500e9);
    snprintf(path, sizeof path, "%s/none.json", temp_folder);
    assert_false(cpu_roofs_recognise(path));
    assert_true(cpu_roofs_read(&cpu, &memory, path, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    arena_free(&memory);
    host_roofs_free(&r);
    free(text);
}
