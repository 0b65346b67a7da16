/*
 * Reads traces of Chrome, Perfetto and PyTorch's Kineto: JSON, plain or gzip, an array of events or
 * an object that has one. The file is streamed: only what the graph needs is kept.
 *   Sources: "Trace Event Format" (Google, the catapult project); files of PyTorch's profiler.
 */
#include <inttypes.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "engine/trace/trace_json.h"
#include "json/look.h"

/* Recognises an object with a list of events, or cut before that list, and an array of events,
 * which have a phase. */
static bool is_chrome_trace(const char *path, const unsigned char *head, size_t size)
{
    static const char *const members[] = {"traceEvents", "displayTimeUnit", "deviceProperties",
                                          "baseTimeNanoseconds"};
    const char *text = (const char *)head;
    (void)path;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_look_member(text, size, members[i], NULL) == JSON_LOOK_YES)
            return true;
    return json_look_element(text, size, "ph") == JSON_LOOK_YES;
}

/* --- the document --- */

struct chrome_reading {
    struct trace_json in;
    struct json_tokens json;
    struct chrome_store store;
    struct chrome_event *event;
    bool events;    /* an array of events was found */
    uint32_t rank;  /* GRAPH_NONE: unknown */
    uint32_t ranks; /* of the job; 0: unknown */
};

/* Stores an event. Spans that cannot be folded will need three times their present memory at the
 * end of the file. */
static bool store_event(struct chrome_reading *r)
{
    enum { LOOK = 1 << 16, READ = 3 };
    struct chrome_store *s = &r->store;
    chrome_recognise_work(s, r->event);
    chrome_store_event(s, r->event);
    if (s->spans.n % LOOK == 0)
        r->in.text.rc = trace_check_memory(s->trace, s->spans.n / READ, r->in.text.path, r->in.err);
    return r->in.text.rc == 0;
}

/* Reads the events, after the start of the array. */
static enum json_token read_chrome_events(struct chrome_reading *r)
{
    enum json_token t;
    r->events = true;
    while ((t = json_tokens_next(&r->json)) != JSON_ARRAY_END) {
        if (t == JSON_OBJECT) {
            t = chrome_event_read(r->event, &r->json);
            if (t == JSON_OBJECT_END && !store_event(r))
                return JSON_BAD;
            else if (t == JSON_CUT)
                trace_leave_out(r->store.trace, LEFT_CUT, 1);
        } else if (t != JSON_BAD && t != JSON_CUT) {
            t = json_tokens_skip(&r->json, t);
            trace_leave_out(r->store.trace, LEFT_NO_EVENT, 1);
        }
        if (t == JSON_BAD || t == JSON_CUT)
            break;
    }
    return t;
}

/* A number of a rank, or of ranks: digits only, and not more than a job can have. */
static bool read_rank_number(const struct json_tokens *j, enum json_token t, uint32_t *out)
{
    enum { DIGITS = 7 };
    uint32_t n = 0;
    if ((t != JSON_NUMBER && t != JSON_STRING) || j->size == 0 || j->size > DIGITS)
        return false;
    for (size_t i = 0; i < j->size; i++) {
        if (j->text[i] < '0' || j->text[i] > '9')
            return false;
        n = 10 * n + (uint32_t)(j->text[i] - '0');
    }
    *out = n;
    return true;
}

/* Reads {"backend": "nccl", "rank": 3, "world_size": 8, …}. */
static enum json_token read_rank(struct chrome_reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        char key[12] = "";
        if (j->size < sizeof key)
            memcpy(key, j->text, j->size);
        const bool rank = strcmp(key, "rank") == 0, ranks = strcmp(key, "world_size") == 0;
        t = json_tokens_next(j);
        if ((rank || ranks) && !read_rank_number(j, t, rank ? &r->rank : &r->ranks))
            trace_note(r->store.trace, "its %s is no number that a job can have; it is ignored",
                       key);
        t = json_tokens_skip(j, t);
        if (t == JSON_BAD || t == JSON_CUT)
            break;
    }
    return t;
}

static enum json_token read_chrome_member(struct chrome_reading *r)
{
    struct json_tokens *j = &r->json;
    char key[24] = "";
    if (j->size < sizeof key)
        memcpy(key, j->text, j->size);
    enum json_token t = json_tokens_next(j);
    if (strcmp(key, "traceEvents") == 0 && t == JSON_ARRAY)
        return read_chrome_events(r);
    if (strcmp(key, "deviceProperties") == 0)
        return chrome_devices_read(&r->store, j, t);
    if (strcmp(key, "distributedInfo") == 0 && t == JSON_OBJECT)
        return read_rank(r);
    if (strcmp(key, "hip_runtime_version") == 0 || strcmp(key, "roctracer_version") == 0)
        r->store.rocm = true;
    if (strcmp(key, "baseTimeNanoseconds") == 0)
        chrome_value(j, t, 0, &r->store.base);
    return json_tokens_skip(j, t);
}

static enum json_token read_chrome_document(struct chrome_reading *r)
{
    enum json_token t = json_tokens_next(&r->json);
    if (t == JSON_ARRAY) {
        t = read_chrome_events(r);
    } else if (t == JSON_OBJECT) {
        while ((t = json_tokens_next(&r->json)) == JSON_KEY) {
            t = read_chrome_member(r);
            if (t == JSON_BAD || t == JSON_CUT)
                break;
        }
    }
    return t == JSON_BAD || t == JSON_CUT ? t : json_tokens_next(&r->json);
}

/* --- the graph --- */

/* The shift from the file's clock to one without negative times. */
static int64_t clock_shift(const struct chrome_store *s)
{
    const int64_t most = INT64_C(1) << 62;
    int64_t base = s->base > -most && s->base < most ? s->base : 0, first = INT64_MAX;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (s->spans.at[i].start < first && s->spans.at[i].duration != CHROME_OPEN)
            first = s->spans.at[i].start;
    return first < INT64_MAX && first + base < 0 ? -first : base;
}

/* Tells the trace its clock: times between 2001 and 2049 are times of day, as in Kineto's files. */
static void tell_chrome_clock(const struct chrome_reading *r, int64_t add)
{
    const int64_t least = INT64_C(1000000000) * 1000000000, most = least / 2 * 5;
    const struct chrome_store *s = &r->store;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (s->spans.at[i].start < first && s->spans.at[i].duration != CHROME_OPEN)
            first = s->spans.at[i].start;
    bool day = first < INT64_MAX && first >= least - add && first < most - add;
    trace_tell_clock(s->trace, &(struct trace_clock){.host = GRAPH_NONE,
                                                     .rank = r->rank,
                                                     .name = GRAPH_NONE,
                                                     .unix_ns = day ? 0 : GRAPH_UNKNOWN,
                                                     .ranks = r->ranks});
}

/* Notes why nothing in the file can be used. */
static void note_nothing(const struct chrome_store *s, const char *path)
{
    const uint64_t others = s->events - s->instants - s->counters;
    if (s->events == 0)
        trace_note(s->trace, "it has no events: %s", path);
    else
        trace_note(s->trace,
                   "nothing in it lasts: its %" PRIu64 " events are instants (%" PRIu64
                   "), counters (%" PRIu64 ") and others without a length (%" PRIu64 "): %s",
                   s->events, s->instants, s->counters, others, path);
}

static int make_graph(struct chrome_reading *r, const char *path, struct error *err)
{
    struct chrome_store *s = &r->store;
    const uint32_t before = s->trace->calls->nnodes;
    const uint64_t dropped = s->trace->dropped;
    chrome_match(s);
    chrome_leave_outside(s);
    int room = chrome_fold_matched(s, path, err);
    if (room != 0)
        return room;
    int64_t add = clock_shift(s);
    uint32_t edges = s->trace->calls->nedges;
    tell_chrome_clock(r, add);
    chrome_number_devices(s);
    if (chrome_is_numbered(s)) {
        chrome_build_numbered(s, add);
    } else {
        int rc = chrome_build(s, &(struct chrome_way){add, path, err});
        if (rc != 0)
            return rc;
        chrome_build_async(s, add);
        chrome_note_overlaps(s);
    }
    chrome_fold_tell(s, path);
    chrome_link(s, add);
    chrome_divide_grids(s, edges);
    chrome_add_waits(s);
    if (s->trace->calls->nnodes == before && s->trace->dropped == dropped)
        note_nothing(s, path);
    return 0;
}

static int finish_chrome_reading(struct chrome_reading *r, enum json_token t, const char *path,
                                 struct error *err)
{
    if (t == JSON_BAD)
        return json_tokens_error(&r->json, err);
    if (!r->events)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path,
                         t == JSON_CUT ? "it ends before its first event"
                                       : "it has no array of events");
    if (r->json.loose)
        trace_note(
            r->store.trace,
            "%u backslashes in its texts are no escapes: Windows paths that were not escaped; "
            "where \\t, \\n and the like stand in them, those letters are lost",
            r->json.loose);
    if (t == JSON_CUT && r->store.events == 0)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "it ends before its first event");
    return make_graph(r, path, err);
}

static int read_trace(const char *path, struct trace *t, struct error *err)
{
    struct chrome_reading r = {.store = {.trace = t}, .rank = GRAPH_NONE};
    int rc = trace_json_open(&r.in, path, t, err);
    if (rc == 0) {
        r.event = xcalloc(1, sizeof *r.event);
        json_tokens_open(&r.json, &r.in.text);
        rc = finish_chrome_reading(&r, read_chrome_document(&r), path, err);
        json_tokens_close(&r.json);
        free(r.event);
    }
    chrome_store_free(&r.store);
    trace_json_close(&r.in);
    return rc;
}

const struct reader_ops reader_chrome = {
    .name = "chrome",
    .summary = "traces of Chrome, Perfetto and PyTorch (.json)",
    .streams = true,
    .linked = true,
    .recognise = is_chrome_trace,
    .read = read_trace,
};
