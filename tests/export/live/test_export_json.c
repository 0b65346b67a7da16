#include <stdlib.h>
#include <string.h>

#include "engine/value/document.h"
#include "export/live/export_json.h"
#include "export/live/syscalls_snapshot_export.h"
#include "support/json_schema.h"
#include "support/sample_snapshot.h"
#include "support/scenes.h"
#include "support/syscalls_snapshot_scene.h"
#include "support/test.h"

static cJSON *load_schema(void)
{
    cJSON *schema = json_file("docs/snapshot.schema.json");
    assert_non_null(schema);
    return schema;
}

static void expect_valid(const cJSON *doc)
{
    char why[512];
    cJSON *schema = load_schema();
    if (!json_schema_check(schema, doc, why, sizeof why))
        fail_msg("%s", why);
    cJSON_Delete(schema);
}

static cJSON *exported(struct snapshot *s, bool indented)
{
    char *text = export_json_text(s, "0.0-test", indented);
    cJSON *doc = cJSON_Parse(text); /* as a reader sees it */
    assert_non_null(doc);
    if (!indented)
        assert_null(strchr(text, '\n'));
    free(text);
    snapshot_unref(s);
    return doc;
}

static const cJSON *at(const cJSON *doc, const char *list, int i, const char *key)
{
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(doc, list);
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(a, i), key);
}

TEST(full_snapshot_fits_the_schema)
{
    cJSON *doc = exported(sample_snapshot(), true);
    expect_valid(doc);
    cJSON_Delete(doc);
    doc = exported(sample_snapshot(), false);
    expect_valid(doc);
    cJSON_Delete(doc);
}

TEST(first_snapshot_fits_the_schema)
{
    cJSON *doc = exported(sample_first_snapshot(), false);
    expect_valid(doc);
    const cJSON *interval = cJSON_GetObjectItem(doc, "interval");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(interval, "value")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(doc, "command")));
    assert_true(
        cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(doc, "host"), "perf_event_paranoid")));
    cJSON_Delete(doc);
}

TEST(missing_is_null_with_a_reason)
{
    cJSON *doc = exported(sample_snapshot(), false);
    const cJSON *v = at(doc, "counters", 2, "delta");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(v, "value")));
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(v, "valid")));
    assert_string_equal(cJSON_GetObjectItem(v, "why")->valuestring,
                        "EACCES, \"msr\" needs CAP_SYS_RAWIO");
    v = at(doc, "processes", 1, "cpu_percent");
    assert_string_equal(cJSON_GetObjectItem(v, "why")->valuestring, "needs a second sample");
    cJSON_Delete(doc);
}

TEST(scaled_values_tell_their_share)
{
    cJSON *doc = exported(sample_snapshot(), false);
    const cJSON *v = at(doc, "metrics", 0, "result");
    assert_true(cJSON_GetObjectItem(v, "running")->valuedouble == 0.25);
    const cJSON *flags = cJSON_GetObjectItem(v, "flags");
    assert_int_equal(cJSON_GetArraySize(flags), 3);
    assert_string_equal(cJSON_GetArrayItem(flags, 0)->valuestring, "scaled");
    assert_string_equal(cJSON_GetArrayItem(flags, 1)->valuestring, "low_confidence");
    assert_string_equal(cJSON_GetArrayItem(flags, 2)->valuestring, "cross_group");
    assert_null(cJSON_GetObjectItem(at(doc, "counters", 0, "delta"), "running"));
    cJSON_Delete(doc);
}

TEST(ended_devices_and_threads_are_told)
{
    cJSON *doc = exported(sample_snapshot(), false);
    const cJSON *account = cJSON_GetObjectItem(doc, "cpu_account");
    const cJSON *ended = cJSON_GetObjectItem(account, "ended");
    assert_true(cJSON_GetObjectItem(ended, "value")->valuedouble == 37.25);
    assert_int_equal(cJSON_GetObjectItem(account, "parent")->valueint, 4242);
    assert_string_equal(at(doc, "io", 0, "kind")->valuestring, "network");
    assert_string_equal(at(doc, "io", 1, "kind")->valuestring, "disk");
    assert_true(cJSON_GetObjectItem(at(doc, "io", 1, "out"), "value")->valuedouble == 4096);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(at(doc, "io", 0, "out"), "value")));
    assert_int_equal(at(doc, "threads", 1, "tid")->valueint, 4250);
    assert_int_equal(at(doc, "threads", 1, "pid")->valueint, 4242);
    assert_true(cJSON_GetObjectItem(at(doc, "threads", 0, "cpu_percent"), "value")->valuedouble ==
                75.5);
    cJSON_Delete(doc);
}

TEST(raw_counts_and_numbers_are_exact)
{
    struct snapshot *s = sample_snapshot();
    char *text = export_json_text(s, "0", false);
    assert_non_null(strstr(text, "\"count\":18446744073709551615,"));
    assert_non_null(strstr(text, "\"time\":\"2025-11-21T00:02:29.000000007Z\""));
    free(text);
    cJSON *doc = exported(s, false);
    const cJSON *busy = at(doc, "cpus", 0, "busy");
    assert_true(cJSON_GetObjectItem(busy, "value")->valuedouble == 0.1 + 0.2);
    assert_true(cJSON_IsNull(at(doc, "cpus", 1, "core")));
    assert_int_equal(at(doc, "cpus", 1, "id")->valueint, 3);
    const cJSON *per_cpu = at(doc, "counters", 0, "per_cpu");
    assert_int_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(per_cpu, 1), "cpu")->valueint, 3);
    cJSON_Delete(doc);
}

TEST(hostile_names_stay_valid_utf8)
{
    cJSON *doc = exported(sample_snapshot(), false);
    assert_string_equal(at(doc, "processes", 1, "comm")->valuestring, "a\xef\xbf\xbd\"b,c\n\033[");
    const char *cmdline = at(doc, "processes", 1, "cmdline")->valuestring;
    char *again = text_utf8(cmdline, strlen(cmdline)); /* the text is valid now */
    assert_string_equal(cmdline, again);
    assert_non_null(strstr(cmdline, "caf\xc3\xa9"));
    free(again);
    const cJSON *command = cJSON_GetObjectItem(doc, "command");
    const cJSON *output = cJSON_GetObjectItem(command, "output");
    assert_string_equal(cJSON_GetObjectItem(output, "tail")->valuestring, "ok\n\xef\xbf\xbd\n");
    assert_int_equal(cJSON_GetObjectItem(command, "signal")->valueint, 9);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(command, "exit_status")));
    cJSON_Delete(doc);
}

TEST(utf8_replaces_what_does_not_decode)
{
    static const struct {
        const char *in;
        size_t len;
        const char *out;
    } cases[] = {
        {"plain", 5, "plain"},
        {"", 0, ""},
        {"a\0b", 3,
         "a\xef\xbf\xbd"
         "b"},
        {"\xc3", 1, "\xef\xbf\xbd"},                                 /* the sequence is cut off */
        {"\xc0\x80", 2, "\xef\xbf\xbd\xef\xbf\xbd"},                 /* overlong */
        {"\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
        {"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
        {"\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = text_utf8(cases[i].in, cases[i].len);
        assert_string_equal(out, cases[i].out);
        free(out);
    }
}

TEST(numbers_survive_a_round_trip)
{
    static const double cases[] = {0, 1, -1, 0.1, 1.0 / 3, 1e300, 5e-324, 1.5e19, 123456789.123};
    char buf[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(strtod(number_text(cases[i], buf), NULL) == cases[i]);
    assert_string_equal(number_text(0.1, buf), "0.1");
}

/* The validator must refuse a document with a member too many, one with a member too few, and one
 * with a wrong type. */
TEST(functions_are_a_flat_list)
{
    cJSON *doc = exported(sample_snapshot(), false);
    const cJSON *f = cJSON_GetObjectItem(doc, "functions");
    const cJSON *list = cJSON_GetObjectItem(f, "list");
    assert_string_equal(cJSON_GetObjectItem(f, "event")->valuestring, "cpu-clock");
    assert_string_equal(cJSON_GetObjectItem(f, "call_graph")->valuestring, "dwarf");
    assert_int_equal(cJSON_GetObjectItem(f, "lost")->valueint, 2);
    assert_int_equal(cJSON_GetArraySize(list), 3);
    const cJSON *hot = cJSON_GetArrayItem(list, 0), *main = cJSON_GetArrayItem(list, 1);
    assert_int_equal(cJSON_GetObjectItem(hot, "self")->valueint, 6);
    assert_int_equal(cJSON_GetObjectItem(hot, "total")->valueint, 7);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(hot, "inlined")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(hot, "file")));
    assert_string_equal(cJSON_GetObjectItem(main, "name")->valuestring, "main");
    assert_int_equal(cJSON_GetObjectItem(main, "line")->valueint, 3);
    const cJSON *share = cJSON_GetObjectItem(main, "total_share");
    assert_true(cJSON_GetObjectItem(share, "value")->valuedouble == 100);
    cJSON_Delete(doc);
    doc = exported(sample_first_snapshot(), false);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(doc, "functions")));
    cJSON_Delete(doc);
}

TEST(instrumented_programs_are_told)
{
    cJSON *doc = exported(scene("bricks", 3), false);
    expect_valid(doc);
    const cJSON *b = cJSON_GetObjectItem(doc, "bricks");
    assert_string_equal(at(b, "programs", 0, "name")->valuestring, "transformer");
    assert_string_equal(at(b, "programs", 2, "state")->valuestring, "crashed");
    assert_string_equal(at(b, "roofs", 1, "name")->valuestring, "avx512");
    assert_string_equal(at(b, "points", 0, "name")->valuestring, "DownProjection");
    assert_string_equal(at(b, "points", 0, "bound")->valuestring, "memory");
    double reached = cJSON_GetObjectItem(at(b, "points", 0, "of_roof"), "value")->valuedouble;
    assert_float_equal(reached, 100 * 6.291456 / 0.520 / 18, 0.01);
    const cJSON *pass = cJSON_GetObjectItem(b, "pass");
    assert_int_equal(cJSON_GetObjectItem(pass, "steps")->valueint, 9);
    cJSON_Delete(doc);
    doc = exported(scene("vm", 1), false);
    expect_valid(doc);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(doc, "bricks")));
    cJSON_Delete(doc);
}

/* The member that the view of system calls adds, in each of its states. */
TEST(system_calls_fit_the_schema)
{
    for (int kind = 0; kind <= SYSCALLS_FAILED + 1; kind++) {
        struct syscalls_snapshot *p = kind > SYSCALLS_FAILED
                                          ? syscalls_stacks_scene()
                                          : syscalls_snapshot_scene((enum syscalls_state)kind, 3);
        cJSON *doc = exported(sample_snapshot(), false), *calls = syscalls_snapshot_json(p);
        assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(calls, "calls")) > 0);
        cJSON_AddItemToObject(doc, "syscalls", calls);
        char *text = cJSON_PrintUnformatted(doc);
        cJSON_Delete(doc);
        doc = cJSON_Parse(text);
        expect_valid(doc);
        free(text);
        cJSON_Delete(doc);
        syscalls_snapshot_unref(p);
    }
}

TEST(schema_refuses_what_is_wrong)
{
    char why[512];
    cJSON *schema = load_schema();
    cJSON *doc = exported(sample_snapshot(), false);
    cJSON_AddNumberToObject(doc, "surprise", 1);
    assert_false(json_schema_check(schema, doc, why, sizeof why));
    cJSON_DeleteItemFromObject(doc, "surprise");
    cJSON_DeleteItemFromObject(doc, "cost");
    assert_false(json_schema_check(schema, doc, why, sizeof why));
    cJSON_Delete(doc);
    doc = exported(sample_snapshot(), false);
    cJSON *load = cJSON_GetObjectItem(cJSON_GetObjectItem(doc, "load"), "1");
    cJSON_ReplaceItemInObject(load, "value", cJSON_CreateString("0.25"));
    assert_false(json_schema_check(schema, doc, why, sizeof why));
    /* marked as valid, but not a number */
    cJSON_ReplaceItemInObject(load, "value", cJSON_CreateNull());
    assert_false(json_schema_check(schema, doc, why, sizeof why));
    cJSON_Delete(doc);
    cJSON_Delete(schema);
}
