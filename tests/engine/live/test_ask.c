/* A process that is asked: its answer arrives whole; anything else it may do is an error that says
 * so. */
#include "engine/live/ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "support/fake_ask.h"
#include "support/test.h"

enum { LONG_MS = 60000, SHORT_MS = 100 };
static char answer[100000]; /* more than a pipe holds */
static struct error err;
static char *got;
static size_t n;

FIXTURE(set_up)
{
    for (size_t i = 0; i < sizeof answer; i++)
        answer[i] = (char)(i * 7 % 251);
    fake_ask_new();
}

FIXTURE(tear_down)
{
    free(got);
    fake_ask_free();
}

static int asked(const char *how, int timeout_ms)
{
    const struct question q = {.source = "hsa",
                               .what = "ask it",
                               .who = "it",
                               .help = "another one",
                               .timeout_ms = timeout_ms,
                               .most = sizeof answer};
    void *bytes;
    fake_ask_set(how, answer, sizeof answer);
    err = (struct error)ERROR_INIT;
    free(got);
    int rc = ask(&q, &bytes, &n, &err);
    got = bytes;
    fake_ask_no_child_left();
    return rc;
}

TEST(an_answer_comes_whole)
{
    static const char *const hows[] = {"good", "noise", "slow", "hang-after"};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        assert_int_equal(asked(hows[i], LONG_MS), 0);
        assert_int_equal(n, sizeof answer);
        assert_memory_equal(got, answer, n);
    }
}

static void no_answer(const char *how, int timeout_ms, int code, const char *why)
{
    assert_int_equal(asked(how, timeout_ms), -code);
    assert_null(got);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_string_equal(err.what, "ask it");
    assert_string_equal(err.help, "another one");
    if (!strstr(err.why, why))
        fail_msg("%s: no '%s' in '%s'", how, why, err.why);
}

TEST(an_end_without_an_answer_is_told)
{
    no_answer("crash", LONG_MS, EIO, "it ended the process that asked: signal 6 (Aborted)");
    no_answer("half-crash", LONG_MS, EIO, "signal 11 (Segmentation fault)");
    no_answer("silent", LONG_MS, EIO, "ended with status 3 and no answer");
    no_answer("half", LONG_MS, EIO, "ended with status 0 and half an answer");
    no_answer("junk", LONG_MS, EIO, "ended with status 0 and no answer");
    no_answer("flood", LONG_MS, EIO, "bytes that are no answer");
}

TEST(a_child_that_hangs_is_killed)
{
    no_answer("hang", SHORT_MS, ETIMEDOUT, "no answer within 0.1 s: it hangs");
    no_answer("half-hang", SHORT_MS, ETIMEDOUT, "it hangs");
    no_answer("stubborn", SHORT_MS, ETIMEDOUT, "it hangs");
    no_answer("closes", LONG_MS, EIO, "signal 9"); /* ended by us */
}

TEST(more_than_was_asked_for_is_refused)
{
    const struct question q = {.source = "hsa",
                               .what = "ask it",
                               .who = "it",
                               .help = "",
                               .timeout_ms = LONG_MS,
                               .most = sizeof answer - 1};
    void *bytes;
    fake_ask_set("good", answer, sizeof answer);
    assert_int_equal(ask(&q, &bytes, &n, &err), -EIO);
    assert_null(bytes);
    assert_non_null(strstr(err.why, "no answer"));
}

TEST(an_empty_answer_is_one)
{
    const struct question q = {.source = "hsa", .what = "", .who = "", .timeout_ms = LONG_MS};
    void *bytes;
    fake_ask_set("good", "", 0);
    assert_int_equal(ask(&q, &bytes, &n, &err), 0);
    assert_int_equal(n, 0);
    free(bytes);
}

TEST(a_failed_start_is_an_error)
{
    env_put("ROOFTOP_SELF", "/nonexistent/rooftop");
    assert_int_equal(asked("good", LONG_MS), -ENOENT);
    assert_string_equal(err.what, "start rooftop again");
    env_put("ROOFTOP_SELF", "tests/support/fake_ask/rooftop");
}

TEST_MAIN(set_up, tear_down)
