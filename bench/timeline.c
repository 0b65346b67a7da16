/*
 * Measures the timeline with 10^7 spans: building its index, and drawing a frame at 160x48 for
 * random windows at every zoom, for a profile in order of time and for one whose nodes come in
 * random order (so that memory is read at random). The target for the worst is one frame, 16 ms.
 * Times are CPU times: drawing waits for nothing.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "engine/analysis/analysis.h"
#include "tui/canvas/canvas.h"
#include "tui/model/view.h"
#include "tui/views/timeline/timeline.h"

enum { SPANS = 10000000, THREADS = 8, QUEUES = 24, NAMES = 200, FRAMES = 600 };
static const double target_ms = 16;

static struct canvas c;
static uint32_t seed = 1;

static uint32_t random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static uint32_t lane_of(struct graph *g, enum node_kind kind, uint32_t up, int i)
{
    char text[32];
    snprintf(text, sizeof text, "%s %d", kind == NODE_THREAD ? "thread" : "queue", i);
    return graph_add(g, kind, graph_intern(g, text), up, EDGE_CONTAINS, GRAPH_UNKNOWN,
                     GRAPH_UNKNOWN);
}

struct made {
    uint64_t start, duration;
    uint32_t lane, name;
};

/* Calls that launch one kernel each; some kernels overlap in their queue. */
static struct made *make_spans(const uint32_t *lanes, const uint32_t *names)
{
    struct made *m = xcalloc(SPANS, sizeof *m);
    uint64_t time[THREADS] = {0}, free_at[QUEUES] = {0};
    for (uint32_t i = 0; i < SPANS; i += 2) {
        uint32_t t = random_below(THREADS), q = random_below(QUEUES);
        uint64_t call = 2000 + random_below(3000), begin;
        m[i] = (struct made){time[t], call, lanes[t], names[random_below(NAMES)]};
        begin = time[t] + call > free_at[q] ? time[t] + call : free_at[q];
        uint64_t length = 1000 + random_below(random_below(50) ? 30000 : 900000);
        m[i + 1] = (struct made){begin, length, lanes[THREADS + q], names[random_below(NAMES)]};
        free_at[q] = begin + length - (random_below(10) ? 0 : length / 3);
        time[t] += call + random_below(20000);
    }
    return m;
}

static struct graph *build(bool shuffled)
{
    struct graph *g = graph_new();
    uint32_t names[NAMES], lanes[THREADS + QUEUES], *node = xcalloc(SPANS, sizeof *node);
    char text[32];
    uint32_t program = graph_add(g, NODE_PROGRAM, graph_intern(g, "python3"), GRAPH_NONE,
                                 EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (int i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "kernel_%d<float>", i);
        names[i] = graph_intern(g, text);
    }
    for (int i = 0; i < THREADS + QUEUES; i++)
        lanes[i] = lane_of(g, i < THREADS ? NODE_THREAD : NODE_QUEUE, program, i);
    struct made *m = make_spans(lanes, names);
    uint32_t *order = xcalloc(SPANS, sizeof *order);
    for (uint32_t i = 0; i < SPANS; i++) {
        uint32_t k =
            shuffled ? (uint32_t)(((uint64_t)random_below(1u << 24) << 8 | i % 256) % (i + 1u)) : i;
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < SPANS; i++) {
        const struct made *s = &m[order[i]];
        node[order[i]] = graph_add(g, order[i] % 2 ? NODE_KERNEL : NODE_FUNCTION, s->name, s->lane,
                                   EDGE_CONTAINS, s->start, s->duration);
    }
    for (uint32_t i = 0; i < SPANS; i += 2)
        graph_connect(g, node[i], node[i + 1], EDGE_LAUNCHES);
    graph_finish(g);
    free(order);
    free(node);
    free(m);
    return g;
}

static double frame(const struct model *m, struct view_state *st, enum action a)
{
    double before = now_ms();
    if (a != ACTION_NONE)
        view_timeline.act(a, m, st);
    canvas_clear(&c);
    view_timeline.draw(&c, (struct rect){0, 0, c.cols, c.rows}, m, st);
    return now_ms() - before;
}

static int say(const char *what, double mean, double worst, double most)
{
    printf("%-44s %8.2f ms  worst %8.2f ms%s\n", what, mean, worst,
           worst <= most ? "" : "  OVER ITS TARGET");
    return worst > most;
}

/* Random windows, from the whole timeline to a few spans; each is drawn from scratch. */
static int windows(const char *what, const struct model *m, struct view_state *st)
{
    const struct timeline *t = analysis_timeline(m->profile);
    double sum = 0, worst = 0;
    for (int i = 0; i < FRAMES; i++) {
        uint64_t all = t->to - t->from, width = all >> (i % 24);
        uint64_t at = (uint64_t)((double)random_below(1u << 24) / (1u << 24) * (double)all);
        timeline_set_window(t, st, t->from + at, width);
        double ms = frame(m, st, ACTION_NONE);
        sum += ms;
        worst = ms > worst ? ms : worst;
    }
    return say(what, sum / FRAMES, worst, target_ms);
}

static int keys(const char *what, const struct model *m, struct view_state *st, enum action a,
                double most)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < 50; i++) {
        double ms = frame(m, st, a);
        sum += ms;
        worst = ms > worst ? ms : worst;
    }
    return say(what, sum / 50, worst, most);
}

static int measure(bool shuffled)
{
    struct analysis a = {.trace.calls = build(shuffled)};
    struct model m = {.profile = &a};
    struct view_state st;
    int bad = 0;
    view_state_begin(&st, &view_timeline); /* as the app gives it */
    printf("10^7 spans, %s:\n", shuffled ? "nodes in random order" : "in order of time");
    if (critical_path_find(a.trace.calls, &a.path, NULL) != 0)
        return 1;
    a.timeline = xcalloc(1, sizeof *a.timeline);
    double before = now_ms();
    const struct timeline *t = analysis_timeline(&a);
    double built = now_ms() - before;
    double bytes = (double)timeline_memory(t) / t->nspans;
    printf("%-44s %8.0f ms  %.1f bytes a span, %u rows in %u lanes, %u links\n", "index built",
           built, bytes, t->nrows, t->nlanes, t->nlinks);
    bad |= bytes > 16;
    frame(&m, &st, ACTION_NONE);
    bad |= windows("a frame of a random window", &m, &st);
    st.mode = TIMELINE_ALL;
    bad |= windows("the same, all rows", &m, &st);
    st.mode = TIMELINE_FIT;
    st.zoom = 0;
    bad |= keys("a row down", &m, &st, ACTION_DOWN, target_ms);
    bad |= keys("to the span after, in view", &m, &st, ACTION_SPAN_NEXT, target_ms);
    bad |= keys("to the span after, in its lane", &m, &st, ACTION_LANE_NEXT, target_ms);
    bad |= keys("zoom in", &m, &st, ACTION_PLOT_ZOOM_IN, target_ms);
    bad |= keys("pan", &m, &st, ACTION_PAN_RIGHT, target_ms);
    keys("to the next span of the path", &m, &st, ACTION_NEXT_CRITICAL, 1e9);
    snprintf(st.search, sizeof st.search, "kernel_17<");
    keys("search: next of its hits", &m, &st, ACTION_SEARCH_NEXT, 1e9);
    view_state_end(&st, &view_timeline);
    timeline_free(a.timeline);
    free(a.timeline);
    critical_path_free(&a.path);
    graph_unref(a.trace.calls);
    malloc_trim(0);
    return bad;
}

int main(void)
{
    canvas_init(&c);
    canvas_resize(&c, 160, 48);
    int bad = measure(false) | measure(true);
    canvas_free(&c);
    return bad;
}
