/* Every frame that comes out of a ring is exactly the one that was put in. (One thread: not for
 * TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/bricks.h"
#include "engine/live/metric.h"
#include "engine/session/session_impl.h"
#include "engine/session/ring.h"
#include "export/graph/graph_export.h"
#include "export/live/export_json.h"
#include "support/kept_profiles.h"
#include "support/memory.h"
#include "support/sample_snapshot.h"
#include "support/scenes.h"
#include "support/sanitized.h"
#include "support/test.h"

enum { TICKS = SANITIZED ? 100 : 300 };

static char *json(const struct snapshot *s)
{
    return export_json_text(s, "test", false);
}

static char *tree_json(const struct graph *g)
{
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    graph_export_json(f, g, &(struct graph_export_options){.root = GRAPH_NONE});
    fclose(f);
    return text;
}

static void assert_same_bricks(const struct bricks *a, const struct bricks *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (!a || !b)
        return;
    char *x = tree_json(a->tree), *y = tree_json(b->tree);
    assert_string_equal(x, y);
    free(x);
    free(y);
    assert_int_equal(a->nprograms, b->nprograms);
    for (uint32_t i = 0; i < a->nprograms; i++) {
        assert_string_equal(a->programs[i].name, b->programs[i].name);
        assert_int_equal(a->programs[i].state, b->programs[i].state);
        assert_int_equal(a->programs[i].tokens, b->programs[i].tokens);
    }
    const struct brick_window *v = &a->window, *w = &b->window;
    assert_string_equal(v->what, w->what);
    assert_int_equal(v->nspans, w->nspans);
    assert_int_equal(v->nsteps, w->nsteps);
    assert_memory_equal(v->steps, w->steps, v->nsteps * sizeof *v->steps);
    assert_memory_equal(v->lengths, w->lengths, v->nsteps * sizeof *v->lengths);
    for (uint32_t i = 0; i < v->nspans; i++) {
        assert_string_equal(v->spans[i].name, w->spans[i].name);
        assert_int_equal(v->spans[i].slack, w->spans[i].slack);
        assert_int_equal(v->spans[i].start, w->spans[i].start);
        assert_int_equal(v->spans[i].lane, w->spans[i].lane);
    }
    assert_int_equal(a->roofline.npoints, b->roofline.npoints);
    assert_int_equal(a->roofline.nroofs, b->roofline.nroofs);
}

static void assert_same(const struct snapshot *a, const struct snapshot *b)
{
    char *x = json(a), *y = json(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
    profiles_assert_same(a->stacks, b->stacks);
    assert_same_bricks(a->bricks, b->bricks);
    assert_int_equal(a->own_cpu_ns, b->own_cpu_ns);
    assert_int_equal(a->seq, b->seq);
    for (size_t i = 0; i < a->nmetrics; i++) {
        assert_string_equal(a->metrics[i].def->formula, b->metrics[i].def->formula);
        assert_string_equal(a->metrics[i].def->what, b->metrics[i].def->what);
        assert_int_equal(a->metrics[i].percpu == NULL, b->metrics[i].percpu == NULL);
    }
}

static struct snapshot *moment(const char *name, int tick)
{
    struct snapshot *s = scene(name, tick);
    s->stacks = tick % 3 ? profiles_random(s, (unsigned)tick) : NULL;
    return s;
}

TEST(every_frame_comes_back)
{
    for (size_t k = 0; scene_names[k]; k++) {
        struct recording *r = ring_new(RING_BYTES);
        int ticks = strcmp(scene_names[k], "many") == 0 ? 20 : TICKS;
        for (int t = 0; t < ticks; t++) {
            struct snapshot *s = moment(scene_names[k], t);
            ring_push(r, s);
            snapshot_unref(s);
        }
        assert_int_equal(recording_count(r), ticks);
        for (int t = ticks - 1; t >= 0; t -= 7) {
            struct error err = ERROR_INIT;
            struct snapshot *was = moment(scene_names[k], t);
            const struct snapshot *is = recording_frame(r, (size_t)t, &err);
            assert_non_null(is);
            assert_same(was, is);
            assert_int_equal(recording_time(r, (size_t)t), was->time_ns);
            assert_int_equal(recording_level(r, (size_t)t), block_level(was));
            assert_int_equal(recording_find(r, was->time_ns + 1), t);
            snapshot_unref(is);
            snapshot_unref(was);
        }
        recording_free(r);
    }
}

/* A NULL text comes back as "", so that views need no check; from then on it stays the same. */
TEST(odd_values_come_back)
{
    struct recording *r = ring_new(RING_BYTES), *again = ring_new(RING_BYTES);
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < 2; i++) {
        struct snapshot *s = i ? sample_snapshot() : sample_first_snapshot();
        s->time_ns = i;
        ring_push(r, s);
        const struct snapshot *is = recording_frame(r, i, &err);
        assert_non_null(is);
        assert_int_equal(is->nprocs, s->nprocs);
        assert_int_equal(is->ncounters, s->ncounters);
        for (size_t k = 0; k < s->nprocs; k++) {
            assert_non_null(is->procs[k].user);
            if (s->procs[k].cmdline)
                assert_string_equal(is->procs[k].cmdline, s->procs[k].cmdline);
        }
        ring_push(again, is);
        const struct snapshot *twice = recording_frame(again, i, &err);
        assert_non_null(twice);
        assert_same(is, twice);
        snapshot_unref(twice);
        snapshot_unref(is);
        snapshot_unref(s);
    }
    recording_free(r);
    recording_free(again);
}

/* The kept end of a command's output: what was dropped, what was added, and a program that wrote
 * more than fits in one tick. */
TEST(output_comes_back)
{
    static const char *const window[] = {
        "", "one\n", "one\ntwo\n", "two\nthree\n", "all new and long\n", "new and long\n"};
    static const uint64_t total[] = {0, 4, 8, 14, 90, 90};
    struct recording *r = ring_new(RING_BYTES);
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < sizeof window / sizeof *window; i++) {
        struct snapshot *s = scene("command", 1);
        s->time_ns = i;
        s->command.output = window[i];
        s->command.output_len = strlen(window[i]);
        s->command.output_total = total[i];
        ring_push(r, s);
        snapshot_unref(s);
    }
    for (size_t i = 0; i < sizeof window / sizeof *window; i++) {
        const struct snapshot *s = recording_frame(r, i, &err);
        assert_non_null(s);
        assert_int_equal(s->command.output_len, strlen(window[i]));
        assert_memory_equal(s->command.output, window[i], strlen(window[i]));
        snapshot_unref(s);
    }
    recording_free(r);
}

struct walk {
    size_t n;
    uint64_t first_seq, last_seq;
    size_t nprocs, nmetrics;
};

static bool count(void *ctx, const struct snapshot *s)
{
    struct walk *w = ctx;
    w->first_seq = w->n++ ? w->first_seq : s->seq;
    w->last_seq = s->seq;
    w->nprocs += s->nprocs;
    w->nmetrics += s->nmetrics;
    return true;
}

TEST(a_full_ring_forgets_its_oldest)
{
    enum { LIMIT = 1 << 20 };
    struct recording *r = ring_new(LIMIT);
    struct error err = ERROR_INIT;
    uint64_t pushed = 0;
    for (int t = 0; t < 2000; t++) {
        struct snapshot *s = moment("zen4", t % 97);
        s->seq = ++pushed;
        s->time_ns = (uint64_t)t * 100000000u;
        ring_push(r, s);
        snapshot_unref(s);
        assert_true(ring_bytes(r) <= LIMIT);
    }
    size_t n = recording_count(r);
    assert_true(n > 100 && n < 2000);
    struct walk w = {0};
    assert_int_equal(recording_scan(r, 0, n, RECORDING_NUMBERS, count, &w, &err), 0);
    assert_int_equal(w.n, n);
    assert_int_equal(w.last_seq, pushed);
    assert_int_equal(w.first_seq, pushed - n + 1);
    assert_int_equal(w.nprocs, 0); /* that part was not requested */
    assert_true(w.nmetrics > n);
    assert_int_equal(recording_find(r, 0), 0);
    assert_int_equal(recording_find(r, UINT64_MAX), n - 1);
    ring_clear(r);
    assert_int_equal(recording_count(r), 0);
    recording_free(r);
}

/* A snapshot stays valid after the ring was freed. */
TEST(frames_outlive_the_ring)
{
    struct error err = ERROR_INIT;
    struct recording *r = ring_new(RING_BYTES);
    struct snapshot *was = moment("zen4", 5);
    ring_push(r, was);
    const struct snapshot *is = recording_frame(r, 0, &err);
    recording_free(r);
    assert_same(was, is);
    snapshot_unref(is);
    snapshot_unref(was);
}

TEST(damage_is_refused)
{
    enum { FRAMES = 7 }; /* each damage reads all of them */
    struct block_writer w = {0};
    for (int t = 0; t < FRAMES; t++) {
        struct snapshot *s = moment("vm", t);
        assert_true(block_add(&w, s));
        snapshot_unref(s);
    }
    struct walk walk = {0};
    assert_int_equal(block_scan(&w.raw, 0, FRAMES, RECORDING_ALL, count, &walk), 0);
    size_t refused = 0;
    for (size_t i = 0; i < w.raw.n; i += 5) { /* must not crash, whatever is read */
        uint8_t was = w.raw.p[i];
        w.raw.p[i] ^= (uint8_t)(1 + i % 255);
        refused += block_scan(&w.raw, 0, FRAMES, RECORDING_ALL, count, &walk) < 0;
        w.raw.p[i] = was;
    }
    assert_true(refused > 0);
    struct bytes cut = w.raw;
    for (cut.n = 0; cut.n < w.raw.n; cut.n += 61)
        assert_true(block_scan(&cut, 0, FRAMES, RECORDING_ALL, count, &walk) < 0);
    struct bytes packed = {0}, again = {0};
    block_pack(&packed, &w.raw);
    assert_int_equal(block_unpack(&again, packed.p, packed.n), 0);
    assert_int_equal(again.n, w.raw.n);
    assert_memory_equal(again.p, w.raw.p, again.n);
    for (size_t n = 0; n < packed.n; n += 97)
        assert_true(block_unpack(&again, packed.p, n) < 0);
    free(packed.p);
    free(again.p);
    block_end(&w);
}

/* Processes that exist in one frame only: the ring's memory is what it says. */
TEST(frames_of_short_lived_processes_cost_what_it_says)
{
    enum { FRAMES = 3000, LIMIT = 1 << 20, FULL = 1500, SLACK = 256 * 1024 };
    struct recording *r = ring_new(LIMIT);
    pid_t pid = 1000;
    size_t before = 0, full = 0;
    for (int t = 0; t < FRAMES; t++) {
        struct snapshot *s = scene("vm", t % 100);
        s->time_ns = 1000000000u * (uint64_t)(t + 1);
        struct proc *rows = (struct proc *)s->procs;
        for (size_t i = 0; i < s->nprocs; i++) {
            rows[i].pid = pid++;
            rows[i].cmdline = snapshot_printf(s, "/tmp/job-%d --seed %d", (int)pid, (int)pid * 7);
        }
        assert_true(s->nprocs > 0);
        ring_push(r, s);
        snapshot_unref(s);
        assert_true(ring_bytes(r) <= LIMIT + LIMIT / 4);
        if (t == 100)
            before = allocated_bytes() - ring_bytes(r);
        if (t == FULL)
            full = allocated_bytes();
    }
    assert_true(recording_count(r) < FRAMES); /* it had become full */
    size_t held = allocated_bytes(), rest = held ? held - ring_bytes(r) : 0;
    if (held > full + SLACK)
        fail_msg("%zu bytes after %d frames, %zu after %d", held, FRAMES, full, FULL);
    if (held && rest > before + SLACK)
        fail_msg("%zu bytes that the ring does not count, %zu before it was full", rest, before);
    recording_free(r);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
