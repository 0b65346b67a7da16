/* What is freed where two runs of a command differ, and what is still compared. */
#include <stdio.h>
#include <string.h>

#include "engine/golden/golden_diff.h"
#include "support/test.h"

/* A trace of effects, a process and its second thread; the lists are lines of JSON. */
static struct golden trace(const char *effects, const char *first, const char *second)
{
    char text[2000];
    struct golden g;
    struct error err = ERROR_INIT;
    snprintf(text, sizeof text,
             "{\"format\":\"rooftop-golden/1\",\"rules\":2,\"level\":\"order\",\"sections\":["
             "{\"title\":\"effects\",\"lines\":[\"exited with 0\"%s]},"
             "{\"title\":\"process 1\",\"lines\":[%s]},"
             "{\"title\":\"process 1 thread 2\",\"lines\":[%s]}]}",
             effects, first, second);
    if (golden_parse(&g, "made up", text, strlen(text), &err) != 0)
        fail_msg("%s", err.why);
    return g;
}

#define OPEN  "\"openat(AT_FDCWD, \\\"in\\\", O_RDONLY) = <in>\""
#define WRITE "\"write(<stdout>, \\\"a\\\", 1) = 1\""
#define LAST  "\"write(<stdout>, \\\"b\\\", 1) = 1\""
#define MORE  "\"write(<stdout>, \\\"c\\\", 1) = 1\""

/* Differences of a later run from what is stored. */
static size_t differences(const struct golden *stored, struct golden run)
{
    struct golden_diff d;
    golden_free_as(&run, stored);
    golden_compare(stored, &run, &d);
    size_t n = d.n;
    golden_diff_free(&d);
    golden_free(&run);
    return n;
}

static void settle(struct golden *g, struct golden again)
{
    struct error err = ERROR_INIT;
    assert_int_equal(golden_settle(g, &again, &err), 0);
    golden_free(&again);
}

TEST(threads_may_change_places)
{
    struct golden g = trace("", OPEN "," WRITE, LAST);
    settle(&g, trace("", OPEN "," LAST, WRITE));
    assert_int_equal(g.nfreedoms, 1);
    assert_string_equal(g.freedoms[0].section, "process 1");
    assert_string_equal(g.freedoms[0].what, "threads");
    assert_int_equal(differences(&g, trace("", LAST "," OPEN "," WRITE, "")), 0);
    assert_int_equal(differences(&g, trace("", OPEN "," WRITE, MORE)), 1); /* another byte */
    assert_int_equal(differences(&g, trace("", OPEN, WRITE)), 1);
    golden_free(&g);
}

/* What differs is left out by its subject: all of that name, or of that folder where names change.
 * The rest is compared. */
TEST(what_differs_is_left_out)
{
#define EFFECTS(name, sum)                                                                         \
    ", \"file /t/" name ": 1 bytes\", \"file k: 2 bytes\", \"stdout: " sum " bytes\""
    struct golden g = trace(EFFECTS("a", "7"), OPEN, "");
    settle(&g, trace(EFFECTS("b", "8"), OPEN, ""));
    assert_int_equal(g.nfreedoms, 2);
    assert_int_equal(differences(&g, trace(EFFECTS("c", "9"), OPEN, "")), 0);
    assert_int_equal(differences(&g, trace(EFFECTS("c", "9") ", \"removed: k\"", OPEN, "")), 1);
    assert_int_equal(differences(&g, trace(EFFECTS("c", "9"), "", "")), 1);
    assert_int_equal(
        differences(&g, trace(EFFECTS("c", "9") ", \"file /t/deeper/x: 1 bytes\"", OPEN, "")), 1);
    golden_free(&g);
}

TEST(runs_that_are_the_same_free_nothing)
{
    struct golden g = trace("", OPEN "," WRITE, LAST);
    settle(&g, trace("", OPEN "," WRITE, LAST));
    assert_int_equal(g.nfreedoms, 0);
    golden_free(&g);
}

TEST(another_end_is_never_free)
{
    struct error err = ERROR_INIT;
    struct golden g = trace("", OPEN, ""), again = trace("", OPEN, "");
    again.sections[0].lines[0][12] = '3';
    assert_true(golden_settle(&g, &again, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
    golden_free(&g);
    golden_free(&again);
}
