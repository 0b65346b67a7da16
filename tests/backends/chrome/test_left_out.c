/* Events that are left out of a trace are counted by cause, and what can be joined is. The values
 * of the cases are those of shared/fixtures/cases/json. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/trace_text.h"
#include "support/test.h"

#define EVENT(ph, name, more)                                                                      \
    "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1" more "}"
#define SPAN(name, ts, dur) EVENT("X", name, ",\"ts\":" ts ",\"dur\":" dur)
#define ASYNC(ph, pid, ts, id)                                                                     \
    "{\"ph\":\"" ph "\",\"name\":\"a\",\"cat\":\"c\",\"pid\":" pid ",\"tid\":1,\"ts\":" ts "," id  \
    "}"
#define BOUND(name, pid, ts, dur, more)                                                            \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":" pid ",\"tid\":1,\"ts\":" ts ",\"dur\":" dur     \
    ",\"bind_id\":\"0x402\"," more "}"

TEST(each_cause_is_said)
{
    static const struct {
        const char *text, *note; /* NULL: nothing is left out */
        unsigned spans;
    } list[] = {
        {"[" SPAN("k1", "1000", "10") "," SPAN("k2", "1020", "7449450000000000.0") "]",
         "1 record is left out: 1 longer than nine years", 1},
        {"[" SPAN("a", "1", "1e300") "," SPAN("b", "1", "1") "]", "1 longer than nine years", 1},
        {"[" SPAN("k1", "1000", "10") "," SPAN("k2", "1020", "-5") "]",
         "1 record is left out: 1 with an end before its begin", 1},
        {"[" SPAN("a", "1782700000000000001", "1") "," SPAN("b", "1782700000000000003", "2") "]",
         "2 records are left out: 2 with a time too large for microseconds", 0},
        {"[" EVENT("X", "nodur", ",\"ts\":1000") "," SPAN("ok", "1300", "50") "]",
         "1 record is left out: 1 without a readable time", 1},
        {"[" SPAN("a", "\"300\"", "\"invalid\"") "," SPAN("b", "\"bad\"", "\"50\"") "," SPAN(
             "c", "\"100a\"", "\"50\"") "," SPAN("d", "\"200\"", "\"50a\"") "," SPAN("ok", "1",
                                                                                     "2") "]",
         "4 records are left out: 4 without a readable time", 1},
        {"[" EVENT("B", "open", ",\"ts\":100") "," SPAN("ok", "250", "50") "]",
         "1 record is left out: 1 with a begin and no end", 1},
        {"[" EVENT("E", "x", ",\"ts\":100") "," SPAN("ok", "250", "50") "]",
         "1 record is left out: 1 with an end and no begin", 1},
        {"[" ASYNC("e", "1", "5", "\"id\":1") "," SPAN("ok", "250", "50") "]",
         "1 record is left out: 1 with an end and no begin", 1},
        {"[7," SPAN("ok", "250", "50") ","
                                       "{\"name\":\"no phase\"}]",
         "2 records are left out: 2 without what makes an event", 1},
        {"[" SPAN("ok", "250", "50") ",{\"ph\":\"X\",",
         "1 record is left out: 1 cut off by the end of the file", 1},
        {"[" SPAN("a", "1", "-1") "," SPAN("b", "x", "1"), NULL, 0}, /* not JSON: refused */
        {"[" SPAN("real", "1", "2") ",{}]", NULL, 1},
        {"[" EVENT("M", "process_name", ",\"ts\":null") "," SPAN("ok", "1", "2") "]", NULL, 1},
        {"[" EVENT("i", "instant", ",\"ts\":1") "," SPAN("ok", "1", "2") "]", NULL, 1},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct trace t;
        struct error err = ERROR_INIT;
        int rc = trace_text_open(&t, list[i].text, strlen(list[i].text), false, &err);
        const char *note = rc == 0 && t.nnotes ? t.notes[0] : "";
        if (rc == 0 &&
            (t.spans != list[i].spans || !strstr(note, list[i].note ? list[i].note : "")))
            fail_msg("%zu: %d spans, '%s'", i, (int)t.spans, note);
        if (rc == 0 && !list[i].note && *note)
            fail_msg("%zu: '%s'", i, note);
        trace_free(&t);
    }
}

/* An empty tree has its reason: events without a length. */
TEST(a_file_without_spans_says_why)
{
    static const struct {
        const char *text, *note;
    } list[] = {
        {"[" EVENT("i", "a", ",\"ts\":1") "," EVENT("I", "b", ",\"ts\":2") "," EVENT(
             "C", "c", ",\"ts\":2,\"args\":{\"x\":1}") "," EVENT("M", "process_name", "") "]",
         "nothing in it lasts: its 4 events are instants (2), counters (1) and others without a "
         "length (1): "},
        {"{\"traceEvents\":[]}", "it has no events: "},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct trace t;
        trace_text_read(&t, list[i].text);
        assert_int_equal(t.nnotes, 1);
        assert_memory_equal(t.notes[0], list[i].note, strlen(list[i].note));
        trace_free(&t);
    }
}

/* The bounds of all spans. */
static uint64_t length_of(const struct trace *t)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t i = 0; i < t->calls->nnodes; i++)
        if (t->calls->kind[i] == NODE_FUNCTION) {
            uint64_t end = t->calls->start[i] + t->calls->duration[i];
            first = t->calls->start[i] < first ? t->calls->start[i] : first;
            last = end > last ? end : last;
        }
    return last - first;
}

#define DAY "1769000000000000" /* microseconds: in 2026 */

TEST(a_time_that_was_never_set_makes_no_trace_of_decades)
{
    struct trace t;
    trace_text_read(&t, "[" SPAN("never", "0", "1") "," SPAN("a", DAY, "5") "," SPAN(
                            "b", "1769000000000020", "5") "]");
    assert_int_equal(t.spans, 2);
    assert_int_equal(length_of(&t), 25000);
    assert_string_equal(t.notes[0], "1 record is left out: 1 far from the time of all others");
    trace_free(&t);
    trace_text_read(&t, "[" SPAN("late", "9769000000000000", "1") "," SPAN("a", DAY, "5") "," SPAN(
                            "b", "1769000000000020", "5") "]");
    assert_int_equal(length_of(&t), 25000);
    trace_free(&t);
}

TEST(what_is_no_outlier_stays)
{
    static const char *const texts[] = {
        /* as many far from each other as close */
        "[" SPAN("a", "0", "5") "," SPAN("b", DAY, "5") "]",
        /* a gap of less than an hour */
        "[" SPAN("a", "0", "5") "," SPAN("b", "3500000000", "5") "," SPAN("c", "3500000010",
                                                                          "5") "]",
        /* it lasts until the others */
        "[" SPAN("a", "0", "7200000000") "," SPAN("b", "7200000001", "5") "," SPAN(
            "c", "7200000010", "5") "," SPAN("d", "7200000020", "5") "," SPAN("in", "7199999999",
                                                                              "9") "]",
        /* a gap that is not much longer than the rest: a day, after an hour of spans */
        "[" SPAN("a", "0", "5") "," SPAN("b", "86400000000", "5") "," SPAN(
            "c", "88200000000", "5") "," SPAN("d", "90000000000", "5") "]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trace t;
        trace_text_read(&t, texts[i]);
        if (t.dropped)
            fail_msg("%zu: %s", i, t.notes[0]);
        trace_free(&t);
    }
}

TEST(asynchronous_spans_may_end_in_another_process)
{
    struct trace t;
    trace_text_read(&t, "[" ASYNC("b", "1", "5", "\"id\":\"0x1\"") "," ASYNC("e", "2", "9",
                                                                             "\"id\":\"0x1\"") "]");
    assert_int_equal(t.dropped, 0);
    uint32_t a = trace_text_node(&t, "a", 0);
    assert_int_equal(t.calls->duration[a], 4000);
    trace_free(&t);
    /* each process has its own, where both have a begin and an end */
    trace_text_read(
        &t, "[" ASYNC("b", "1", "5", "\"id\":1") "," ASYNC("b", "2", "6", "\"id\":1") "," ASYNC(
                "e", "1", "9", "\"id\":1") "," ASYNC("e", "2", "20", "\"id\":1") "]");
    assert_int_equal(t.dropped, 0);
    assert_int_equal(t.calls->duration[trace_text_node(&t, "a", 0)], 4000);
    assert_int_equal(t.calls->duration[trace_text_node(&t, "a", 1)], 14000);
    trace_free(&t);
    /* an id that is local to its process */
    trace_text_read(&t, "[" ASYNC("b", "1", "5", "\"id2\":{\"local\":1}") "," ASYNC(
                            "e", "2", "9", "\"id2\":{\"local\":1}") "]");
    assert_int_equal(t.dropped, 2);
    assert_string_equal(t.notes[0], "2 records are left out: 1 with a begin and no end, 1 with an "
                                    "end and no begin");
    trace_free(&t);
}

TEST(arrows_that_spans_name_themselves)
{
    struct trace t;
    trace_text_read(
        &t,
        "[" BOUND("SenderA", "2", "3002", "10", "\"flow_out\":true") "," BOUND(
            "Other", "4", "3200", "500",
            "\"flow_in\":true,\"flow_out\":true") "," BOUND("Some", "5", "3731", "400",
                                                            "\"flow_in\":true") "," BOUND("None",
                                                                                          "6",
                                                                                          "4731",
                                                                                          "400",
                                                                                          "\"flow_"
                                                                                          "in\":"
                                                                                          "false") "]");
    uint32_t a = trace_text_node(&t, "SenderA", 0), other = trace_text_node(&t, "Other", 0);
    uint32_t some = trace_text_node(&t, "Some", 0), none = trace_text_node(&t, "None", 0);
    assert_true(trace_text_edge(&t, a, other, EDGE_DEPENDS));
    assert_true(trace_text_edge(&t, other, some, EDGE_DEPENDS));
    assert_false(trace_text_edge(&t, a, some, EDGE_DEPENDS));
    assert_false(trace_text_edge(&t, some, none, EDGE_DEPENDS));
    trace_free(&t);
}

TEST(paths_of_windows_that_were_not_escaped)
{
    struct trace t;
    trace_text_read(&t, "[" SPAN("C:\\Program Files\\python\\users", "1", "2") "]");
    assert_true(trace_text_node(&t, "C:\\Program Files\\python\\users", 0) != GRAPH_NONE);
    assert_int_equal(t.spans, 1);
    assert_non_null(strstr(t.notes[0], "3 backslashes in its texts are no escapes"));
    trace_free(&t);
}
