/*
 * USDT probes, watched as a user watches them, in programs that the compiler makes here. Notes are
 * written by the assembler in the public format, so that nothing has to be installed. Skipped,
 * with the reason, if the kernel refuses breakpoints. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/compiled.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/usdt_programs.h"
#include "support/test.h"

static bool compiler;
static char refused[512]; /* why probes cannot be watched here */

FIXTURE(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
    compiler = usdt_programs_make();
}

FIXTURE(end)
{
    compiled_free();
}

static void run(struct program *p, const char *line, int status)
{
    if (!program_rooftop() || !compiler)
        skip_because("%s", compiler ? "rooftop was not built" : "no C compiler");
    program_run(p, line);
    if (p->status != status)
        fail_msg("%s: exit %d, not %d\n%s\n%s", line, p->status, status, p->out, p->err);
}

/* Skips the test if doctor says that probes cannot be watched here. */
static void needs_breakpoints(void)
{
    struct program p;
    if (refused[0] == '\0') {
        run(&p, "$BIN doctor --format json", 0);
        cJSON *doc = cJSON_Parse(p.out), *c;
        cJSON_ArrayForEach(c, cJSON_GetObjectItem(doc, "capabilities"))
        {
            if (strcmp(cJSON_GetObjectItem(c, "id")->valuestring, "usdt.probes") != 0)
                continue;
            bool yes = strcmp(cJSON_GetObjectItem(c, "state")->valuestring, "yes") == 0;
            snprintf(refused, sizeof refused, "%s",
                     yes ? "no" : cJSON_GetObjectItem(c, "why")->valuestring);
        }
        cJSON_Delete(doc);
        program_free(&p);
    }
    if (strcmp(refused, "no") != 0)
        skip_because("%s", refused);
}

/* The count of a brick in `bricks --format csv`; 0 if it is not there. */
static long count_of(const char *csv, const char *name)
{
    char row[128];
    snprintf(row, sizeof row, "brick,Other,\"%s\",", name);
    const char *at = strstr(csv, row);
    at = at ? strchr(at + strlen(row), ',') : NULL; /* it follows the variant */
    return at ? strtol(at + 1, NULL, 10) : 0;
}

TEST(probes_are_listed)
{
    struct program p;
    run(&p, "$BIN usdt $D/shop", 0);
    assert_non_null(strstr(p.out, "/shop\n"));
    assert_non_null(strstr(p.out, "shop:request__start"));
    assert_non_null(strstr(p.out, "begin shop:request\n"));
    assert_non_null(strstr(p.out, "end   shop:query\n"));
    program_free(&p);
    run(&p, "$BIN usdt --format json $D/gated", 0);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.usdt/1");
    cJSON *list = cJSON_GetObjectItem(doc, "probes"), *j;
    assert_int_equal(cJSON_GetArraySize(list), 2); /* a probe of its library */
    cJSON_ArrayForEach(j, list)
    {
        assert_non_null(strstr(cJSON_GetObjectItem(j, "file")->valuestring, "/libgate.so"));
        assert_true(cJSON_IsTrue(cJSON_GetObjectItem(j, "semaphore")));
        assert_string_equal(cJSON_GetObjectItem(j, "pair")->valuestring, "gate:step");
    }
    cJSON_Delete(doc);
    program_free(&p);
    run(&p, "$BIN usdt $D/plain", 0);
    assert_non_null(strstr(p.out, "no USDT probes in "));
    program_free(&p);
    run(&p, "sh -c 'sleep 1000 & $BIN usdt -p $!; s=$?; kill $!; exit $s'", 0);
    program_free(&p);
}

TEST(invalid_targets_are_refused)
{
    static const struct {
        const char *line;
        int status;
        const char *says;
    } cases[] = {
        {"$BIN usdt", 2, "name one program"},
        {"$BIN usdt a b", 2, "name one program"},
        {"$BIN usdt --format svg $D/shop", 2, "give one of text, json"},
        {"$BIN usdt $D/shop.c", 3, "not an ELF file"},
        {"$BIN usdt $D/nosuch", 4, "no such program"},
        {"$BIN usdt -p $$,$PPID", 2, "name one process"},
        {"$BIN tree --usdt shop", 2, "needs a program"},
        {"$BIN --headless --usdt shop", 2, "needs a program"},
        {"$BIN tree --usdt shop: -- $D/shop", 2, "names no probe"},
        {"$BIN tree --usdt 'shop:a*..b' -- $D/shop", 2, "without wildcards"},
        {"$BIN record --usdt shop -- $D/shop", 2, "not an option"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        run(&p, cases[i].line, cases[i].status);
        if (!strstr(p.err, cases[i].says))
            fail_msg("%s: %s", cases[i].line, p.err);
        program_free(&p);
    }
}

/* Without the necessary right, the message names it and the command is not run. */
TEST(without_rights_nothing_runs)
{
    struct program p;
    needs_breakpoints();
    program_run(&p, "command -v setpriv");
    bool able = p.status == 0;
    program_free(&p);
    if (!able)
        skip_because("there is no setpriv");
    run(&p,
        "chmod 755 $D; cp $BIN $D/r && HOME=/ setpriv --reuid 65534 --regid 65534 --clear-groups "
        "--bounding-set -all $D/r tree --usdt shop -- touch $D/ran; s=$?; test -e $D/ran && s=99; "
        "exit $s",
        5);
    assert_non_null(strstr(p.err, "CAP_SYS_ADMIN"));
    program_free(&p);
}

/* Every span is counted, because breakpoints in the program itself are set before it begins. */
TEST(every_span_of_a_command_is_there)
{
    struct program p;
    needs_breakpoints();
    run(&p, "$BIN bricks --usdt 'shop:*' --format csv -- $D/shop 500", 3);
    assert_int_equal(count_of(p.out, "shop:request"), 500);
    assert_int_equal(count_of(p.out, "shop:query"), 1000);
    program_free(&p);
    run(&p, "$BIN bricks --usdt 'shop:query' --format csv -- $D/shop 50", 3);
    assert_int_equal(count_of(p.out, "shop:request"), 0);
    assert_int_equal(count_of(p.out, "shop:query"), 100);
    program_free(&p);
    run(&p, "$BIN tree --ascii --calls --usdt shop -- $D/shop 1", 3);
    const char *outer = strstr(p.out, "shop:request"), *inner = strstr(p.out, "-- shop:query");
    assert_true(outer && inner && outer < inner);
    program_free(&p);
    run(&p, "$BIN tree --usdt 'shop:request__start..query__start' --format csv -- $D/shop 20", 3);
    assert_non_null(strstr(p.out, "shop:request__start..query__start"));
    program_free(&p);
}

/* Probes in threads and children are counted; they start as they would without rooftop. */
TEST(threads_and_children_are_followed)
{
    struct program p;
    needs_breakpoints();
    run(&p, "$BIN bricks --usdt shop --format csv -- $D/shop 100 8 fork", 3);
    assert_int_equal(count_of(p.out, "shop:request"), 900);
    assert_int_equal(count_of(p.out, "shop:query"), 1800);
    program_free(&p);
    run(&p, "$BIN path --usdt shop -- $D/shop 10 4", 3);
    assert_non_null(strstr(p.out, "shop:query"));
    program_free(&p);
    run(&p, "$BIN tree --format chrome --usdt shop -- $D/shop 5 2", 3);
    cJSON *doc = cJSON_Parse(p.out);
    assert_non_null(doc);
    int spans = 0;
    cJSON *e;
    cJSON_ArrayForEach(e, cJSON_GetObjectItem(doc, "traceEvents"))
    {
        spans += strcmp(cJSON_GetObjectItem(e, "ph")->valuestring, "X") == 0 &&
                 strncmp(cJSON_GetObjectItem(e, "name")->valuestring, "shop:", 5) == 0;
    }
    assert_int_equal(spans, 2 * 5 * 3);
    cJSON_Delete(doc);
    program_free(&p);
}

/* Waits until the kernel has removed the breakpoints, which takes a while after rooftop has
 * ended. */
static void until_nobody_watches(void)
{
    struct program p;
    run(&p, "until [ \"$($D/gated 1)\" = 0 ]; do sleep 0.1; done", 0);
    program_free(&p);
}

/* The program's semaphore says that it is watched, from its first step on. */
TEST(semaphores_are_raised)
{
    struct program p;
    needs_breakpoints();
    until_nobody_watches();
    run(&p, "$BIN bricks --usdt gate --format csv -o $D/gate.csv -- $D/gated 20 && cat $D/gate.csv",
        0);
    assert_int_equal(strtol(p.out, NULL, 10), 20); /* the number that the program printed */
    assert_int_equal(count_of(p.out, "gate:step"), 20);
    program_free(&p);
}

TEST(a_running_process_is_watched)
{
    struct program p;
    needs_breakpoints();
    until_nobody_watches();
    run(&p,
        "$D/gated -1000000 >$D/seen & g=$!; "
        "$BIN bricks --usdt gate --format csv -o $D/part.csv -p $g & r=$!; "
        "until [ -s $D/seen ]; do sleep 0.05; done; kill $r; wait $r; kill $g; cat "
        "$D/part.csv",
        0);
    assert_in_range(count_of(p.out, "gate:step"), 1, 60000);
    program_free(&p);
    until_nobody_watches();
    /* ends with the program if that ends before --for is over */
    run(&p, "$D/gated -1000 >$D/seen & $BIN bricks --usdt gate --format csv -p $!", 0);
    /* the program counts watched steps; breakpoints are set one after the other, so rooftop may
     * have counted fewer */
    assert_in_range(count_of(p.out, "gate:step"), 1, 1000);
    program_free(&p);
}

/* A library that is loaded later is watched from some time after that on. */
TEST(libraries_loaded_later_are_watched)
{
    struct program p;
    needs_breakpoints();
    until_nobody_watches();
    run(&p,
        "$BIN bricks --usdt gate --format csv -o $D/late.csv -- $D/late -1000 >$D/seen; cat "
        "$D/late.csv",
        0);
    assert_true(count_of(p.out, "gate:step") > 0); /* loaded by dlopen */
    program_free(&p);
    until_nobody_watches();
    run(&p,
        "$BIN bricks --usdt gate --format csv -o $D/sh.csv -- sh -c '$D/gated -1000; true' "
        ">$D/seen; cat $D/sh.csv",
        0);
    assert_true(count_of(p.out, "gate:step") > 0); /* loaded by another program */
    program_free(&p);
}

TEST(patterns_without_a_match_are_reported)
{
    struct program p;
    needs_breakpoints();
    run(&p, "$BIN tree --usdt shop:nosuch -- $D/shop", 4);
    assert_non_null(strstr(p.err, "no pair of probes matches 'shop:nosuch'"));
    assert_non_null(strstr(p.err, "shop:request__start"));
    program_free(&p);
    run(&p, "$BIN tree --usdt other -- $D/shop", 4);
    assert_non_null(strstr(p.err, "has probes of 'other'"));
    program_free(&p);
    /* spans that begin and never end */
    run(&p, "$BIN tree --usdt shop:lone..query__done -- $D/shop", 3);
    assert_non_null(strstr(p.out, "shop:lone..query__done  n/a"));
    program_free(&p);
}

TEST(the_dashboard_shows_them)
{
    struct program p;
    needs_breakpoints();
    run(&p, "$BIN --headless --view tree -d 0.3 --ascii --usdt gate -- $D/gated 400", 0);
    assert_non_null(strstr(p.out, "gate:step"));
    assert_non_null(strstr(p.out, "(ended)"));
    program_free(&p);
}

TEST_MAIN(begin, end)
