/*
 * Measures a session of a day at 1 Hz: its size compared with the same numbers as JSON lines, and
 * the time to show any moment of it, drawing included. The samples are some minutes of this
 * machine, taken quickly and repeated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/live/engine.h"
#include "engine/session/ring.h"
#include "engine/session/session.h"
#include "export/live/export_json.h"
#include "tui/app/app.h"

enum { SAMPLES = 200, DAY = 86400, SEEKS = 60, RING_FRAMES = 6000 };

static struct snapshot *sample[SAMPLES];

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double ms(uint64_t since)
{
    return (double)(env_now_ns() - since) / 1e6;
}

static int take_samples(size_t *json)
{
    struct error err = ERROR_INIT;
    struct engine_config config = {.interval_s = 0.05};
    struct engine *e = engine_new(&config);
    for (int i = 0; i < SAMPLES; i++) {
        sample[i] = (struct snapshot *)engine_step(e, &err);
        if (!sample[i])
            return 1;
        char *text = export_json_text(sample[i], "bench", false);
        *json += strlen(text) + 1;
        free(text);
        usleep(50000);
    }
    engine_free(e);
    return 0;
}

static const struct snapshot *at(int second, double hz)
{
    struct snapshot *s = sample[second % SAMPLES];
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
    for (int t = 0; t < DAY && rc == 0; t++)
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

int main(void)
{
    char path[] = "/tmp/rooftop-bench-XXXXXX";
    struct stat st;
    size_t json = 0;
    int fd = mkstemp(path), rc = fd < 0;
    close(fd);
    rc = rc ? rc : take_samples(&json);
    uint64_t begun = env_now_ns();
    rc = rc ? rc : write_day(path);
    double wrote = ms(begun);
    if (rc == 0 && stat(path, &st) == 0) {
        double lines = (double)json / SAMPLES * DAY;
        printf("%zu processes, %zu counters, %zu metrics a sample\n", sample[1]->nprocs,
               sample[1]->ncounters, sample[1]->nmetrics);
        printf("a day at 1 Hz: %.1f MB, %.0f bytes a sample, %.1f us to write one\n",
               (double)st.st_size / 1e6, (double)st.st_size / DAY, wrote * 1e3 / DAY);
        printf("the same as JSON lines: %.0f MB; the session is %.4f of it (target 0.25)\n",
               lines / 1e6, (double)st.st_size / lines);
        rc = seeks(path);
    }
    if (rc == 0)
        ring();
    unlink(path);
    for (int i = 0; i < SAMPLES; i++)
        snapshot_unref(sample[i]);
    snapshot_pool_drain();
    return rc;
}
