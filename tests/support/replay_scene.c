#include "support/replay_scene.h"

#include <stdio.h>
#include <string.h>

#include "tui/app/app_state.h"
#include "tui/views/replay/replay.h"

enum { ROWS = 5, PASTS = 4, SAMPLES = 40 };
#define SECOND 1000000000ull

static struct capture_region regions[] = {
    {.base = 0x7f0000000000, .size = 1 << 20, .segment = CAPTURE_DEVICE},
    {.base = 0x7f0000200000,
     .size = 4096,
     .segment = CAPTURE_KERNARG_POOL,
     .contains_kernarg = true},
};
static struct capture captures[ROWS];
static struct replay_row rows[ROWS];
static struct replay_past pasts[PASTS];
static double samples[PASTS][SAMPLES];
static struct replay_list list;
static struct replay_run run;

static const struct {
    const char *name, *gpu, *time;
    uint32_t grid[3], block[3];
    uint64_t bytes, gpu_ns;
    enum replay_can can;
    const char *why;
} made[ROWS] = {
    {"add(float*, float const*, int)",
     "gfx942",
     "2026-11-22T01:02:03Z",
     {1048576, 1, 1},
     {256, 1, 1},
     12 << 20,
     12300,
     REPLAY_CAN,
     ""},
    {"void gemm<float, 128, 64>(float const*, float const*, float*)",
     "gfx942",
     "2026-11-21T23:59:59Z",
     {512, 512, 1},
     {16, 16, 1},
     3ull << 30,
     1830000,
     REPLAY_CAN,
     ""},
    {"reduce_sum",
     "gfx90a",
     "2026-11-20T08:00:00Z",
     {65536, 1, 1},
     {1024, 1, 1},
     700 << 10,
     0,
     REPLAY_CANNOT,
     "the code is for gfx90a, the GPU is gfx942"},
    {"half-written",
     "",
     "",
     {0},
     {0},
     0,
     0,
     REPLAY_CANNOT,
     "not finished: the program ended while it was captured, or the disk was full"},
    {"stencil7",
     "",
     "2025-01-31T12:00:00Z",
     {64, 64, 64},
     {8, 8, 8},
     1 << 20,
     99000,
     REPLAY_CAN_UNKNOWN,
     "the capture does not tell its instruction set"},
};

static void make_pasts(void)
{
    static const double means[PASTS] = {11.9, 12.6, 12.4, 95};
    for (int i = 0; i < PASTS; i++) {
        struct replay_past *p = &pasts[i];
        for (int k = 0; k < SAMPLES; k++)
            samples[i][k] = means[i] + (k * 7 % 11 - 5) * 0.05;
        *p = (struct replay_past){.time_ns = (1795312800ull - 86400ull * (uint64_t)i) * SECOND,
                                  .code = i == 0 ? "bbbbbbbbbbbbbbbb" : "aaaaaaaaaaaaaaaa",
                                  .hsaco = i == 0 ? "build/add-unrolled.hsaco" : "",
                                  .mode = i == 2 ? "stateful" : "stateless",
                                  .agent = "gfx942",
                                  .verify = i == 2   ? REPLAY_NOT_COMPARED
                                            : i == 1 ? REPLAY_DIFFERENT
                                            : i == 3 ? REPLAY_TOLERATED
                                                     : REPLAY_EQUAL,
                                  .emulated = i == 3};
        p->timing = (struct replay_timing){.known = true,
                                           .average = means[i],
                                           .min = means[i] - 0.25,
                                           .max = means[i] + 0.25,
                                           .samples = samples[i],
                                           .n = SAMPLES,
                                           .iterations = SAMPLES};
        p->stats = stats_of(samples[i], SAMPLES);
    }
}

static void make_list(bool empty)
{
    static char paths[ROWS][64];
    memset(&list, 0, sizeof list);
    snprintf(list.folders, sizeof list.folders, "/home/you/rooftop_captures, /data/captures");
    list.host = (struct replay_host){.known = true,
                                     .gpu = {{"AMD Instinct MI300X", {"gfx942"}, 1, 0},
                                             {"AMD Instinct MI210", {"gfx90a"}, 1, 0}},
                                     .ngpus = 2};
    make_pasts();
    for (int i = 0; i < ROWS; i++) {
        captures[i] = (struct capture){.path = paths[i],
                                       .mangled_name = made[i].name,
                                       .demangled_name = made[i].name,
                                       .agent_name = made[i].gpu,
                                       .isa_name = "",
                                       .product_name = "AMD Instinct MI300X",
                                       .host = "node7",
                                       .time = made[i].time,
                                       .command = "",
                                       .bytes = made[i].bytes,
                                       .gpu_ns = made[i].gpu_ns,
                                       .drained = true,
                                       .has_after = i < 2,
                                       .regions = regions,
                                       .nregions = 2};
        memcpy(captures[i].grid, made[i].grid, sizeof made[i].grid);
        memcpy(captures[i].block, made[i].block, sizeof made[i].block);
        snprintf(paths[i], sizeof paths[i], "/home/you/rooftop_captures/%03d", i);
        rows[i] = (struct replay_row){.capture = i == 3 ? NULL : &captures[i],
                                      .path = paths[i],
                                      .name = made[i].name,
                                      .can = made[i].can};
        snprintf(rows[i].why, sizeof rows[i].why, "%s", made[i].why);
    }
    rows[0].past = (struct replay_pasts){.rows = pasts, .n = PASTS};
    rows[1].past = (struct replay_pasts){.rows = pasts + 1, .n = 1};
    list.rows = rows;
    list.n = empty ? 0 : ROWS;
}

static void tell(const char *line)
{
    replay_run_line(&run, line, strlen(line), 3 * SECOND);
}

static void iterate(int n, int of)
{
    char line[128];
    for (int i = 0; i < n; i++) {
        snprintf(line, sizeof line,
                 "{\"event\":\"stage\",\"name\":\"run\",\"done\":%d,\"total\":%d}", i + 1, of);
        tell(line);
        snprintf(line, sizeof line, "{\"event\":\"iteration\",\"index\":%d,\"microseconds\":%.2f}",
                 i, 11.5 + (double)(i * 7 % 23) / 10 + (i % 31 == 30 ? 6 : 0));
        tell(line);
    }
}

static void begin(enum replay_job job)
{
    replay_run_start(&run, job, 2 * SECOND);
    for (int i = 0; i < REPLAY_STAGE_RESTORE; i++) {
        char line[64];
        snprintf(line, sizeof line, "{\"event\":\"stage\",\"name\":\"%s\"}",
                 replay_stage_name((enum replay_stage)i));
        tell(line);
    }
    tell("{\"event\":\"stage\",\"name\":\"restore\",\"done\":7000000,\"total\":12582912}");
    tell("{\"event\":\"stage\",\"name\":\"load\"}");
}

static void end(int status)
{
    replay_run_end(&run, REPLAY_END_OWN, status << 8, 30, 5 * SECOND);
}

#define TIMES                                                                                      \
    "\"execution\":{\"iterations\":60,\"mode\":\"stateless\"},\"timing\":{\"average\":12.6,"       \
    "\"min\":11.5,\"max\":19.4,\"stddev\":1.1,\"median\":12.6},\"restore\":{\"regions\":2,"        \
    "\"bytes\":12582912,\"seconds\":0.003,\"bytes_per_second\":4194304000},"

static void make_run(const char *what)
{
    replay_run_free(&run);
    if (strcmp(what, "running") == 0) {
        begin(REPLAY_FULL_VM);
        iterate(37, 60);
    } else if (strcmp(what, "done") == 0 || strcmp(what, "emulated") == 0) {
        begin(REPLAY_FULL_VM);
        iterate(60, 60);
        tell("{\"event\":\"stage\",\"name\":\"verify\",\"done\":12582912,\"total\":12582912}");
        tell(what[0] == 'd' ? "{\"event\":\"result\",\"result\":{" TIMES
                              "\"verify\":{\"equal\":true,\"regions_compared\":2,"
                              "\"bytes_compared\":12582912}}}"
                            : "{\"event\":\"result\",\"result\":{" TIMES
                              "\"environment\":{\"emulated\":true}}}");
        end(0);
    } else if (strcmp(what, "different") == 0) {
        begin(REPLAY_FULL_VM);
        iterate(60, 60);
        tell("{\"event\":\"stage\",\"name\":\"verify\",\"done\":12582912,\"total\":12582912}");
        tell("{\"event\":\"result\",\"result\":{" TIMES "\"verify\":{\"equal\":false,"
             "\"regions_compared\":2,\"bytes_compared\":12582912,\"differences\":[{\"region\":"
             "139637976727552,\"offset\":64,\"address\":139637976727616,\"expected\":1065353216,"
             "\"found\":1073741824,\"count\":16}]}}}");
        end(9);
    } else if (strcmp(what, "fault") == 0) {
        begin(REPLAY_FULL_VM);
        tell("{\"event\":\"stage\",\"name\":\"run\",\"done\":0,\"total\":60}");
        tell("{\"event\":\"error\",\"kind\":\"fault\",\"message\":\"the GPU touched memory that is "
             "not there\",\"address\":139637977776128,\"region\":139637976727552}");
        end(10);
    } else if (strcmp(what, "variants") == 0) {
        begin(REPLAY_COMPARE);
        tell("{\"event\":\"stage\",\"name\":\"run\",\"done\":60,\"total\":60}");
        tell("{\"event\":\"result\",\"result\":{\"variants\":[{\"name\":\"captured\",\"timing\":{"
             "\"average\":12.4}},{\"name\":\"build/"
             "add-unrolled.hsaco\",\"timing\":{\"average\":11.1},"
             "\"against_first\":{\"equal\":true}},{\"name\":\"build/add-wrong.hsaco\",\"timing\":{"
             "\"average\":9.1},\"against_first\":{\"equal\":false}}],\"comparisons\":[{\"variant\":"
             "1,"
             "\"against\":0,\"ratio\":0.896,\"verdict\":\"same\"},{\"variant\":2,\"against\":0,"
             "\"ratio\":0.733,\"verdict\":\"faster\"}]}}");
        end(0);
    }
}

void replay_scene_set(struct app *a, const char *what)
{
    static const struct replay_list_request nowhere;
    struct replays *r = &((struct replay_view *)app_view_state(a, &view_replay)->own)->all;
    make_list(strcmp(what, "empty") == 0);
    make_run(what);
    app_set_captures(a, &nowhere, &list);
    r->run = run.began_ns ? &run : NULL;
    snprintf(r->run_path, sizeof r->run_path, "%s", rows[0].path);
    list.host.emulated = strcmp(what, "emulated") == 0;
}
