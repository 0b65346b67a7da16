/*
 * The processed format of the Firefox Profiler, which profiler.firefox.com saves and samply writes
 * (docs-developer/processed-profile-format.md of firefox-devtools/profiler). A thread has tables of
 * columns that name each other by index: samples, stacks, frames, functions, texts. Newer files
 * keep the tables in "shared" for all threads.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/samples/samples.h"
#include "base/list.h"
#include "base/watch.h"
#include "json/json.h"
#include "json/look.h"

enum firefox_column {
    SAMPLE_STACK,
    SAMPLE_WEIGHT,
    STACK_FRAME,
    STACK_PREFIX,
    FRAME_FUNCTION,
    FRAME_INLINE,
    FUNCTION_NAME,
    FUNCTION_RESOURCE,
    FUNCTION_FILE,
    RESOURCE_NAME,
    FIREFOX_COLUMNS
};
static const struct firefox_row {
    const char *table, *column;
} firefox_rows[FIREFOX_COLUMNS] = {
    [SAMPLE_STACK] = {"samples", "stack"},       [SAMPLE_WEIGHT] = {"samples", "weight"},
    [STACK_FRAME] = {"stackTable", "frame"},     [STACK_PREFIX] = {"stackTable", "prefix"},
    [FRAME_FUNCTION] = {"frameTable", "func"},   [FRAME_INLINE] = {"frameTable", "inlineDepth"},
    [FUNCTION_NAME] = {"funcTable", "name"},     [FUNCTION_RESOURCE] = {"funcTable", "resource"},
    [FUNCTION_FILE] = {"funcTable", "fileName"}, [RESOURCE_NAME] = {"resourceTable", "name"},
};

struct firefox_tables {
    struct numbers {
        double *v; /* NAN: null */
        size_t n, cap;
    } columns[FIREFOX_COLUMNS];
    const char **texts;
    size_t ntexts, texts_cap;
    char weight[16]; /* weightType of samples */
};

struct firefox_reading {
    struct json json;
    struct hot_profile *profile;
    struct arena memory;
    struct firefox_tables shared, own;
    int32_t *shared_nodes; /* of the stacks in shared, as make_firefox_node has them; or NULL */
    int64_t *chain;        /* stacks that have no node yet, the innermost first */
    size_t chain_cap;
    const struct firefox_row *torn; /* a column in which a row was asked for that is not there */
    bool any;
};

static bool is_firefox_profile(const char *path, const unsigned char *head, size_t size)
{
    const char *text = (const char *)head;
    (void)path;
    return json_look_member(text, size, "meta", NULL) == JSON_LOOK_YES &&
           json_look_member(text, size, "threads", NULL) == JSON_LOOK_YES;
}

static void read_firefox_column(struct json *j, struct numbers *to)
{
    if (!json_array(j))
        return;
    while (json_item(j)) {
        double v = NAN;
        if (json_type(j) == 'n')
            json_skip(j);
        else
            v = json_double(j, "column");
        LIST_ADD(to->v, to->n, to->cap, v);
    }
}

static void read_firefox_texts(struct firefox_reading *r, struct firefox_tables *t)
{
    if (json_array(&r->json))
        while (json_item(&r->json))
            LIST_ADD(t->texts, t->ntexts, t->texts_cap,
                     json_text(&r->json, "stringArray", &r->memory));
}

/* Reads the columns of a table that are wanted. */
static void read_firefox_table(struct firefox_reading *r, struct firefox_tables *t,
                               const char *table)
{
    struct json *j = &r->json;
    char key[24];
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        int c = 0;
        while (c < FIREFOX_COLUMNS && (strcmp(firefox_rows[c].table, table) != 0 ||
                                       strcmp(firefox_rows[c].column, key) != 0))
            c++;
        if (c < FIREFOX_COLUMNS)
            read_firefox_column(j, &t->columns[c]);
        else if (strcmp(key, "schema") == 0)
            json_fail(j, json_at(j), "this is Gecko's own format, as Firefox writes it");
        else if (strcmp(table, "samples") == 0 && strcmp(key, "weightType") == 0)
            json_copy(j, "weightType", t->weight, sizeof t->weight);
        else
            json_skip(j);
    }
}

/* Reads the tables of a thread, or of "shared". */
static void read_firefox_tables(struct firefox_reading *r, struct firefox_tables *t)
{
    struct json *j = &r->json;
    char key[24];
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        const char type = json_type(j);
        bool table = false;
        for (int c = 0; c < FIREFOX_COLUMNS; c++)
            table |= strcmp(firefox_rows[c].table, key) == 0;
        if (table && type == '{')
            read_firefox_table(r, t, key);
        else if (type == '[' &&
                 (strcmp(key, "stringArray") == 0 || strcmp(key, "stringTable") == 0))
            read_firefox_texts(r, t);
        else
            json_skip(j);
    }
}

static void forget_firefox_tables(struct firefox_tables *t)
{
    for (int c = 0; c < FIREFOX_COLUMNS; c++)
        free(t->columns[c].v);
    free(t->texts);
    *t = (struct firefox_tables){.ntexts = 0};
}

/* --- samples --- */

/* The thread's column, or that of all threads. */
static const struct numbers *column_of_firefox(const struct firefox_reading *r,
                                               enum firefox_column c)
{
    return r->own.columns[c].n ? &r->own.columns[c] : &r->shared.columns[c];
}

/* The number at an index; -1: null, -1 (as the format writes "none"), or the file does not have
 * the column. */
static int64_t firefox_number(struct firefox_reading *r, enum firefox_column c, int64_t at)
{
    const struct numbers *from = column_of_firefox(r, c);
    if (at < 0 || from->n == 0)
        return -1;
    const double v = (uint64_t)at < from->n ? from->v[at] : -2;
    if (v >= 0 && v <= UINT32_MAX)
        return (int64_t)v;
    if (!isnan(v) && v != -1 && !r->torn)
        r->torn = &firefox_rows[c];
    return -1;
}

static const char *firefox_text(struct firefox_reading *r, enum firefox_column c, int64_t at)
{
    const struct firefox_tables *t = r->own.ntexts ? &r->own : &r->shared;
    const int64_t text = firefox_number(r, c, at);
    if (text < 0)
        return "";
    if ((uint64_t)text < t->ntexts)
        return t->texts[text];
    if (!r->torn)
        r->torn = &firefox_rows[c];
    return "";
}

static uint32_t symbol_of_firefox_frame(struct firefox_reading *r, int64_t frame)
{
    const int64_t function = firefox_number(r, FRAME_FUNCTION, frame);
    struct hot_symbol s = {.path = ""};
    samples_object(&s,
                   firefox_text(r, RESOURCE_NAME, firefox_number(r, FUNCTION_RESOURCE, function)));
    s.name = firefox_text(r, FUNCTION_NAME, function);
    s.file = firefox_text(r, FUNCTION_FILE, function);
    s.inlined = firefox_number(r, FRAME_INLINE, frame) > 0;
    if (s.name[0] == '\0') {
        s.name = "[unknown]";
        s.where = HOT_UNKNOWN;
    }
    return hot_profile_symbol(r->profile, &s);
}

/* Nodes of the stacks that the thread's samples name; none is made yet. Not for stacks of shared
 * that have some from an earlier thread: so each stack is made once, whatever number of threads. */
static int32_t *open_firefox_nodes(struct firefox_reading *r)
{
    const bool shared = r->own.columns[STACK_FRAME].n == 0 &&
                        r->own.columns[FRAME_FUNCTION].n == 0 &&
                        r->own.columns[FUNCTION_NAME].n == 0 && r->own.ntexts == 0;
    if (shared && r->shared_nodes)
        return r->shared_nodes;
    const size_t n = column_of_firefox(r, STACK_FRAME)->n;
    int32_t *nodes = xcalloc(n + 1, sizeof *nodes);
    for (size_t i = 0; i < n; i++)
        nodes[i] = -1;
    if (shared)
        r->shared_nodes = nodes;
    return nodes;
}

/* The node of a stack, made with those of its callers that have none. -1 after an error. */
static int32_t make_firefox_node(struct firefox_reading *r, int32_t *nodes, int64_t stack,
                                 size_t where)
{
    const size_t nstacks = column_of_firefox(r, STACK_FRAME)->n;
    size_t n = 0;
    bool right = (uint64_t)stack < nstacks;
    for (int64_t at = stack, prefix; right && at >= 0 && nodes[at] < 0; at = prefix) {
        prefix = firefox_number(r, STACK_PREFIX, at);
        right = prefix < at && !watch_stops(n);
        LIST_ADD(r->chain, n, r->chain_cap, at);
    }
    if (r->json.rc == 0)
        r->json.rc = watch_check(r->json.file, r->json.err);
    if (!right)
        json_fail(&r->json, where,
                  "this thread's stacks are damaged: one names a later one, or "
                  "one that is not there");
    if (r->json.rc != 0)
        return -1;
    for (int64_t at; n > 0; n--) {
        at = r->chain[n - 1];
        const int64_t prefix = firefox_number(r, STACK_PREFIX, at);
        nodes[at] =
            hot_profile_node(r->profile, prefix < 0 ? -1 : nodes[prefix],
                             symbol_of_firefox_frame(r, firefox_number(r, STACK_FRAME, at)));
    }
    return nodes[stack];
}

/* What the thread's samples weigh. False: another unit than the first thread's.
 */
static bool choose_firefox_weight(struct firefox_reading *r, double *scale)
{
    struct hot_stacks *s = &r->profile->stacks;
    const bool ms = strcmp(r->own.weight, "tracing-ms") == 0;
    uint8_t weight = HOT_SAMPLES;
    *scale = 1;
    samples_unit(ms ? "milliseconds" : r->own.weight, strlen(ms ? "milliseconds" : r->own.weight),
                 &weight, scale);
    if (!r->any)
        s->weight = weight;
    r->any = true;
    return s->weight == weight;
}

static void add_firefox_samples(struct firefox_reading *r, size_t where)
{
    const struct numbers *samples = &r->own.columns[SAMPLE_STACK],
                         *weights = &r->own.columns[SAMPLE_WEIGHT];
    double scale;
    if (samples->n == 0)
        return;
    if (!choose_firefox_weight(r, &scale)) {
        r->profile->left_out += samples->n;
        return;
    }
    if (weights->n && weights->n != samples->n)
        json_fail(&r->json, where, "this thread has %zu samples and %zu weights", samples->n,
                  weights->n);
    int32_t *nodes = open_firefox_nodes(r);
    for (size_t i = 0; i < samples->n && r->json.rc == 0 && !r->profile->full; i++) {
        const int64_t stack = firefox_number(r, SAMPLE_STACK, (int64_t)i);
        const int32_t node = stack < 0 ? -1 : make_firefox_node(r, nodes, stack, where);
        const double weight = (weights->n ? weights->v[i] : 1) * scale;
        uint64_t whole;
        if (!samples_weight(weight, r->profile->stacks.weight, &whole))
            json_fail(&r->json, where, "the weight of sample %zu of this thread is %g", i, weight);
        else if (r->torn)
            json_fail(
                &r->json, where,
                "%s.%s of this thread's tables is asked for, or names, a row that is not there",
                r->torn->table, r->torn->column);
        else if (r->json.rc == 0)
            hot_profile_add(r->profile, node, whole);
    }
    if (nodes != r->shared_nodes)
        free(nodes);
}

static void read_firefox_threads(struct firefox_reading *r)
{
    if (!json_array(&r->json))
        return;
    while (json_item(&r->json)) {
        const size_t where = json_at(&r->json);
        read_firefox_tables(r, &r->own);
        if (r->json.rc == 0)
            add_firefox_samples(r, where);
        forget_firefox_tables(&r->own);
    }
}

/* Reads "shared" first, wherever it is in the document; then the threads. */
static int read_firefox_part(struct firefox_reading *r, const struct samples_text *text,
                             const char *path, bool shared, struct error *err)
{
    struct json *j = &r->json;
    char key[16];
    json_open(j, path, text->p, text->n, err);
    j->help = "open it in profiler.firefox.com, and save it there";
    if (json_object(j))
        while (json_key(j, key, sizeof key)) {
            if (shared && strcmp(key, "shared") == 0)
                read_firefox_tables(r, &r->shared);
            else if (!shared && strcmp(key, "threads") == 0)
                read_firefox_threads(r);
            else
                json_skip(j);
        }
    json_end(j);
    json_close(j);
    return j->rc;
}

static int read_firefox(const char *path, struct trace *t, struct error *err)
{
    struct firefox_reading r = {.profile = hot_profile_new()};
    struct samples_text text;
    int rc = samples_text_read(&text, path, t, err);
    if (rc == 0)
        rc = read_firefox_part(&r, &text, path, true, err);
    if (rc == 0)
        rc = read_firefox_part(&r, &text, path, false, err);
    free(text.p);
    forget_firefox_tables(&r.own);
    forget_firefox_tables(&r.shared);
    arena_free(&r.memory);
    free(r.shared_nodes);
    free(r.chain);
    return samples_finish(r.profile, rc, path, t, err);
}

const struct reader_ops reader_firefox = {
    .name = "Firefox Profiler",
    .summary = "",
    .streams = true,
    .samples = true,
    .recognise = is_firefox_profile,
    .read = read_firefox,
};
