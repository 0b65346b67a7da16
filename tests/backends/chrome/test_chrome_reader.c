/* Small traces of each form: what each event becomes, and what happens to wrong ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trace_text.h"
#include "support/test.h"

#define EVENTS(list) "{\"traceEvents\":[" list "]}"
#define SPAN(name, ts, dur)                                                                        \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" ts ",\"dur\":" dur "}"

TEST(a_browsers_trace_whose_writer_was_killed)
{
    struct trace t;
    trace_text_data(&t, "tests/data/chrome/browser.json");
    assert_int_equal(t.spans, 7);
    assert_int_equal(t.dropped, 1); /* the event that was being written when the file was cut off */
    uint32_t main_thread = trace_text_node(&t, "main \xe2\x86\x92 \"one\"", 0);
    uint32_t compositor = trace_text_node(&t, "compositor 3", 0);
    uint32_t parse = trace_text_node(&t, "parse", 0), style = trace_text_node(&t, "style", 0);
    uint32_t fetch = trace_text_node(&t, "fetch", 0), headers = trace_text_node(&t, "headers", 0);
    uint32_t layout = trace_text_node(&t, "layout", 0), paint = trace_text_node(&t, "paint", 0);
    assert_string_equal(graph_name(t.calls, 0), "Renderer");
    assert_int_equal(trace_text_detail(&t, compositor)->thread.id, 3);
    trace_text_is(&t, parse, NODE_FUNCTION, main_thread, 1000000, 400000);
    trace_text_is(&t, style, NODE_FUNCTION, parse, 1100000, 50000);
    trace_text_is(&t, layout, NODE_FUNCTION, main_thread, 1500000, 250000);
    trace_text_is(&t, paint, NODE_FUNCTION, compositor, 1800000, 100000);
    /* it began in style and continued after it: a task */
    trace_text_is(&t, fetch, NODE_TASK, style, 1120000, 1380000);
    trace_text_is(&t, headers, NODE_TASK, fetch, 1130000, 370000);
    assert_int_equal(t.calls->via[fetch], EDGE_LAUNCHES);
    assert_int_equal(t.calls->via[headers], EDGE_CONTAINS);
    /* the arrow leads from the span around its begin to the next span that begins */
    assert_true(trace_text_edge(&t, layout, paint, EDGE_DEPENDS));
    trace_free(&t);
}

TEST(keys_in_any_order)
{
    struct trace t;
    trace_text_read(&t,
                    "{\"baseTimeNanoseconds\": 7000, \"otherData\": {\"ph\": [{\"x\": {}}]},"
                    "\"traceEvents\":[{\"args\":{\"a\":{\"correlation\":9},\"b\":[[1]]},\"dur\":2,"
                    "\"tid\":\"2\",\"ts\":\"1.5\",\"name\":\"late\",\"ph\":\"X\",\"pid\":1,"
                    "\"cat\":\"x\"}],\"stackFrames\":{\"5\":{\"name\":\"main\"}},"
                    "\"traceEvents\":[" SPAN("more", "9", "1") "]}");
    assert_int_equal(t.spans, 2);
    uint32_t late = trace_text_node(&t, "late", 0);
    assert_int_equal(t.calls->start[late], 8500);
    assert_int_equal(t.calls->duration[late], 2000);
    trace_free(&t);
    trace_text_read(&t, "{\"traceEvents\":[" SPAN("a", "9", "1") "],\"baseTimeNanoseconds\":1000}");
    assert_int_equal(t.calls->start[trace_text_node(&t, "a", 0)], 10000);
    trace_free(&t);
}

TEST(spans_nest_by_time_in_whatever_order)
{
    struct trace t;
    trace_text_read(&t,
                    EVENTS(SPAN("c", "12", "3") "," SPAN("b", "10", "10") "," SPAN(
                        "overlaps", "25", "20") "," SPAN("a", "10", "30") "," SPAN("inner", "30",
                                                                                   "2") "," //
                           SPAN("beside", "50", "10") "," SPAN("twin", "10", "10")));
    uint32_t a = trace_text_node(&t, "a", 0), b = trace_text_node(&t, "b", 0);
    uint32_t over = trace_text_node(&t, "overlaps", 0);
    const uint32_t *parent = t.calls->parent;
    assert_int_equal(parent[b], a);
    assert_int_equal(parent[trace_text_node(&t, "twin", 0)], b);
    assert_int_equal(parent[trace_text_node(&t, "c", 0)], trace_text_node(&t, "twin", 0));
    assert_int_equal(parent[over], parent[a]); /* the two overlap: neither contains the other */
    assert_int_equal(parent[trace_text_node(&t, "inner", 0)], over);
    assert_int_equal(parent[trace_text_node(&t, "beside", 0)], parent[a]);
    assert_true(trace_text_edge(&t, over, trace_text_node(&t, "beside", 0), EDGE_SEQUENCE));
    assert_false(trace_text_edge(&t, a, over, EDGE_SEQUENCE));
    trace_free(&t);
}

TEST(times_keep_their_digits)
{
    struct trace t;
    trace_text_read(&t, EVENTS(SPAN("a", "1712195495519689.047",
                                    "63.813") "," SPAN("b", "1712195495519695.812", "53.090")));
    uint32_t a = trace_text_node(&t, "a", 0), b = trace_text_node(&t, "b", 0);
    assert_int_equal(t.calls->start[a], UINT64_C(1712195495519689047));
    assert_int_equal(t.calls->duration[a], 63813);
    assert_int_equal(t.calls->start[b] - t.calls->start[a], 6765);
    trace_free(&t);
    trace_text_read(&t, EVENTS(SPAN("e", "1.7e15", "1e-3")));
    assert_int_equal(t.calls->start[trace_text_node(&t, "e", 0)], UINT64_C(1700000000000000000));
    assert_int_equal(t.calls->duration[trace_text_node(&t, "e", 0)], 1);
    trace_free(&t);
    /* a clock with negative times starts at 0 */
    trace_text_read(&t, EVENTS(SPAN("a", "-5.5", "1") "," SPAN("b", "2", "1")));
    assert_int_equal(t.calls->start[trace_text_node(&t, "a", 0)], 0);
    assert_int_equal(t.calls->start[trace_text_node(&t, "b", 0)], 7500);
    trace_free(&t);
}

/* Kineto's times are times of day, so files of several hosts share a clock. Other clocks start
 * anywhere. */
TEST(only_times_of_a_day_are_taken_for_them)
{
    static const struct {
        const char *ts; /* microseconds */
        bool day;
    } cases[] = {{"1712195495519689", true}, /* in 2024 */
                 {"1000000000000001", true}, /* in 2001 */
                 {"2499999999999999", true},
                 {"999999999999999", false},
                 {"2500000000000001", false},
                 {"5000000", false},
                 {"0", false},
                 {"-7", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace t;
        char text[256];
        snprintf(text, sizeof text, EVENTS(SPAN("a", "%s", "1")), cases[i].ts);
        trace_text_read(&t, text);
        assert_int_equal(t.nfiles, 1);
        const struct trace_file *f = &t.files[0];
        if ((f->clock.unix_ns == 0) != cases[i].day ||
            (!cases[i].day && f->clock.unix_ns != GRAPH_UNKNOWN))
            fail_msg("%s us is %s the time of a day", cases[i].ts,
                     cases[i].day ? "not" : "taken for");
        trace_free(&t);
    }
}

TEST(events_without_a_time_are_counted)
{
    static const char *const bad[] = {
        SPAN("x", "1", "-1"),
        SPAN("x", "1e300", "1"),
        SPAN("x", "NaN", "1"),
        SPAN("x", "1", "99999999999999999999"),
        SPAN("x", "null", "1"),
        SPAN("x", "\"soon\"", "1"),
        "{\"ph\":\"X\",\"name\":\"x\",\"ts\":1}",
        "{\"ph\":\"X\",\"name\":\"x\",\"dur\":1}",
        "{\"ph\":\"B\",\"name\":\"x\"}",
        "{\"ph\":\"B\",\"name\":\"x\",\"ts\":1}",
        "{\"ph\":\"E\",\"name\":\"x\",\"ts\":1}",
        "{\"ph\":\"b\",\"name\":\"x\",\"id\":1,\"ts\":1}",
        "{\"ph\":\"e\",\"name\":\"x\",\"id\":1,\"ts\":1}",
        "{\"name\":\"x\",\"ts\":1,\"dur\":1}",
        "7",
        "[1,[2]]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trace t;
        char text[512];
        snprintf(text, sizeof text, EVENTS("%s," SPAN("good", "5", "1")), bad[i]);
        trace_text_read(&t, text);
        if (t.spans != 1 || t.dropped != 1)
            fail_msg("%s: %d read, %d dropped", bad[i], (int)t.spans, (int)t.dropped);
        trace_free(&t);
    }
}

#define B(name, ts) "{\"ph\":\"B\",\"name\":\"" name "\",\"ts\":" ts "}"
#define E(name, ts) "{\"ph\":\"E\",\"name\":\"" name "\",\"ts\":" ts "}"

TEST(begins_and_ends_in_any_order)
{
    struct trace t;
    trace_text_read(&t, EVENTS(E("a", "9") "," B("b", "2") "," B("a", "1") "," E("b", "3") "," B(
                            "c", "3") "," E("c", "8") "," E("nobody", "20")));
    assert_int_equal(t.spans, 3);
    assert_int_equal(t.dropped, 1);
    uint32_t a = trace_text_node(&t, "a", 0), b = trace_text_node(&t, "b", 0);
    trace_text_is(&t, b, NODE_FUNCTION, a, 2000, 1000);
    trace_text_is(&t, trace_text_node(&t, "c", 0), NODE_FUNCTION, a, 3000, 5000);
    assert_true(trace_text_edge(&t, b, trace_text_node(&t, "c", 0), EDGE_SEQUENCE));
    trace_free(&t);
    /* ends that do not match the innermost span are matched by name */
    trace_text_read(&t, EVENTS(B("a", "1") "," B("b", "2") "," E("a", "5") "," E("b", "7")));
    assert_int_equal(t.calls->duration[trace_text_node(&t, "a", 0)], 4000);
    assert_int_equal(t.calls->duration[trace_text_node(&t, "b", 0)], 5000);
    assert_int_equal(t.dropped, 0);
    trace_free(&t);
}

TEST(the_same_asynchronous_id_in_two_categories)
{
    struct trace t;
    trace_text_read(
        &t,
        EVENTS(
            "{\"ph\":\"b\",\"cat\":\"x\",\"id\":1,\"name\":\"a\",\"ts\":1},"
            "{\"ph\":\"b\",\"cat\":\"y\",\"id\":1,\"name\":\"a\",\"ts\":2},"
            "{\"ph\":\"e\",\"cat\":\"x\",\"id\":1,\"name\":\"a\",\"ts\":11},"
            "{\"ph\":\"e\",\"cat\":\"y\",\"id\":1,\"name\":\"a\",\"ts\":22},"
            "{\"ph\":\"S\",\"cat\":\"z\",\"id2\":{\"local\":\"0x1\"},\"name\":\"l\",\"ts\":30},"
            "{\"ph\":\"F\",\"cat\":\"z\",\"id2\":{\"local\":\"0x1\"},\"name\":\"l\",\"ts\":31}"));
    assert_int_equal(t.spans, 3);
    assert_int_equal(t.calls->duration[trace_text_node(&t, "a", 0)], 10000);
    assert_int_equal(t.calls->duration[trace_text_node(&t, "a", 1)], 20000);
    assert_int_equal(t.calls->duration[trace_text_node(&t, "l", 0)], 1000);
    trace_free(&t);
}

#define FLOW(phase, ts, more)                                                                      \
    "{\"ph\":\"" phase                                                                             \
    "\",\"cat\":\"c\",\"name\":\"n\",\"id\":\"q\",\"pid\":1,\"tid\":2,\"ts\":" ts "" more "}"

TEST(arrows_lead_from_step_to_step)
{
    struct trace t;
    trace_text_read(&t, EVENTS(SPAN("a", "0", "10") "," SPAN("b", "20", "10") "," SPAN(
                            "c", "40", "10") "," SPAN("d", "60", "10") "," //
                               FLOW("f", "45", ",\"bp\":\"e\"") "," FLOW("s", "0", "") "," FLOW(
                                   "t", "29", "") "," FLOW("f", "55", "")));
    uint32_t n[4] = {trace_text_node(&t, "a", 0), trace_text_node(&t, "b", 0),
                     trace_text_node(&t, "c", 0), trace_text_node(&t, "d", 0)};
    assert_true(trace_text_edge(&t, n[0], n[1], EDGE_DEPENDS));
    assert_true(trace_text_edge(&t, n[1], n[2], EDGE_DEPENDS));
    assert_true(trace_text_edge(&t, n[1], n[3], EDGE_DEPENDS)); /* the next span that begins */
    assert_false(trace_text_edge(&t, n[0], n[2], EDGE_DEPENDS));
    trace_free(&t);
    /* ends without a begin, and arrows without an end, are ignored */
    trace_text_read(&t,
                    EVENTS(SPAN("a", "10", "10") "," FLOW("f", "15", "") "," FLOW("t", "1", "")));
    assert_int_equal(t.calls->nedges, 0);
    assert_int_equal(t.dropped, 0);
    trace_free(&t);
}

TEST(packed_traces)
{
    static const char text[] = EVENTS(SPAN("packed", "1", "2"));
    struct error err = ERROR_INIT;
    struct trace t;
    char path[64], *file = malloc(4096);
    assert_int_equal(trace_text_open(&t, text, sizeof text - 1, true, &err), 0);
    assert_int_equal(t.spans, 1);
    trace_free(&t);
    /* several gzip members, and zeros that pad a block */
    trace_text_file(path, text, 20, true);
    FILE *f = fopen(path, "rb");
    size_t n = fread(file, 1, 2048, f);
    fclose(f);
    remove(path);
    trace_text_file(path, text + 20, sizeof text - 1 - 20, true);
    f = fopen(path, "rb");
    size_t second = fread(file + n, 1, 2048, f);
    fclose(f);
    remove(path);
    memset(file + n + second, 0, 64);
    assert_int_equal(trace_text_open(&t, file, n + second + 64, false, &err), 0);
    assert_int_equal(t.spans, 1);
    trace_free(&t);
    /* cut off: what was read so far counts */
    assert_int_equal(trace_text_open(&t, file, n + second - 10, false, &err), 0);
    assert_int_equal(t.dropped, 0);
    trace_free(&t);
    file[n + second - 6] ^= 0x55; /* damages its checksum */
    assert_int_equal(trace_text_open(&t, file, n + second, false, &err), -EINVAL);
    assert_non_null(strstr(err.why, "damaged near byte"));
    trace_free(&t);
    free(file);
}

static void refused(const char *text, const char *where, const char *why)
{
    struct error err = ERROR_INIT;
    struct trace t;
    int rc = trace_text_open(&t, text, strlen(text), false, &err);
    if (rc != -EINVAL || !strstr(err.what, where) || !strstr(err.why, why))
        fail_msg("%s: %d %s %s", text, rc, err.what, err.why);
    trace_free(&t);
}

TEST(malformed_traces_are_refused)
{
    refused("{\"traceEvents\":[\n{\"ph\" \"X\"}]}", ":2:7", "a colon was expected");
    refused("[{\"ph\":\"X\"}\n{\"ph\":\"X\"}]", ":2:1", "a comma or ]");
    refused("{\"traceEvents\":[]}}", ":1:19", "follows the end");
    refused("{\"displayTimeUnit\":\"ms\"}", "rooftop-trace", "no array of events");
    refused("{\"traceEvents\":{\"a\":1}}", "rooftop-trace", "no array of events");
    refused("{\"traceEvents\":", "rooftop-trace", "ends before its first event");
    refused("{\"traceEvents\":[", "rooftop-trace", "ends before its first event");
    refused("[{\"ph\":\"X\", ", "rooftop-trace", "ends before its first event");
    char deep[600] = "{\"traceEvents\":[{\"ph\":\"X\",\"args\":{\"a\":";
    memset(deep + strlen(deep), '[', 200);
    refused(deep, ":1:163", "more than 128 objects and arrays");
}

TEST(every_truncation_keeps_what_was_read)
{
    static const char text[] = "[" SPAN("a", "1", "2") "," SPAN("b", "5", "2") "]";
    size_t first = sizeof "[" SPAN("a", "1", "2") - 1;
    for (size_t n = first; n < sizeof text; n++) {
        struct error err = ERROR_INIT;
        struct trace t;
        assert_int_equal(trace_text_open(&t, text, n, false, &err), 0);
        bool both = n >= sizeof text - 2, inside = n > first + 1 && !both;
        if (t.spans != 1u + both || t.dropped != inside)
            fail_msg("%zu bytes: %d spans, %d dropped", n, (int)t.spans, (int)t.dropped);
        trace_free(&t);
    }
}

TEST(traces_are_recognised_by_content)
{
    static const struct {
        const char *head;
        bool is;
    } list[] = {
        {"{\"traceEvents\":[]}", true},
        {"\xef\xbb\xbf \n{\"schemaVersion\":1,\"deviceProperties\":[", true},
        {"{\"schemaVersion\":1,\"other\":{\"traceEvents\":[]}}", false},
        {"  {\"displayTimeUnit\" : \"ms\"", true},
        {"[\n  {\"pid\":1,\"ph\":", true},
        {"[{\"name\":\"x\",\"ph\":\"X\"", true},
        {"[]", false},
        {"[1,2,\"ph\"]", false},
        {"{\"schema\":\"rooftop.tree/1\"}", false},
        {"traceEvents", false},
        {"", false},
        {"\x1f\x8b\x08\x00garbage", false},
    };
    extern const struct reader_ops reader_chrome;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (reader_chrome.recognise("", (const unsigned char *)list[i].head,
                                    strlen(list[i].head)) != list[i].is)
            fail_msg("%s", list[i].head);
}

static bool twice(void *ctx, const char *path, uint64_t done, uint64_t total)
{
    unsigned *calls = ctx;
    assert_true(done <= total && *path);
    return ++*calls < 2;
}

TEST(reading_can_be_given_up)
{
    enum { SIZE = 12 << 20 };
    char *text = malloc(SIZE), path[64];
    const char *paths[] = {path};
    struct error err = ERROR_INIT;
    unsigned calls = 0;
    struct trace t = {.watch = twice, .watch_ctx = &calls};
    memset(text, ' ', SIZE);
    text[snprintf(text, SIZE, "{\"traceEvents\":[")] = ' ';
    trace_text_file(path, text, SIZE, false);
    assert_int_equal(trace_open(&t, paths, 1, &err), -ECANCELED);
    assert_int_equal(calls, 2);
    assert_int_equal(err.code, ECANCELED);
    trace_free(&t);
    remove(path);
    free(text);
}
