/*
 * counts NAME: does the work of one row of bench/counts.tsv, always the same. Only what happens
 * inside counted() is the row's cost; bench/counts.py has callgrind count its instructions and
 * allocations. Nothing here looks at a clock, at this machine's processes or at a random number.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/flight/flight.h"
#include "backends/job/rank_collectives.h"
#include "base/env.h"
#include "engine/analysis/analysis.h"
#include "engine/judge/judge_inputs.h"
#include "engine/judge/judge_impl.h"
#include "engine/live/engine.h"
#include "engine/live/source.h"
#include "engine/path/critical_path.h"
#include "engine/session/session.h"
#include "engine/value/text_file.h"
#include "nccl/profiler_abi.h"
#include "rooftop/brick.h"
#include "support/procfs.h"
#include "tui/app/app.h"
#include "tui/canvas/theme.h"
#include "tui/term/term.h"
#include "vtpu/interpret.h"
#include "vtpu/stream.h"

#define SESSION "tests/data/session/frames-4.rooftop"

enum {
    TICKS = 20,
    PROCESSES = 400,
    KEYS = 40,
    CALLS = 10000,
    NODES = 100000,
    FAN = 8, /* children of each node */
    SAMPLES = 60,
    VALUES = 1 << 16,
    JUDGED = 20,
    WORDS = 1000,
    PASSES = 100,
};

/* Its name is known to bench/counts.py. */
void counted(void (*work)(void));
__attribute__((noinline)) void counted(void (*work)(void))
{
    work();
    __asm__ volatile(
        "" ::
            : "memory"); /* no tail call: the end of the work is the end of this function */
}

static struct error err = ERROR_INIT;

static void must(bool done, const char *what)
{
    if (done)
        return;
    fprintf(stderr, "counts: %s: %s %s\n", what, err.what, err.why);
    exit(1);
}

/* --- the machine: a poll of its processes --- */

static struct engine *engine;

static void poll_once(void)
{
    const struct snapshot *s = engine_step(engine, &err);
    must(s != NULL, "a sample");
    snapshot_unref((struct snapshot *)s);
}

static void make_process(int i, int tick)
{
    procfs_process(&(struct procfs_process){.pid = 1000 + i,
                                            .ppid = i ? 1000 + (i - 1) / FAN : 1,
                                            .comm = "worker",
                                            .cmdline = "/usr/bin/worker --threads 4 --quiet",
                                            .utime = (uint64_t)(i + tick),
                                            .start = (uint64_t)(100 + i)});
}

/* Every tenth process works; the others sleep. */
static void poll(void)
{
    extern const struct source_ops source_proc;
    static const struct source_ops *const sources[] = {&source_proc, NULL};
    struct engine_config config = {.interval_s = 1, .sources = sources};
    procfs_new();
    env_set_clock(procfs_clock, NULL);
    procfs_machine(8);
    for (int i = 0; i < PROCESSES; i++)
        make_process(i, 0);
    engine = engine_new(&config);
    for (int t = 1; t <= TICKS + 2; t++) {
        procfs_clock_ns = (uint64_t)t * 1000000000u;
        for (int i = 0; i < PROCESSES; i += 10)
            make_process(i, t);
        procfs_stat(8, 100 + (uint64_t)t * 10, 100, 800 + (uint64_t)t * 90, 50, 10);
        if (t <= 2) /* what only the first samples do */
            poll_once();
        else
            counted(poll_once);
    }
    engine_free(engine);
    procfs_free();
}

/* --- the screen: a session's frames on a terminal of 160x48 --- */

static struct app *app;
static struct canvas canvas;
static struct term *term;
static struct theme *theme;
static struct snapshot *frame;
static struct recording *recording;
static struct key_event key;

static uint64_t clock_ns;
static uint64_t clock_of(void *ctx)
{
    (void)ctx;
    return clock_ns += 1000;
}

static void present(void)
{
    app_draw(app, &canvas);
    must(term_present(term, &canvas, theme) >= 0, "drawing");
}

static void show_frame(void)
{
    app_update(app, frame);
    present();
}

static void press(void)
{
    app_key(app, &key);
    present();
}

/* What is written is read by a program of its own, so that the terminal is never full. */
static pid_t open_terminal(void)
{
    struct winsize size = {.ws_row = 48, .ws_col = 160};
    int master, slave;
    must(openpty(&master, &slave, NULL, NULL, &size) == 0, "a terminal");
    const pid_t reader = fork();
    if (reader == 0) {
        dup2(master, 0);
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
        close(slave);
        execlp("cat", "cat", (char *)NULL);
        _exit(1);
    }
    close(master);
    struct term_config config = {
        .depth = DEPTH_TRUE, .mouse = true, .in_fd = slave, .out_fd = slave};
    must(term_open(&term, &config, &err) == 0, "the terminal");
    return reader;
}

/* Shows frames and presses keys; only one of both is counted. */
static void screen(bool keys)
{
    static const uint32_t pressed[] = {'j', 'j', 'k', KEY_PGDN, '3', 'j', '1', 's', '2', '1'};
    const pid_t reader = open_terminal();
    env_set_clock(clock_of, NULL);
    must(theme_load(&theme, "rooftop-dark", &err) == 0, "the theme");
    must(session_open(&recording, SESSION, &err) == 0, "the session");
    app = app_new(1, false, "rooftop-dark");
    canvas_init(&canvas);
    canvas_resize(&canvas, 160, 48);
    for (size_t t = 0; t < TICKS; t++) {
        clock_ns += 1000000000u;
        frame = (struct snapshot *)recording_frame(recording, t % recording_count(recording), &err);
        must(frame != NULL, "a frame");
        frame->seq = t + 1;
        frame->time_ns = frame->wall_ns = clock_ns;
        if (keys || t < recording_count(recording))
            show_frame();
        else
            counted(show_frame);
        snapshot_unref(frame);
    }
    for (size_t i = 0; keys && i < KEYS; i++) {
        key.key = pressed[i % (sizeof pressed / sizeof *pressed)];
        counted(press);
    }
    term_close(term);
    kill(reader, SIGKILL);
    waitpid(reader, NULL, 0);
}

static void tick(void)
{
    screen(false);
}

static void keys(void)
{
    screen(true);
}

/* --- inside other programs --- */

static void call_bricks(void)
{
    for (int i = 0; i < CALLS; i++) {
        rooftop_timer layer = rooftop_start(ROOFTOP_ACTIVATION);
        rooftop_timer t = rooftop_start(ROOFTOP_RMS_NORM);
        rooftop_stop(t, 4096);
        rooftop_stop(layer, 0);
    }
}

static void brick(void)
{
    call_bricks();
    counted(call_bricks);
}

static const struct profiler *plugin;
static void *communicator;

static uint8_t channels;

/* CALLS kernels. */
static void call_plugin(void)
{
    struct profiler_description d = {
        .type = PROFILER_COLLECTIVE,
        .collective = {
            .op = "AllReduce", .count = 4096, .type = "ncclFloat32", .channels = channels}};
    struct profiler_description k = {.type = PROFILER_KERNEL};
    union profiler_state end = {.kernel = {1}};
    void *kernels[UINT8_MAX];
    for (int i = 0; i < CALLS; i += channels) {
        plugin->start(communicator, &k.parent, &d);
        plugin->stop(k.parent);
        for (k.kernel.channel = 0; k.kernel.channel < channels; k.kernel.channel++) {
            k.kernel.stamp = end.kernel.stamp++;
            plugin->start(communicator, &kernels[k.kernel.channel], &k);
        }
        for (int n = 0; n < channels; n++) {
            end.kernel.stamp++;
            plugin->record(kernels[n], PROFILER_KERNEL_STOP, &end);
            plugin->stop(kernels[n]);
        }
    }
}

/* Calls the plugin as NCCL does. */
static void call_plugin_with(uint8_t n)
{
    struct rank_collectives *memory = rank_collectives_new(&err);
    int mask = 0;
    must(memory != NULL, "collectives");
    void *library = dlopen(env_get("NCCL_PROFILER_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
    plugin = library ? dlsym(library, "ncclProfiler_v6") : NULL;
    must(plugin != NULL, "the plugin");
    plugin->init(&communicator, 1, &mask, "world", 1, 2, 0, NULL);
    must(communicator != NULL, "the communicator");
    channels = n;
    call_plugin();
    counted(call_plugin);
    plugin->finalize(communicator);
    rank_collectives_free(memory);
}

static void nccl(void)
{
    call_plugin_with(1);
}

static void nccl_channels(void)
{
    call_plugin_with(32);
}

/* --- files --- */

static const char *path;

static void open_file(void)
{
    struct analysis a = {0};
    must(analysis_open(&a, &path, 1, &err) == 0, path);
    analysis_close(&a);
}

static void profile(const char *kind, const char *size, const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "\"$BUILD\"/bench/make_profile %s %s build/counts/%s", kind,
             size, name);
    must(system(command) == 0, command);
    snprintf(command, sizeof command, "build/counts/%s", name);
    path = command;
    counted(open_file);
    unlink(command);
}

static void rocpd(void)
{
    profile("rocpd", "5000", "profile.db");
}

static void kineto(void)
{
    profile("kineto", "1", "profile.json");
}

/* --- dumps of a hang --- */

enum { DUMPS = 500 };
static char *dump;
static size_t dump_size;

static void judge_dumps(void)
{
    struct flight *f = flight_new();
    struct hang h = {.n = 0};
    int rc = 0;
    for (int i = 0; i < DUMPS && rc == 0; i++) {
        char name[32];
        snprintf(name, sizeof name, "rank_%d", i);
        rc = flight_add_text(f, &h, name, dump, dump_size, 0, &err);
    }
    must(rc == 0 && hang_finish(&h, &err) == 0, "judging dumps");
    hang_free(&h);
    flight_free(f);
}

static void dumps(void)
{
    static const char file[] = "tests/fuzz/corpus/flight/protocol_2.pickle";
    must(text_file_read(&dump, &dump_size, file, &err) == 0, file);
    counted(judge_dumps);
    free(dump);
}

enum { FRAMES = 4 };
static struct snapshot *frames[FRAMES];

static void write_session(void)
{
    struct session_writer *w;
    int rc = session_create(&w, &(struct session_config){.path = path, .replace = true}, &err);
    for (size_t t = 0; t < SAMPLES && rc == 0; t++) {
        frames[t % FRAMES]->seq = t + 1;
        frames[t % FRAMES]->time_ns = t * 1000000000u;
        rc = session_write(w, frames[t % FRAMES], &err);
    }
    must(rc == 0 && session_close(w, &err) == 0, path);
}

static void read_session(void)
{
    struct recording *r;
    must(session_open(&r, path, &err) == 0, path);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct snapshot *s = (struct snapshot *)recording_frame(r, i * 37 % SAMPLES, &err);
        must(s != NULL, path);
        snapshot_unref(s);
    }
    recording_free(r);
}

static void session(void (*work)(void))
{
    env_set_clock(clock_of, NULL);
    path = work == read_session ? "build/counts/read.rooftop" : "build/counts/written.rooftop";
    must(session_open(&recording, SESSION, &err) == 0, SESSION);
    for (size_t i = 0; i < FRAMES; i++) {
        frames[i] = (struct snapshot *)recording_frame(recording, i, &err);
        must(frames[i] != NULL, SESSION);
    }
    if (work == read_session)
        write_session();
    counted(work);
    unlink(path);
}

static void session_write_row(void)
{
    session(write_session);
}

static void session_read_row(void)
{
    session(read_session);
}

/* --- the critical path --- */

static struct graph *graph;

static void find_path(void)
{
    struct critical_path p;
    must(critical_path_find(graph, &p, &err) == 0, "the path");
    critical_path_free(&p);
}

/* A tree of spans: each takes an eighth of its parent, and neighbours are in sequence. */
static void critical(void)
{
    graph = graph_new();
    const uint32_t name = graph_intern(graph, "span");
    graph_add(graph, NODE_THREAD, name, GRAPH_NONE, EDGE_CONTAINS, 0, (uint64_t)1 << 40);
    for (uint32_t i = 1; i < NODES; i++) {
        const uint32_t parent = (i - 1) / FAN, k = (i - 1) % FAN;
        const uint64_t part = graph->duration[parent] / FAN;
        graph_add(graph, NODE_BRICK, name, parent, EDGE_CONTAINS, graph->start[parent] + k * part,
                  part - part / 16);
        if (k > 0)
            graph_connect(graph, i - 1, i, EDGE_SEQUENCE);
        else if (i > FAN)
            graph_connect(graph, i - FAN, i - FAN + 1, EDGE_CALLS);
    }
    graph_finish(graph);
    counted(find_path);
    graph_unref(graph);
}

/* --- the judge: what each timed call costs beside the call --- */

static const struct judge_argument argument = {
    .type = JUDGE_FLOAT32, .array = true, .length = VALUES, .direction = JUDGE_INOUT};
static float pool[VALUES], drawn[VALUES];

static void judge_calls(void)
{
    static const struct harness h = {.relative = 1e-6};
    uint64_t state = 1;
    struct judge_difference d;
    for (int i = 0; i < JUDGED; i++) {
        judge_mix_input(&argument, pool, VALUES, &state, drawn);
        must(judge_same(&h, &argument, drawn, drawn, JUDGE_EACH, &d), "the same");
    }
}

static void judge(void)
{
    judge_fill(&argument, 0, JUDGE_AS_SAID, 1, pool);
    counted(judge_calls);
}

/* --- the vTPU --- */

static struct siw words[WORDS];
static struct vtpu_state state;
static struct vtpu_program *program;

static void interpret(void)
{
    vtpu_interpret(&state, program, PASSES);
}

static void vtpu(void)
{
    vtpu_stream(vtpu_workload_find("balanced"), words, WORDS, 0);
    vtpu_state_open(&state, 1);
    program = vtpu_program_new(words, WORDS);
    counted(interpret);
    vtpu_program_free(program);
    vtpu_state_close(&state);
}

int main(int argc, char **argv)
{
    static const struct row {
        const char *name;
        void (*run)(void);
    } rows[] = {
        {"poll", poll},
        {"tick", tick},
        {"key", keys},
        {"brick", brick},
        {"nccl", nccl},
        {"nccl-channels", nccl_channels},
        {"rocpd", rocpd},
        {"kineto", kineto},
        {"dumps", dumps},
        {"session-write", session_write_row},
        {"session-read", session_read_row},
        {"path", critical},
        {"judge", judge},
        {"vtpu", vtpu},
    };
    for (size_t i = 0; argc == 2 && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, argv[1]) == 0) {
            rows[i].run();
            return 0;
        }
    fprintf(stderr, "usage: counts NAME, a row of bench/counts.tsv\n");
    return 2;
}
