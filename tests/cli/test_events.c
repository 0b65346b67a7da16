/* `rooftop doctor events`, as a user calls it. Forks: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/program.h"
#include "support/test.h"

static void run(struct program *p, const char *line, int status)
{
    program_needed();
    program_run(p, line);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%s\n%s", line, p->status, status, p->out, p->err);
}

TEST(a_word_selects)
{
    struct program p;
    run(&p, "$BIN events context-switches", 0);
    assert_non_null(strstr(p.out, "perf's generic events: 2, "));
    assert_non_null(strstr(p.out, " context-switches "));
    assert_null(strstr(p.out, "cycles"));
    program_free(&p);
    run(&p, "$BIN events 'no such event'", 4);
    assert_non_null(strstr(p.out, "no event matches"));
    program_free(&p);
}

/* What is said to open is counted, by the name that is listed. */
TEST(what_opens_can_be_counted)
{
    struct program p;
    run(&p, "$BIN events --format json 'page-faults' task-clock", 0);
    cJSON *doc = cJSON_Parse(p.out), *e;
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.events/1");
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(doc, "events"))
    {
        const char *name = cJSON_GetObjectItem(e, "name")->valuestring;
        const cJSON *opens = cJSON_GetObjectItem(e, "opens");
        char line[256];
        struct program counted;
        if (!cJSON_IsString(opens) || strcmp(opens->valuestring, "yes") != 0)
            continue;
        snprintf(line, sizeof line,
                 "$BIN --headless --format csv -d 0.1 --frames 1 -e '%s' -- true", name);
        run(&counted, line, 0);
        assert_non_null(strstr(counted.out, name));
        program_free(&counted);
    }
    cJSON_Delete(doc);
    program_free(&p);
}

TEST(csv_has_a_row_for_each)
{
    struct program p;
    run(&p,
        "[ $($BIN events --format csv | tail -n +2 | wc -l) = "
        "$($BIN events --format json | grep -c '\"kind\"') ] && $BIN events --format csv faults | "
        "head -1",
        0);
    assert_string_equal(p.out, "name,kind,pmu,opens,why,modifiers,code,description\n");
    program_free(&p);
}

/* The probes of a process, once each though it is named twice. */
TEST(probes_of_a_process_are_listed)
{
    struct program p;
    run(&p, "$BIN events -p $$,$$ --format csv '*:*' | grep ',usdt,' | sort | uniq -d", 0);
    assert_string_equal(p.out, "");
    program_free(&p);
    run(&p,
        "a=$($BIN usdt -p $$ --format json | grep -c '\"provider\"'); b=$($BIN events -p $$ "
        "--format csv | grep -c ',usdt,'); [ $a = $b ]",
        0);
    program_free(&p);
}

TEST(bad_input_is_refused)
{
    struct program p;
    run(&p, "$BIN events --format xml", 2);
    program_free(&p);
    run(&p, "$BIN events -p no", 2);
    assert_non_null(strstr(p.err, "--pid"));
    program_free(&p);
}
