/* NVIDIA's GPUs with a test double of NVML: complete, of an old driver, and with every failure. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "backends/nvidia/nvidia_impl.h"
#include "base/env.h"
#include "support/fake_nvml.h"
#include "support/program.h"
#include "support/test.h"

static struct gpus_build b;
static struct nvidia *n;

FIXTURE(set_up)
{
    fake_nvml_new("");
    n = nvidia_new();
}

FIXTURE(set_up_old)
{
    fake_nvml_new("-DOLD");
    n = nvidia_new();
}

FIXTURE(set_up_all)
{
    fake_nvml_new("-DALL");
    n = nvidia_new();
}

FIXTURE(tear_down)
{
    nvidia_free(n);
    fake_nvml_free();
    gpus_free(&b);
}

static unsigned gather(const char *mode)
{
    fake_nvml_mode(mode);
    gpus_clear(&b);
    return nvidia_gather(n, &b, 1000000000u);
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
    assert_non_null(strstr(v->why, want));
}

TEST_WITH(two_gpus_are_told_whole, set_up, tear_down)
{
    assert_int_equal(gather(NULL), 0);
    assert_int_equal(b.g.n, 2);
    const struct gpu *g = &b.g.gpu[0];
    const struct gpu_now *now = &b.g.now[0];
    assert_string_equal(g->vendor, "NVIDIA");
    assert_string_equal(g->name, "NVIDIA H200 no. 0");
    assert_string_equal(g->isa, "sm_90");
    assert_string_equal(g->pci, "0000:41:00.0");
    assert_string_equal(g->id, "pci:0000:41:00.0");
    assert_string_equal(g->driver, "nvidia 580.65.06");
    assert_string_equal(b.g.gpu[1].pci, "0000:42:00.0");
    is(&now->gfx_busy, 93, UNIT_PERCENT);
    is(&b.g.now[1].gfx_busy, 92, UNIT_PERCENT);
    is(&now->mem_busy, 61, UNIT_PERCENT);
    is(&now->mem_used, 30.0 * (1u << 30), UNIT_BYTES); /* without what the driver reserves */
    is(&g->mem_total, 150.0 * (1u << 30), UNIT_BYTES);
    is(&now->gfx_hz, 1980e6, UNIT_HZ);
    is(&now->mem_hz, 3201e6, UNIT_HZ);
    is(&now->power, 412.345, UNIT_WATT);
    is(&now->power_cap, 700, UNIT_WATT);
    is(&now->temp_edge, 56, UNIT_CELSIUS);
    is(&now->temp_mem, 63, UNIT_CELSIUS);
    why(&now->fan_percent, "Not Supported");
    is(&now->ecc_corrected, 4, UNIT_COUNT);
    is(&now->ecc_uncorrected, 0, UNIT_COUNT);
    is(&now->throttled, 100, UNIT_PERCENT);
    assert_string_equal(now->throttle_why, "power cap, temperature");
    is(&b.g.now[1].throttled, 0, UNIT_PERCENT); /* an idle GPU is not throttled */
    is(&now->pcie_rx, 2e9, UNIT_BYTES_PER_S);
    is(&now->pcie_speed, 32e9, UNIT_NONE);
    why(&now->pcie_replays, "no such call");
    assert_int_equal(b.g.sources[0].state, GPU_SOURCE_OK);
}

TEST_WITH(processes_have_memory_and_a_share, set_up, tear_down)
{
    gather(NULL);
    assert_int_equal(b.g.nprocesses, 2);
    const struct gpu_process *p = &b.g.processes[0];
    assert_int_equal(p->pid, 4242);
    assert_int_equal(p->gpu, 0);
    assert_string_equal(p->kind, "compute");
    is(&p->mem, 20.0 * (1u << 30), UNIT_BYTES);
    is(&p->busy, 88, UNIT_PERCENT); /* the newest sample */
    why(&b.g.processes[1].mem, "does not tell");
    why(&b.g.processes[1].busy, "no sample");
    is(&b.g.now[0].processes, 2, UNIT_NONE);
    is(&b.g.now[1].processes, 0, UNIT_NONE);
    gather(NULL); /* no new sample since the last */
    why(&b.g.processes[0].busy, "no sample");
}

/* A driver that has every function. */
TEST_WITH(numbers_of_all_other_calls, set_up_all, tear_down)
{
    assert_int_equal(gather(NULL), 0);
    const struct gpu *g = &b.g.gpu[0];
    const struct gpu_now *now = &b.g.now[0];
    assert_string_equal(g->uuid, "GPU-0");
    assert_string_equal(g->pci, "0001:fe:1f.0"); /* the kernel's PCI domains have 16 bits */
    assert_string_equal(b.g.gpu[1].id, "pci:0001:fe:1e.0");
    is(&g->max_hz, 1985e6, UNIT_HZ);
    is(&g->max_mem_hz, 3202e6, UNIT_HZ);
    is(&g->mem_width, 6144, UNIT_NONE);
    is(&g->temp_limit, 87, UNIT_CELSIUS);
    is(&g->power_min, 200, UNIT_WATT);
    is(&g->power_max, 701, UNIT_WATT);
    is(&g->pcie_max_width, 16, UNIT_NONE);
    is(&g->pcie_max_speed, 64e9, UNIT_NONE);
    is(&now->pcie_width, 8, UNIT_NONE);
    is(&now->pcie_replays, 9, UNIT_COUNT);
    is(&now->media_busy, 12, UNIT_PERCENT); /* the busier one of encoder and decoder */
    is(&b.g.now[1].media_busy, 34, UNIT_PERCENT);
    is(&now->energy, 1234567890.123, UNIT_JOULE);
    is(&now->video_hz, 1500e6, UNIT_HZ);
    is(&now->pcie_tx, 1e6, UNIT_BYTES_PER_S);
}

/* PCI Express: 2.5 and 5 GT/s; from generation 3 on, each has twice the speed of the one before. */
TEST_WITH(a_link_has_the_speed_of_its_generation, set_up, tear_down)
{
    static const double speed[] = {0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9, 0};
    for (unsigned i = 0; i < sizeof speed / sizeof *speed; i++) {
        char mode[16];
        snprintf(mode, sizeof mode, "gen=%u", i);
        gather(mode);
        if (speed[i] > 0)
            is(&b.g.now[0].pcie_speed, speed[i], UNIT_NONE);
        else
            why(&b.g.now[0].pcie_speed, "not known here");
    }
    gather("gen=4294967295");
    why(&b.g.now[0].pcie_speed, "not known here");
}

/* A process has one row however often it is listed: its memory in two MIG instances is added up,
 * but what two lists report is the same memory. */
TEST_WITH(a_process_has_one_row, set_up_all, tear_down)
{
    gather("shared");
    assert_int_equal(b.g.nprocesses, 3);
    is(&b.g.now[0].processes, 3, UNIT_NONE);
    const struct gpu_process *both = &b.g.processes[0], *graphics = &b.g.processes[2];
    assert_int_equal(both->pid, 4242);
    assert_string_equal(both->kind, "compute+graphics");
    is(&both->mem, 7.0 * (1u << 30), UNIT_BYTES);
    assert_int_equal(b.g.processes[1].pid, 5000);
    assert_string_equal(b.g.processes[1].kind, "compute");
    assert_int_equal(graphics->pid, 6000);
    assert_string_equal(graphics->kind, "graphics");
    is(&graphics->mem, 5.0 * (1u << 30), UNIT_BYTES);
}

TEST_WITH(instances_of_one_process_are_added_up, set_up, tear_down)
{
    gather("shared"); /* this one lists no graphics processes */
    assert_int_equal(b.g.nprocesses, 2);
    assert_string_equal(b.g.processes[0].kind, "compute");
    is(&b.g.processes[0].mem, 21.0 * (1u << 30), UNIT_BYTES);
}

TEST_WITH(a_lost_gpu_is_named_and_the_other_works, set_up, tear_down)
{
    gather("lost");
    assert_int_equal(b.g.n, 2);
    is(&b.g.now[0].gfx_busy, 93, UNIT_PERCENT);
    why(&b.g.now[1].gfx_busy, "GPU is lost");
    why(&b.g.gpu[1].mem_total, "GPU is lost");
    assert_string_equal(b.g.gpu[1].vendor, "NVIDIA");
}

TEST_WITH(what_is_refused_says_so, set_up, tear_down)
{
    gather("denied");
    why(&b.g.now[0].power, "Insufficient Permissions");
    why(&b.g.now[0].gfx_hz, "Insufficient Permissions");
    is(&b.g.now[0].gfx_busy, 93, UNIT_PERCENT);
}

TEST_WITH(mig_has_no_utilization, set_up, tear_down)
{
    gather("mig");
    assert_string_equal(b.g.gpu[0].mode, "MIG");
    why(&b.g.now[0].gfx_busy, "MIG");
    is(&b.g.now[0].power, 412.345, UNIT_WATT);
}

TEST_WITH(a_driver_that_is_not_loaded_is_asked_again_later, set_up, tear_down)
{
    assert_int_equal(gather("init"), NVIDIA_LOOK_AGAIN_S);
    assert_int_equal(b.g.n, 0);
    assert_int_equal(b.g.sources[0].state, GPU_SOURCE_ABSENT);
    assert_string_equal(b.g.sources[0].text, "Driver Not Loaded");
    assert_non_null(strstr(b.g.sources[0].help, "modprobe"));
    assert_int_equal(gather(NULL), 0);
    assert_int_equal(b.g.n, 2);
}

TEST_WITH(no_gpu_is_no_failure, set_up, tear_down)
{
    assert_int_equal(gather("none"), NVIDIA_LOOK_AGAIN_S);
    assert_int_equal(b.g.n, 0);
    assert_int_equal(b.g.sources[0].state, GPU_SOURCE_ABSENT);
}

TEST_WITH(no_library_is_a_reason, set_up, tear_down)
{
    env_put("ROOFTOP_NVML", "/nonexistent/libnvidia-ml.so.1");
    gather(NULL);
    assert_int_equal(b.g.sources[0].state, GPU_SOURCE_ABSENT);
    assert_non_null(strstr(b.g.sources[0].text, "cannot open shared object"));
    assert_non_null(strstr(b.g.sources[0].help, "driver"));
}

TEST_WITH(an_old_driver_tells_what_it_can, set_up_old, tear_down)
{
    gather(NULL);
    assert_int_equal(b.g.n, 2);
    assert_string_equal(b.g.gpu[0].id, "nvidia:0");
    is(&b.g.now[0].mem_used, 31.0 * (1u << 30), UNIT_BYTES);
    why(&b.g.now[0].gfx_hz, "no such call");
    why(&b.g.now[0].throttled, "no such call");
    assert_int_equal(b.g.nprocesses, 2);
    assert_int_equal(b.g.processes[0].pid, 77);
    is(&b.g.processes[0].mem, 5 << 20, UNIT_BYTES);
}

/* Expects a line of doctor, which asks in a child process that loads the test's NVML. */
static void doctor_says(const char *mode, const char *state, const char *why)
{
    struct program p;
    fake_nvml_mode(mode);
    program_run(&p, "$BIN doctor --format json");
    cJSON *doc = cJSON_Parse(p.out);
    const cJSON *list = cJSON_GetObjectItem(doc, "capabilities"), *c, *found = NULL;
    cJSON_ArrayForEach(c, list) if (strcmp(cJSON_GetObjectItem(c, "id")->valuestring,
                                           "nvidia.nvml") == 0) found = c;
    assert_non_null(found);
    assert_string_equal(cJSON_GetObjectItem(found, "source")->valuestring, "nvidia");
    assert_string_equal(cJSON_GetObjectItem(found, "state")->valuestring, state);
    assert_non_null(strstr(cJSON_GetObjectItem(found, "why")->valuestring, why));
    /* the sources after it are reported as usual */
    assert_non_null(strstr(p.out, "hsa.runtime"));
    assert_int_equal(p.status, 0);
    cJSON_Delete(doc);
    program_free(&p);
}

TEST_WITH(doctor_has_a_line, set_up, tear_down)
{
    program_needed();
    doctor_says(NULL, "yes", "NVML, 2 GPUs");
    doctor_says("noise", "yes", "NVML, 2 GPUs");
    doctor_says("init", "no", "Driver Not Loaded");
}

TEST_WITH(doctor_outlives_a_driver_that_hangs_or_crashes, set_up, tear_down)
{
    program_needed();
    doctor_says("crash", "no", "the driver ended the process that asked: signal 6");
    doctor_says("load-hang", "no", "no answer within 5 s: the driver hangs");
}
