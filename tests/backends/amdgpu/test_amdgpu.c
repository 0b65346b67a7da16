/* Reads whole trees of sysfs (tests/data/gpu) and expects what is in them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"
#include "base/env.h"
#include "support/procfs.h"
#include "support/test.h"

enum { SECOND = 1000000000 };
static struct gpus_build b;
static struct amdgpu *a;

static void begin(const char *tree)
{
    env_set_root(procfs_tree(tree));
    a = amdgpu_new();
}

static void gather(uint64_t now_ns)
{
    gpus_clear(&b);
    amdgpu_gather(a, &b, now_ns);
}

FIXTURE(tear_down)
{
    amdgpu_free(a);
    gpus_free(&b);
    env_set_root(NULL);
}

static void is(const struct value *v, double want, enum unit unit)
{
    assert_int_equal(v->validity, VALUE_OK);
    assert_float_equal(v->v, want, 1e-6 * (want > 1 ? want : 1));
    assert_int_equal(v->unit, unit);
}

static void why(const struct value *v, const char *want)
{
    assert_int_equal(v->validity, VALUE_MISSING);
    assert_non_null(v->why);
    if (!strstr(v->why, want))
        fail_msg("'%s' is not in '%s'", want, v->why);
}

TEST_WITH(a_server_gpu_is_told_whole, NULL, tear_down)
{
    begin("tests/data/gpu/mi300x");
    gather(SECOND);
    assert_int_equal(b.g.n, 1);
    const struct gpu *g = &b.g.gpu[0];
    const struct gpu_now *n = &b.g.now[0];
    assert_string_equal(g->id, "pci:0000:c1:00.0");
    assert_string_equal(g->name, "AMD Instinct MI300X OAM");
    assert_string_equal(g->isa, "gfx942");
    assert_string_equal(g->driver, "amdgpu 6.12.12");
    assert_string_equal(g->mode, "SPX/NPS1, auto");
    assert_string_equal(g->uuid, "a1b2c3d4e5f60718");
    is(&g->cus, 304, UNIT_NONE);
    is(&g->simds, 1216, UNIT_NONE);
    is(&g->wave, 64, UNIT_NONE);
    is(&g->lds, 65536, UNIT_BYTES);
    is(&g->xccs, 8, UNIT_NONE);
    is(&g->max_hz, 2.1e9, UNIT_HZ);
    is(&g->mem_width, 8192, UNIT_NONE);
    is(&g->mem_total, 206141652992.0, UNIT_BYTES);
    is(&g->numa, 0, UNIT_NONE);
    is(&g->render, 128, UNIT_NONE);
    is(&g->temp_limit, 100, UNIT_CELSIUS);
    is(&n->gfx_busy, 88, UNIT_PERCENT); /* from its own file, not the 87 of gpu_metrics */
    is(&n->mem_used, 131926589440.0, UNIT_BYTES);
    is(&n->gfx_hz, 2.1e9, UNIT_HZ);
    is(&n->fabric_hz, 2e9, UNIT_HZ);
    is(&n->power, 615, UNIT_WATT);
    is(&n->power_cap, 750, UNIT_WATT);
    is(&n->temp_junction, 71, UNIT_CELSIUS);
    is(&n->temp_mem, 58, UNIT_CELSIUS);
    why(&n->temp_edge, "no such sensor");
    why(&n->fan_rpm, "no such file");
    is(&n->energy, 1234, UNIT_JOULE);
    is(&n->ecc_corrected, 2, UNIT_COUNT);
    is(&n->ecc_uncorrected, 1, UNIT_COUNT);
    is(&n->pcie_width, 16, UNIT_NONE);
    is(&n->pcie_speed, 32e9, UNIT_NONE);
    is(&n->pcie_total, 1e9, UNIT_BYTES_PER_S);
    assert_int_equal(n->throttled.validity, VALUE_PENDING); /* needs a second sample */
    assert_int_equal(n->link_read.validity, VALUE_PENDING);
}

TEST_WITH(memories_and_caches_are_counted_by_kind, NULL, tear_down)
{
    begin("tests/data/gpu/mi300x");
    gather(SECOND);
    assert_int_equal(b.g.npools, 5); /* VRAM, L1 data, L1 instructions, L2, L3 */
    assert_string_equal(b.g.pools[0].kind, "memory");
    is(&b.g.pools[1].count, 4, UNIT_NONE);
    is(&b.g.pools[1].size, 32 * 1024, UNIT_BYTES);
    assert_string_equal(b.g.pools[2].flags, "instructions");
    assert_string_equal(b.g.pools[4].name, "L3");
    is(&b.g.pools[4].granule, 64, UNIT_BYTES);
}

TEST_WITH(processes_and_queues_of_kfd, NULL, tear_down)
{
    begin("tests/data/gpu/mi300x");
    gather(SECOND);
    assert_int_equal(b.g.nprocesses, 2);
    const struct gpu_process *p = &b.g.processes[0];
    assert_int_equal(p->pid, 4242);
    assert_string_equal(p->name, "train.py");
    assert_string_equal(p->kind, "compute");
    is(&p->mem, 130e9, UNIT_BYTES); /* from KFD: the same memory as in fdinfo */
    is(&p->gtt, 2048 * 1024, UNIT_BYTES);
    is(&p->cus, 296, UNIT_NONE);
    is(&p->evicted, 0.25, UNIT_SECONDS);
    is(&p->queues, 3, UNIT_NONE);
    why(&p->busy, "KFD");
    why(&b.g.processes[1].cus, "kernel does not tell");
    assert_int_equal(b.g.nqueues, 3);
    assert_string_equal(b.g.queues[0].type, "compute");
    assert_string_equal(b.g.queues[2].type, "sdma");
    is(&b.g.queues[0].size, 1048576, UNIT_BYTES);
    is(&b.g.now[0].queues, 3, UNIT_NONE);
    is(&b.g.now[0].processes, 2, UNIT_NONE);
}

/* Copies the files of a card to a tree that the test may change. */
static void copy_file(const char *folder, const char *name, const char *to)
{
    static char data[65536];
    char from[256];
    snprintf(from, sizeof from, "%s%s", folder, name);
    FILE *f = fopen(from, "r");
    assert_non_null(f);
    size_t n = fread(data, 1, sizeof data, f);
    fclose(f);
    procfs_bytes(to, data, n);
}

#define CARD "/sys/class/drm/card0/device/"
TEST_WITH(what_grows_is_a_rate_from_the_second_time_on, NULL, tear_down)
{
    procfs_new();
    a = amdgpu_new();
    copy_file(procfs_tree("tests/data/gpu/mi300x"), CARD "uevent", CARD "uevent");
    copy_file("tests/data/gpu", "/mi300x.gpu_metrics", CARD "gpu_metrics");
    gather(SECOND);
    copy_file("tests/data/gpu", "/mi300x.later.gpu_metrics", CARD "gpu_metrics");
    gather(3 * (uint64_t)SECOND);
    is(&b.g.now[0].throttled, 12, UNIT_PERCENT);
    assert_string_equal(b.g.now[0].throttle_why, "power 12 %");
    is(&b.g.now[0].link_read, 8 * 1024 * 1024 / 2.0, UNIT_BYTES_PER_S);
    is(&b.g.now[0].link_write, 0, UNIT_BYTES_PER_S);
    is(&b.g.now[0].gfx_busy, 87, UNIT_PERCENT); /* no file: gpu_metrics has it */
    is(&b.g.now[0].power, 612, UNIT_WATT);
    procfs_free();
}

TEST_WITH(partitions_of_one_socket, NULL, tear_down)
{
    begin("tests/data/gpu/partitions");
    gather(SECOND);
    assert_int_equal(b.g.n, 2);
    assert_string_equal(b.g.gpu[0].id, "pci:0000:05:00.0");
    assert_string_equal(b.g.gpu[1].id, "pci:0000:05:00.0/1");
    is(&b.g.gpu[0].cus, 152, UNIT_NONE);
    is(&b.g.gpu[1].cus, 152, UNIT_NONE);
    is(&b.g.gpu[1].render, 130, UNIT_NONE);
    is(&b.g.now[0].power, 615, UNIT_WATT);
    why(&b.g.now[1].power, "partition 0");
}

TEST_WITH(a_desktop_of_two_gpus, NULL, tear_down)
{
    begin("tests/data/gpu/desktop");
    gather(SECOND);
    assert_int_equal(b.g.n, 2); /* connectors, render nodes and an i915 do not count */
    const struct gpu_now *apu = &b.g.now[0], *card = &b.g.now[1];
    assert_string_equal(b.g.gpu[1].name, "AMD Radeon RX 7900 XTX");
    assert_string_equal(b.g.gpu[0].name, "AMD GPU 1002:15bf");
    why(&b.g.gpu[1].numa, "no node");
    is(&apu->temp_edge, 48.5, UNIT_CELSIUS);
    is(&apu->power, 15.2, UNIT_WATT);
    is(&apu->throttled, 0, UNIT_PERCENT);
    is(&card->fan_rpm, 1180, UNIT_NONE);
    is(&card->fan_percent, 40, UNIT_PERCENT);
    is(&card->throttled, 100, UNIT_PERCENT);
    assert_string_equal(card->throttle_why, "power, hot spot");
    is(&card->gfx_hz, 2371e6, UNIT_HZ);
    is(&card->video_hz, 28e6, UNIT_HZ);
}

TEST_WITH(clients_count_once_and_their_time_is_a_share, NULL, tear_down)
{
    begin("tests/data/gpu/desktop");
    gather(SECOND);
    /* process 1300 has only descriptors that it inherited from 1200 */
    assert_int_equal(b.g.nprocesses, 1);
    const struct gpu_process *p = &b.g.processes[0];
    assert_int_equal(p->pid, 1200);
    assert_int_equal(p->gpu, 1);
    assert_string_equal(p->kind, "graphics");
    is(&p->mem, (262144 + 1024) * 1024.0, UNIT_BYTES);
    assert_int_equal(p->busy.validity, VALUE_PENDING);
    gather(2 * (uint64_t)SECOND);
    is(&b.g.processes[0].busy, 0, UNIT_PERCENT); /* no work between the two samples */
}

TEST_WITH(engine_time_becomes_a_share, NULL, tear_down)
{
    static const char text[] = "drm-driver:\tamdgpu\ndrm-client-id:\t9\ndrm-pdev:\t0000:c1:00.0\n"
                               "drm-engine-gfx:\t%d ns\ndrm-memory-vram:\t64 KiB\n";
    procfs_new();
    a = amdgpu_new();
    copy_file(procfs_tree("tests/data/gpu/mi300x"), CARD "uevent", CARD "uevent");
    procfs_write("/proc/50/fdinfo/3", text, 1000);
    gather(SECOND);
    procfs_write("/proc/50/fdinfo/3", text, 1000 + SECOND / 4);
    gather(2 * (uint64_t)SECOND);
    is(&b.g.processes[0].busy, 25, UNIT_PERCENT);
    procfs_free();
}

TEST_WITH(what_is_broken_is_a_reason_each, NULL, tear_down)
{
    begin("tests/data/gpu/broken");
    gather(SECOND);
    assert_int_equal(b.g.n, 4); /* three cards, and a node of KFD without a card */
    why(&b.g.now[0].gfx_busy, "not a number");
    why(&b.g.now[0].mem_used, "not a number");
    why(&b.g.gpu[0].mem_total, "does not measure");
    why(&b.g.now[0].power, "not a number");
    why(&b.g.now[0].gfx_hz, "no");
    why(&b.g.now[0].throttled, "cut at byte 60");
    why(&b.g.now[1].throttled, "1.9 is not known");
    why(&b.g.now[2].gfx_busy, "sleeps");
    why(&b.g.now[2].throttled, "sleeps");
    why(&b.g.gpu[2].power_max, "sleeps"); /* nor are its limits */
    why(&b.g.gpu[2].temp_limit, "sleeps");
    assert_string_equal(b.g.gpu[2].mode, "");
    why(&b.g.now[3].gfx_busy, "container");
    assert_int_equal(b.g.nprocesses, 1);
    why(&b.g.processes[0].mem, "not a number");
    assert_int_equal(b.g.nqueues, 0); /* its GPU does not exist */
}

/* A card whose sensors are in files of their own, without gpu_metrics. */
TEST_WITH(sensors_are_known_by_their_labels, NULL, tear_down)
{
    procfs_new();
    a = amdgpu_new();
    procfs_write(CARD "uevent", "DRIVER=amdgpu\nPCI_ID=1002:744C\nPCI_SLOT_NAME=0000:03:00.0\n");
    procfs_write(CARD "hwmon/hwmon9/name", "amdgpu\n");
    static const char *const labels[] = {"mem", "edge", "junction"};
    for (int i = 0; i < 3; i++) {
        char path[96];
        snprintf(path, sizeof path, CARD "hwmon/hwmon9/temp%d_label", i + 1);
        procfs_write(path, "%s\n", labels[i]);
        snprintf(path, sizeof path, CARD "hwmon/hwmon9/temp%d_input", i + 1);
        procfs_write(path, "%d\n", 41500 + 1000 * i);
    }
    gather(SECOND);
    is(&b.g.now[0].temp_mem, 41.5, UNIT_CELSIUS);
    is(&b.g.now[0].temp_edge, 42.5, UNIT_CELSIUS);
    is(&b.g.now[0].temp_junction, 43.5, UNIT_CELSIUS);
    why(&b.g.now[0].ecc_corrected, "counts no errors");
    procfs_free();
}

TEST_WITH(the_level_in_force_is_in_megahertz_or_unknown, NULL, tear_down)
{
    static const struct {
        const char *text;
        double hz; /* 0: unknown */
        const char *why;
    } rows[] = {
        {"0: 500Mhz\n1: 1267Mhz *\n2: 2100Mhz\n", 1267e6, ""},
        {"0: 96MHz *", 96e6, ""},
        {"0: 500Mhz\n1: 2100Mhz\n", 0, "no level is marked"},
        {"500Mhz *\n", 0, "not in MHz"}, /* the level has no number */
        {"0: *\n", 0, "not in MHz"},
        {"0: fast *\n", 0, "not in MHz"},
        {"0: 2.5GT/s, x8 *\n", 0, "not in MHz"},
    };
    procfs_new();
    a = amdgpu_new();
    procfs_write(CARD "uevent", "DRIVER=amdgpu\nPCI_ID=1002:744C\nPCI_SLOT_NAME=0000:03:00.0\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        procfs_write(CARD "pp_dpm_socclk", "%s", rows[i].text);
        gather((i + 1) * SECOND);
        if (rows[i].hz)
            is(&b.g.now[0].soc_hz, rows[i].hz, UNIT_HZ);
        else
            why(&b.g.now[0].soc_hz, rows[i].why);
    }
    procfs_free();
}

/* What KFD does not say about a node is missing; a node without any properties is no GPU. */
TEST_WITH(a_node_tells_what_it_has, NULL, tear_down)
{
#define NODE "/sys/class/kfd/kfd/topology/nodes/"
    procfs_new();
    a = amdgpu_new();
    procfs_write(NODE "0/properties", "%s", "");
    procfs_write(NODE "0/gpu_id", "11\n");
    gather(SECOND);
    assert_int_equal(b.g.n, 0);
    procfs_write(NODE "1/properties", "simd_count 64\ngfx_target_version 110000\n");
    procfs_write(NODE "1/gpu_id", "12\n");
    amdgpu_free(a);
    a = amdgpu_new();
    gather(2 * (uint64_t)SECOND);
    assert_int_equal(b.g.n, 1);
    is(&b.g.gpu[0].simds, 64, UNIT_NONE);
    why(&b.g.gpu[0].cus, "");
    why(&b.g.gpu[0].wave, "");
    why(&b.g.gpu[0].waves, "");
    why(&b.g.gpu[0].lds, "");
    why(&b.g.gpu[0].max_hz, "");
    procfs_free();
}

TEST(a_gpu_needs_only_one_half_of_the_driver)
{
    procfs_new();
    assert_false(amdgpu_present());
    procfs_write(NODE "0/gpu_id", "0\n");
    assert_true(amdgpu_present());
    procfs_remove("/sys/class/kfd");
    assert_false(amdgpu_present());
    procfs_write(CARD "uevent", "DRIVER=i915\n");
    assert_false(amdgpu_present());
    procfs_write(CARD "uevent", "DRIVER=amdgpu\n");
    assert_true(amdgpu_present());
    procfs_free();
}

TEST_WITH(nothing_is_said_to_be_nothing, NULL, tear_down)
{
    procfs_new();
    a = amdgpu_new();
    assert_false(amdgpu_present());
    gather(SECOND);
    assert_int_equal(b.g.n, 0);
    assert_int_equal(b.g.sources[0].state, GPU_SOURCE_ABSENT);
    assert_non_null(strstr(b.g.sources[0].help, "modprobe amdgpu"));
    procfs_free();
}

TEST(fdinfo_is_parsed_or_refused)
{
    struct fdinfo f;
    assert_false(fdinfo_parse(&f, "pos:\t0\nflags:\t02\n", 17));
    assert_false(fdinfo_parse(&f, "drm-driver: amdgpu\n", 19)); /* no device is named */
    static const char text[] = "drm-driver: amdgpu\ndrm-pdev: 0000:03:00.0\nDRM-x\n"
                               "drm-resident-vram: 12 MiB\ndrm-client-id: -4\n"
                               "drm-engine-gfx: 99999999999999999999999 ns\ndrm-engine-enc: 5 ns\n"
                               "drm-engine-jpeg: 6 ns\ndrm-memory-gtt: 9";
    assert_true(fdinfo_parse(&f, text, sizeof text - 1));
    assert_string_equal(f.pci, "0000:03:00.0");
    assert_int_equal(f.vram, 12 << 20);
    assert_int_equal(f.gtt, 9);
    assert_int_equal(f.client, 0);
    assert_int_equal(f.gfx, 0); /* too large to be one */
    assert_int_equal(f.video, 11);
}
