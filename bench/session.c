/*
 * session [SECONDS FILE]: measures a session at 1 Hz: its size and the CPU time to write it,
 * compared with the same numbers as JSON lines, and the time to show any moment of it, drawing
 * included. The session lasts a day, and its samples are some minutes of this machine, taken
 * quickly and repeated; or SECONDS, and its samples are those of the session FILE, so that the
 * same is measured on every machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/live/engine.h"
#include "engine/session/ring.h"
#include "engine/session/session.h"
#include "export/live/export_json.h"
#include "tui/app/app.h"

enum { SAMPLES = 200, DAY = 86400, SEEKS = 60, RING_FRAMES = 6000 };

static struct snapshot *sample[SAMPLES];
static int samples, length = DAY; /* of the session, s */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double ms(uint64_t since)
{
    return (double)(env_now_ns() - since) / 1e6;
}

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* As JSON lines. */
struct lines {
    size_t bytes;
    double cpu_ms;
};

static void add_line(struct lines *l, const struct snapshot *s)
{
    double from = cpu_ms();
    char *text = export_json_text(s, "bench", false);
    l->cpu_ms += cpu_ms() - from;
    l->bytes += strlen(text) + 1;
    free(text);
}

static int take_samples(struct lines *l)
{
    struct error err = ERROR_INIT;
    struct engine_config config = {.interval_s = 0.05};
    struct engine *e = engine_new(&config);
    for (samples = 0; samples < SAMPLES; samples++) {
        sample[samples] = (struct snapshot *)engine_step(e, &err);
        if (!sample[samples])
            return 1;
        add_line(l, sample[samples]);
        usleep(50000);
    }
    engine_free(e);
    return 0;
}

/* The samples of a session, each JSON line made again so that its time is not too short. */
static int read_samples(const char *path, struct lines *l)
{
    enum { AGAIN = 50 };
    struct error err = ERROR_INIT;
    struct recording *r;
    struct lines many = {0};
    int rc = session_open(&r, path, &err);
    for (size_t i = 0; rc == 0 && i < recording_count(r) && samples < SAMPLES; i++) {
        sample[samples] = (struct snapshot *)recording_frame(r, i, &err);
        rc = sample[samples] ? 0 : 1;
        for (int k = 0; k < AGAIN && rc == 0; k++)
            add_line(&many, sample[samples]);
        samples += rc == 0;
    }
    if (rc == 0)
        recording_free(r);
    else
        fprintf(stderr, "%s: %s\n", err.what, err.why);
    *l = (struct lines){many.bytes / AGAIN, many.cpu_ms / AGAIN};
    return rc || samples == 0;
}

static const struct snapshot *at(int second, double hz)
{
    struct snapshot *s = sample[second % samples];
    s->seq = (uint64_t)second + 1;
    s->time_ns = (uint64_t)((double)second / hz * 1e9);
    s->wall_ns = 1700000000000000000u + s->time_ns;
    return s;
}

static int write_day(const char *path)
{
    struct error err = ERROR_INIT;
    struct session_writer *w;
    int rc = session_create(&w, &(struct session_config){.path = path, .replace = true}, &err);
    for (int t = 0; t < length && rc == 0; t++)
        rc = session_write(w, at(t, 1), &err);
    rc = rc == 0 ? session_close(w, &err) : rc;
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", err.what, err.why);
    return rc;
}

static int seeks(const char *path)
{
    struct error err = ERROR_INIT;
    struct recording *r;
    double took[SEEKS];
    char where[16];
    struct canvas c;
    uint64_t begun = env_now_ns();
    if (session_open(&r, path, &err) != 0)
        return 1;
    struct app *a = app_new(1, false, "rooftop-dark");
    canvas_init(&c);
    canvas_resize(&c, 160, 48);
    app_play(a, r);
    app_draw(a, &c);
    printf("opened and drawn in %.1f ms\n", ms(begun));
    for (int i = 0; i < SEEKS; i++) {
        uint64_t from = env_now_ns();
        snprintf(where, sizeof where, "%d%%", i * 37 % 101);
        if (app_seek(a, where, &err) != 0)
            return 1;
        app_draw(a, &c);
        took[i] = ms(from);
    }
    qsort(took, SEEKS, sizeof *took, by_value);
    printf(
        "%d jumps over the day, each with its picture at 160x48: median %.1f ms, longest %.1f ms "
        "(target 50)\n",
        SEEKS, took[SEEKS / 2], took[SEEKS - 1]);
    app_free(a);
    canvas_free(&c);
    return 0;
}

static void ring(void)
{
    struct recording *r = ring_new(RING_BYTES);
    uint64_t begun = env_now_ns();
    for (int t = 0; t < RING_FRAMES; t++)
        ring_push(r, at(t, 10));
    printf("ten minutes at 10 Hz in the ring: %zu of %d samples held, %.2f MB (limit 8), %.1f us a "
           "sample\n",
           recording_count(r), RING_FRAMES, (double)ring_bytes(r) / 1e6,
           ms(begun) * 1e3 / RING_FRAMES);
    recording_free(r);
}

static void print_size(off_t size, double wrote, double wrote_cpu, const struct lines *l)
{
    double lines = (double)l->bytes / samples * length;
    printf("%zu processes, %zu counters, %zu metrics a sample\n", sample[samples - 1]->nprocs,
           sample[samples - 1]->ncounters, sample[samples - 1]->nmetrics);
    printf("%d s at 1 Hz: %.1f MB, %.0f bytes a sample, %.1f us to write one\n", length,
           (double)size / 1e6, (double)size / length, wrote * 1e3 / length);
    printf("the same as JSON lines: %.0f MB; the session is %.4f of it (target 0.25), and takes "
           "%.4f of its CPU time\n",
           lines / 1e6, (double)size / lines, wrote_cpu / (l->cpu_ms / samples * length));
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/rooftop-bench-XXXXXX";
    struct stat st;
    struct lines lines = {0};
    length = argc > 2 ? atoi(argv[1]) : DAY;
    if (length < 1 || argc == 2)
        return 2;
    int fd = mkstemp(path), rc = fd < 0;
    close(fd);
    if (rc == 0)
        rc = argc > 2 ? read_samples(argv[2], &lines) : take_samples(&lines);
    uint64_t begun = env_now_ns();
    double begun_cpu = cpu_ms();
    if (rc == 0)
        rc = write_day(path);
    double wrote = ms(begun), wrote_cpu = cpu_ms() - begun_cpu;
    if (rc == 0 && stat(path, &st) == 0) {
        print_size(st.st_size, wrote, wrote_cpu, &lines);
        rc = seeks(path);
    }
    if (rc == 0 && argc <= 2)
        ring();
    unlink(path);
    for (int i = 0; i < samples; i++)
        snapshot_unref(sample[i]);
    snapshot_pool_drain();
    return rc;
}
