/* The index of a timeline and its cells; compared with a loop over all spans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "export/timeline_export.h"
#include "support/made_timeline.h"
#include "support/test.h"

static bool critical(const struct made_timeline *p, uint32_t v)
{
    for (uint32_t i = 0; i < p->way.nsteps; i++)
        if (p->way.steps[i].node == v)
            return true;
    return false;
}

static uint64_t inside(const struct made_timeline *p, uint32_t v, uint64_t time)
{
    uint64_t begin = p->g->start[v], end = timeline_end(p->g, v);
    time = time < begin ? begin : time;
    return time > end ? end : time;
}

/* Whether the part of a step of the path that is inside v lies in [t0, t1). */
static bool path_in(const struct made_timeline *p, uint32_t v, uint64_t t0, uint64_t t1)
{
    for (uint32_t i = 0; i < p->way.nsteps; i++) {
        const struct critical_step *s = &p->way.steps[i];
        uint64_t from = inside(p, v, p->way.begin + s->start);
        uint64_t to = inside(p, v, p->way.begin + s->start + s->length);
        if (s->node == v && from < t1 && (to > t0 || from >= t0))
            return true;
    }
    return false;
}

static struct timeline_cell look_cell(const struct made_timeline *p, uint32_t row, uint64_t t0,
                                      uint64_t t1)
{
    struct timeline_cell c = {.longest = GRAPH_NONE};
    uint64_t longest = 0;
    for (uint32_t i = p->t.row_first[row]; i < p->t.row_first[row + 1]; i++) {
        uint32_t v = p->t.spans[i];
        uint64_t a = p->g->start[v], b = timeline_end(p->g, v);
        if (a >= t1 || (b <= t0 && a < t0))
            continue;
        a = a < t0 ? t0 : a;
        b = b > t1 ? t1 : b;
        c.first = c.count ? c.first : a;
        c.last = b;
        c.busy += b - a;
        c.count++;
        c.critical |= path_in(p, v, t0, t1);
        if (c.longest == GRAPH_NONE || b - a > longest) {
            c.longest = v;
            longest = b - a;
        }
    }
    return c;
}

static void same_cell(const struct timeline_cell *a, const struct timeline_cell *b)
{
    assert_int_equal(a->count, b->count);
    assert_true(a->busy == b->busy);
    assert_true(a->first == b->first && a->last == b->last);
    assert_int_equal(a->longest, b->longest);
    assert_int_equal(a->critical, b->critical);
}

TEST(rows_hold_every_span_once_in_order_and_apart)
{
    EACH_TIMELINE
    {
        const struct timeline *t = &p->t;
        uint32_t timed = 0, spans = 0;
        for (uint32_t i = 0; i < p->n; i++) {
            bool known =
                p->spans[i].start != GRAPH_UNKNOWN && p->spans[i].duration != GRAPH_UNKNOWN;
            timed += known;
            assert_true(known == (t->row_of[p->node[i]] != GRAPH_NONE));
            uint32_t up = p->spans[i].parent;
            if (!known)
                continue;
            assert_int_equal(t->spans[timeline_place(t, p->node[i])], p->node[i]);
            if (up < MADE_LANES || t->row_of[p->node[up - MADE_LANES]] == GRAPH_NONE ||
                timeline_order(p->g, p->node[up - MADE_LANES], p->node[i]) > 0 ||
                timeline_end(p->g, p->node[up - MADE_LANES]) <= p->spans[i].start)
                continue;
            assert_true(t->row_of[p->node[i]] > t->row_of[p->node[up - MADE_LANES]]);
        }
        assert_int_equal(t->nspans, timed);
        assert_int_equal(t->untimed, p->n - timed);
        for (uint32_t l = 0; l < t->nlanes; l++)
            for (uint32_t r = t->lanes[l].first_row; r < t->lanes[l].first_row + t->lanes[l].nrows;
                 r++) {
                assert_int_equal(timeline_lane_of_row(t, r), l);
                assert_true(t->row_first[r] < t->row_first[r + 1]);
                for (uint32_t i = t->row_first[r]; i < t->row_first[r + 1]; i++, spans++) {
                    assert_int_equal(t->row_of[t->spans[i]], r);
                    if (i > t->row_first[r]) {
                        uint64_t end = timeline_end(p->g, t->spans[i - 1]);
                        assert_true(end <= p->g->start[t->spans[i]]);
                    }
                }
            }
        assert_int_equal(spans, timed);
    }
}

TEST(cells_are_what_lies_in_them)
{
    EACH_TIMELINE
    {
        for (int k = 0; k < 300 && p->t.nrows; k++) {
            uint32_t row = made_random(p->t.nrows);
            uint64_t a = made_time(p, made_shapes[shape].range),
                     b = made_time(p, made_shapes[shape].range);
            if (a == b)
                continue;
            uint64_t t0 = a < b ? a : b, t1 = a < b ? b : a;
            struct timeline_cell got, want = look_cell(p, row, t0, t1);
            timeline_cell(&p->t, row, t0, t1, &got);
            same_cell(&got, &want);
        }
    }
}

TEST(the_cells_of_a_window_share_their_boundaries)
{
    enum { MOST_CELLS = 97 };
    EACH_TIMELINE
    {
        for (int k = 0; k < 20 && p->t.nrows; k++) {
            struct timeline_cell cells[MOST_CELLS];
            uint32_t row = made_random(p->t.nrows), n = 1 + made_random(MOST_CELLS);
            uint64_t a = made_time(p, made_shapes[shape].range),
                     b = made_time(p, made_shapes[shape].range);
            uint64_t from = a < b ? a : b, to = a < b ? b : a;
            timeline_cells(&p->t, row, from, to, n, cells);
            assert_true(timeline_boundary(from, to, n, n) == to);
            for (uint32_t i = 0; i < n; i++) {
                uint64_t t0 = timeline_boundary(from, to, i, n);
                uint64_t t1 = timeline_boundary(from, to, i + 1, n);
                t1 = t1 > t0 || t0 == UINT64_MAX ? t1 : t0 + 1;
                struct timeline_cell want = look_cell(p, row, t0, t1);
                same_cell(&cells[i], &want);
            }
        }
    }
}

/* Lanes, rows and their cells, without numbers of nodes. */
static char *told(const struct made_timeline *p)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    const struct timeline *t = &p->t;
    for (uint32_t l = 0; l < t->nlanes; l++)
        fprintf(f, "%s/%s %u\n", timeline_group_name(t, t->lanes[l].group),
                timeline_lane_name(t, l), t->lanes[l].nspans);
    for (uint32_t r = 0; r < t->nrows; r++)
        for (uint32_t i = t->row_first[r]; i < t->row_first[r + 1]; i++)
            fprintf(f, "%u %s %llu %llu\n", r, graph_name(p->g, t->spans[i]),
                    (unsigned long long)p->g->start[t->spans[i]],
                    (unsigned long long)p->g->duration[t->spans[i]]);
    fclose(f);
    return text;
}

TEST(the_order_of_rows_in_a_file_changes_nothing)
{
    EACH_TIMELINE
    {
        char *before_it = told(p);
        for (int k = 0; k < 3; k++) {
            struct made_timeline *q = made_timeline_shuffled(p);
            char *after_it = told(q);
            assert_string_equal(before_it, after_it);
            free(after_it);
            made_timeline_free(q);
        }
        free(before_it);
    }
}

TEST(lanes_stand_in_order_of_programs_kinds_and_numbers)
{
    struct made_timeline *p = made_timeline(1, 300, 0, 900);
    static const char *const want[] = {"thread 2", "thread 10", "outside", "queue 0", "queue 1"};
    assert_int_equal(p->t.nlanes, 5);
    assert_int_equal(p->t.ngroups, 2);
    for (uint32_t l = 0; l < 5; l++)
        assert_string_equal(timeline_lane_name(&p->t, l), want[l]);
    assert_string_equal(timeline_group_name(&p->t, 0), "python3"); /* it has threads */
    assert_string_equal(timeline_group_name(&p->t, 1), "GPU 0");
    assert_int_equal(p->t.groups[1].first_lane, 3);
    assert_int_equal(p->t.groups[1].nlanes, 2);
    made_timeline_free(p);
}

/* Very many spans at the same time get a row each; finding a row stays quick. */
TEST(everything_at_once_is_a_row_each)
{
    enum { N = 30000 };
    struct graph *g = graph_new();
    uint32_t lane = graph_add(g, NODE_QUEUE, graph_intern(g, "q"), GRAPH_NONE, EDGE_CONTAINS,
                              GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < N; i++)
        graph_add(g, NODE_KERNEL, graph_intern(g, "k"), lane, EDGE_CONTAINS, i, N);
    graph_finish(g);
    struct critical_path way;
    struct timeline t;
    assert_int_equal(critical_path_find(g, &way, NULL), 0);
    assert_int_equal(timeline_build(&t, g, &way, NULL), 0);
    assert_int_equal(t.nrows, N);
    assert_string_equal(timeline_group_name(&t, 0), "no program");
    assert_true(t.from == 0 && t.to == 2 * N - 1);
    timeline_free(&t);
    critical_path_free(&way);
    graph_unref(g);
}

/* The JSON has every span of the window with its lane, row, times and slack, as the timeline
 * itself has them. */
TEST(the_document_has_every_span)
{
    EACH_TIMELINE
    {
        char *text = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&text, &size);
        timeline_export_json(
            f, &(struct timeline_export){.t = &p->t, .from = p->t.from, .to = p->t.to});
        fclose(f);
        cJSON *j = cJSON_Parse(text);
        if (!j)
            fail_msg("no JSON:\n%.2000s", text);
        const cJSON *lanes = cJSON_GetObjectItem(j, "lanes"),
                    *spans = cJSON_GetObjectItem(j, "spans"), *e;
        assert_int_equal(cJSON_GetArraySize(lanes), p->t.nlanes);
        for (uint32_t l = 0; l < p->t.nlanes; l++) {
            const cJSON *lane = cJSON_GetArrayItem(lanes, (int)l);
            assert_string_equal(cJSON_GetObjectItem(lane, "name")->valuestring,
                                timeline_lane_name(&p->t, l));
            assert_string_equal(cJSON_GetObjectItem(lane, "program")->valuestring,
                                timeline_group_name(&p->t, p->t.lanes[l].group));
            assert_int_equal(cJSON_GetObjectItem(lane, "rows")->valueint, p->t.lanes[l].nrows);
            assert_int_equal(cJSON_GetObjectItem(lane, "spans")->valueint, p->t.lanes[l].nspans);
        }
        uint32_t n = 0;
        cJSON_ArrayForEach(e, spans)
        {
            uint32_t v = (uint32_t)cJSON_GetObjectItem(e, "node")->valuedouble;
            const cJSON *slack = cJSON_GetObjectItem(e, "slack_ns");
            assert_in_range(v, 0, p->g->nnodes - 1);
            assert_string_equal(cJSON_GetObjectItem(e, "name")->valuestring, graph_name(p->g, v));
            assert_string_equal(cJSON_GetObjectItem(e, "kind")->valuestring,
                                node_kind_name(p->g->kind[v]));
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(e, "critical")) == critical(p, v));
            if (p->way.slack[v] == GRAPH_UNKNOWN)
                assert_true(cJSON_IsNull(slack));
            else
                assert_true(slack->valuedouble == (double)p->way.slack[v]);
            if (p->t.to - p->t.from < UINT64_C(1) << 53) {
                assert_true(cJSON_GetObjectItem(e, "start_ns")->valuedouble ==
                            (double)(p->g->start[v] - p->t.from));
                assert_true(cJSON_GetObjectItem(e, "duration_ns")->valuedouble ==
                            (double)(timeline_end(p->g, v) - p->g->start[v]));
            }
            n++;
        }
        assert_int_equal(n, p->t.nspans);
        cJSON_Delete(j);
        free(text);
    }
}

TEST(a_span_costs_few_bytes)
{
    enum { N = 100000 };
    struct graph *g = graph_new();
    uint32_t name = graph_intern(g, "k"), lane[4];
    for (int i = 0; i < 4; i++)
        lane[i] =
            graph_add(g, NODE_QUEUE, name, GRAPH_NONE, EDGE_CONTAINS, GRAPH_UNKNOWN, GRAPH_UNKNOWN);
    for (uint32_t i = 0; i < N; i++)
        graph_add(g, NODE_KERNEL, name, lane[i % 4], EDGE_CONTAINS, 100ull * i, 90);
    graph_finish(g);
    struct critical_path way;
    struct timeline t;
    assert_int_equal(critical_path_find(g, &way, NULL), 0);
    assert_int_equal(timeline_build(&t, g, &way, NULL), 0);
    assert_int_equal(t.nspans, N);
    assert_true(timeline_memory(&t) < 12.1 * N + 4.0 * way.nsteps);
    timeline_free(&t);
    critical_path_free(&way);
    graph_unref(g);
}
