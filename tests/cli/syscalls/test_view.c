/* The view of system calls without a terminal: as text, JSON and CSV. (Forks: not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/skip.h"
#include "support/watched_program.h"
#include "support/temp_folder.h"
#include "support/test.h"

FIXTURE_STATUS(begin)
{
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    return temp_folder_make(NULL);
}

/* The member "syscalls" of the document that the command prints; the caller deletes *doc. */
static const cJSON *document(const char *shell, int status, cJSON **doc)
{
    struct program p;
    program_expect(&p, shell, status);
    *doc = cJSON_Parse(p.out);
    if (!*doc)
        fail_msg("%s printed no JSON: %.400s", shell, p.out);
    program_free(&p);
    return cJSON_GetObjectItem(*doc, "syscalls");
}

static double number(const cJSON *o, const char *name)
{
    const cJSON *v = cJSON_GetObjectItem(o, name);
    if (!cJSON_IsNumber(v))
        fail_msg("%s is no number", name);
    return v->valuedouble;
}

static double sum(const cJSON *list, const char *name)
{
    double all = 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, list) all += number(row, name);
    return all;
}

static const cJSON *row_of(const cJSON *list, const char *name)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, list) if (strcmp(cJSON_GetObjectItem(row, "name")->valuestring, name) ==
                                      0) return row;
    fail_msg("there is no %s", name);
    return NULL;
}

/* A command is traced from its first call to its end, and its status passes through. */
TEST(a_command_is_traced_whole)
{
    cJSON *doc;
    watched_program_skip();
    const cJSON *s = document("$BIN --headless --view syscalls --format json -- sh -c "
                              "'cat /etc/passwd >/dev/null; true; exit 3'",
                              3, &doc);
    const cJSON *calls = cJSON_GetObjectItem(s, "calls");
    const cJSON *processes = cJSON_GetObjectItem(s, "processes");
    assert_string_equal(cJSON_GetObjectItem(s, "state")->valuestring, "ended");
    assert_true(cJSON_GetObjectItem(s, "by")->valuestring[0]);
    assert_true(number(s, "lost") == 0);
    assert_true(number(row_of(calls, "execve"), "calls") >= 2);
    assert_true(sum(calls, "calls") == number(s, "count"));
    assert_true(sum(calls, "errors") == number(s, "errors"));
    assert_true(sum(calls, "share") > 0.999 && sum(calls, "share") < 1.001);
    assert_int_equal(cJSON_GetArraySize(processes), 2);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(processes, 0), "state")->valuestring,
                        "exit 3");
    assert_true(number(row_of(cJSON_GetObjectItem(s, "files"), "/etc/passwd"), "opened") == 1);
    cJSON_Delete(doc);
}

/* A saved trace gives the same numbers as what saved it. */
TEST(a_saved_trace_has_the_same_numbers)
{
    struct program p;
    cJSON *doc;
    watched_program_skip();
    program_answers("$BIN trace -f --format json -o $D/t.json -- sh -c 'ls /; cat /none'", 1, "",
                    "");
    program_expect(&p, "cat $D/t.json", 0);
    cJSON *saved = cJSON_Parse(p.out);
    program_free(&p);
    assert_non_null(saved);
    double did = 0, failed = 0;
    const cJSON *e;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(saved, "syscalls"))
    {
        const bool back = !cJSON_IsTrue(cJSON_GetObjectItem(e, "unfinished"));
        did += back;
        failed += back && cJSON_GetObjectItem(e, "errno") != NULL;
    }
    const cJSON *s = document("$BIN --headless --view syscalls --format json $D/t.json", 0, &doc);
    assert_string_equal(cJSON_GetObjectItem(s, "state")->valuestring, "saved");
    assert_true(number(s, "count") == did);
    assert_true(number(s, "errors") == failed);
    assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(s, "events")) <= 200);
    cJSON_Delete(doc);
    cJSON_Delete(saved);
}

TEST(the_lists_are_text_and_csv_too)
{
    struct program p;
    watched_program_skip();
    program_answers("$BIN trace -f --format json -o $D/u.json -- ls /etc/passwd", 0, "", "");
    program_expect(&p, "$BIN --headless --view syscalls --size 100x40 $D/u.json", 0);
    program_sees(&p, "system calls: by call");
    program_sees(&p, "execve");
    program_free(&p);
    program_answers(
        "$BIN --headless --view syscalls --run 'syscalls-list; syscalls-list' $D/u.json", 0,
        "by file and socket", "");
    program_answers("$BIN --headless --view syscalls --filter calls=1 --format text $D/u.json", 0,
                    "filter 'calls=1'", "");
    program_answers("$BIN --headless --view syscalls --format csv $D/u.json", 0,
                    "syscalls_calls,execve.calls,,1,count,true", "");
    program_expect(&p, "$BIN --headless --view counters --format json $D/u.json", 0);
    program_lacks(&p, "\"syscalls\"");
    program_free(&p);
}

/* --run applies to the view before the first picture of the trace has come. */
TEST(another_list_can_be_asked_for)
{
    struct program p;
    watched_program_skip();
    program_expect(&p,
                   "$BIN --headless --view syscalls --run 'syscalls-list; filter name=cat' -- "
                   "sh -c 'cat /etc/passwd >/dev/null; true'",
                   0);
    program_sees(&p, "system calls: by process");
    program_sees(&p, " cat ");
    program_free(&p);
}

TEST(readonly_traces_nothing)
{
    program_answers("$BIN --headless --readonly --view syscalls -- true", 0, "Nothing was traced",
                    "");
}

TEST_MAIN(begin, temp_folder_remove)
