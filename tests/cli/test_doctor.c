#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "cli/doctor.h"
#include "support/test.h"

static void probe_good(probe_sink sink, void *ctx)
{
    char label[32] = "hardware counters", why[] = "6 counters";
    struct probe_finding c = {
        .id = "perf.hardware", .label = label, .state = PROBE_YES, .why = why};
    sink(ctx, &c);
    memset(label, 'x', sizeof label - 1); /* the receiver must have made a copy */
    memset(why, 'x', sizeof why - 1);
}

static void probe_bad(probe_sink sink, void *ctx)
{
    struct probe_finding no = {"rapl", "energy", PROBE_NO, "EACCES\xff",
                               "sysctl kernel.perf_event_paranoid=0"};
    struct probe_finding part = {"msr", "msr", PROBE_PARTIAL, NULL, NULL};
    sink(ctx, &no);
    sink(ctx, &part);
}

static const struct source_ops good = {.name = "perf", .probe = probe_good};
static const struct source_ops bad = {.name = "power", .probe = probe_bad};
static const struct source_ops silent = {.name = "silent"};
static const struct source_ops *const sources[] = {&good, &silent, &bad, NULL};

TEST(every_probe_is_reported)
{
    struct doctor_report r;
    doctor_probe(&r, sources);
    assert_int_equal(r.n, 3);
    assert_string_equal(r.findings[0].found.label, "hardware counters");
    assert_string_equal(r.findings[0].found.why, "6 counters");
    assert_string_equal(r.findings[1].source, "power");
    doctor_free(&r);
}

TEST(doctor_text_says_it_in_words)
{
    struct doctor_report r;
    doctor_probe(&r, sources);
    char *text = doctor_text(&r, true, false);
    assert_non_null(strstr(text, "+ yes      hardware counters  6 counters\n"));
    assert_non_null(strstr(text, "- no       energy"));
    assert_non_null(strstr(text, "~ partial  msr"));
    assert_non_null(strstr(text, "enable: sysctl kernel.perf_event_paranoid=0\n"));
    assert_null(strchr(text, '\033'));
    for (const char *p = strstr(text, "perf"); p < strstr(text, "EACCES"); p++)
        assert_in_range((unsigned char)*p, '\n', 126);
    free(text);
    text = doctor_text(&r, false, true);
    assert_non_null(strstr(text, "\033[31m✗ no     \033[0m"));
    free(text);
    doctor_free(&r);
}

TEST(doctor_json_reads_back)
{
    struct doctor_report r;
    doctor_probe(&r, sources);
    char *text = doctor_json(&r);
    cJSON *doc = cJSON_Parse(text);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.doctor/1");
    const cJSON *list = cJSON_GetObjectItem(doc, "capabilities");
    assert_int_equal(cJSON_GetArraySize(list), 3);
    const cJSON *c = cJSON_GetArrayItem(list, 1);
    assert_string_equal(cJSON_GetObjectItem(c, "state")->valuestring, "no");
    assert_string_equal(cJSON_GetObjectItem(c, "why")->valuestring, "EACCES\xef\xbf\xbd");
    c = cJSON_GetArrayItem(list, 2);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(c, "enable")));
    cJSON_Delete(doc);
    free(text);
    doctor_free(&r);
}
