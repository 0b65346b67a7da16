/* A supervised replay: every way in which the child may end is reported, and the caller never
 * waits. */
#include "engine/replay/replay_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "support/test.h"

#define FAKE "tests/support/fake_replay/rooftop"

static char log_path[64];

FIXTURE(set_up)
{
    setenv("ROOFTOP_SELF", FAKE, 1);
    snprintf(log_path, sizeof log_path, "/tmp/replay-child-%d.log", (int)getpid());
    unlink(log_path);
    setenv("FAKE_LOG", log_path, 1);
}

FIXTURE(tear_down)
{
    unlink(log_path);
}

static struct replay_child *start(const char *how, const struct replay_request *r)
{
    struct replay_child *c;
    struct error err = ERROR_INIT;
    setenv("FAKE_REPLAY", how, 1);
    if (replay_child_start(&c, r, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return c;
}

static const struct replay_request usual = {.job = REPLAY_FULL_VM,
                                            .capture = "/some/capture",
                                            .iterations = 5,
                                            .recopy = true,
                                            .timeout_s = 60};

/* Does what the dashboard's loop does. */
static void turn(struct replay_child *c)
{
    struct pollfd p = {.fd = replay_child_fd(c), .events = POLLIN};
    assert_true(poll(&p, 1, 60000) == 1); /* some event always comes, at last a time limit */
    replay_child_poll(c);
}

static const struct replay_run *finish(struct replay_child *c)
{
    while (!replay_run_over(replay_child_run(c)))
        turn(c);
    return replay_child_run(c);
}

static void expect_failure(const char *how, enum replay_kind kind, const char *text)
{
    struct replay_child *c = start(how, &usual);
    const struct replay_run *run = finish(c);
    assert_int_equal(run->state, REPLAY_FAILED);
    assert_string_equal(replay_kind_name(run->kind), replay_kind_name(kind));
    if (!strstr(run->message, text))
        fail_msg("%s: no '%s' in '%s'", how, text, run->message);
    replay_child_free(c);
}

TEST(a_run_ends_with_its_result)
{
    struct replay_request r = usual;
    r.verify = true;
    struct replay_child *c = start("good", &r);
    const struct replay_run *run = finish(c);
    assert_int_equal(run->state, REPLAY_DONE);
    assert_int_equal(run->n, 5);
    assert_true(run->samples[0] == 10.5 && run->samples[4] == 14.5);
    assert_true(run->result.verify.reported && run->result.verify.equal);
    assert_true(run->result.timing.average == 12.25);
    assert_int_equal(run->stages, (1 << REPLAY_STAGES) - 1);
    assert_false(replay_child_poll(c)); /* nothing happens after the end */
    replay_child_free(c);
}

TEST(differences_are_a_result)
{
    struct replay_child *c = start("different", &usual);
    const struct replay_run *run = finish(c);
    assert_int_equal(run->state, REPLAY_DONE);
    assert_true(run->result.verify.reported && !run->result.verify.equal);
    assert_int_equal(run->result.verify.n, 1);
    assert_int_equal(run->result.verify.differences[0].address, 4112);
    assert_string_equal(run->result.verify.differences[0].found, "0x40000000");
    replay_child_free(c);
}

TEST(faults_have_their_address)
{
    static const char *const hows[] = {"fault", "rocr-fault"};
    for (size_t i = 0; i < 2; i++) {
        struct replay_child *c = start(hows[i], &usual);
        const struct replay_run *run = finish(c);
        assert_int_equal(run->state, REPLAY_FAILED);
        assert_int_equal(run->kind, REPLAY_FAULT);
        assert_true(run->has_address && run->address == 0x2010);
        replay_child_free(c);
    }
}

TEST(every_death_is_told)
{
    expect_failure("crash", REPLAY_INTERNAL, "signal 11 (Segmentation fault) in stage restore");
    expect_failure("crash", REPLAY_INTERNAL, "about to crash");
    expect_failure("killed", REPLAY_INTERNAL, "signal 9 (Killed)");
    expect_failure("silent", REPLAY_INTERNAL, "without a result");
    expect_failure("half", REPLAY_INTERNAL, "without a result");
    expect_failure("nothing-of-the-kind", REPLAY_INTERNAL, "without a result");
    expect_failure("junk", REPLAY_INTERNAL, "not that of a replay");
    setenv("FAKE_STATUS", "6", 1);
    expect_failure("status", REPLAY_RUNTIME, "this host cannot replay it");
    setenv("FAKE_STATUS", "3", 1);
    expect_failure("status", REPLAY_CAPTURE, "damaged");
    setenv("FAKE_STATUS", "77", 1);
    expect_failure("status", REPLAY_INTERNAL, "status 77");
}

TEST(a_replay_that_hangs_is_killed)
{
    struct replay_request r = usual;
    r.timeout_s = 0.1;
    struct replay_child *c = start("hang", &r);
    const struct replay_run *run = finish(c);
    assert_int_equal(run->kind, REPLAY_TIMEOUT);
    assert_non_null(strstr(run->message, "was ended in stage"));
    replay_child_free(c);
}

TEST(cancelling_ends_it)
{
    static const char *const hows[] = {"hang", "stubborn", "flood"};
    for (size_t i = 0; i < 3; i++) {
        struct replay_child *c = start(hows[i], &usual);
        while (!replay_child_run(c)->stages)
            turn(c);
        replay_child_cancel(c);
        assert_int_equal(replay_child_run(c)->state, REPLAY_STOPPING);
        assert_int_equal(finish(c)->state, REPLAY_CANCELLED);
        replay_child_free(c);
    }
}

/* Output beyond what is kept costs no memory, and the screen is updated in between. */
TEST(a_flood_comes_in_portions)
{
    struct replay_child *c = start("flood", &usual);
    for (int i = 0; i < 20; i++)
        turn(c);
    assert_false(replay_run_over(replay_child_run(c)));
    replay_child_free(c); /* while it runs */
}

TEST(a_line_without_end_is_left_out)
{
    struct replay_child *c = start("long", &usual);
    const struct replay_run *run = finish(c);
    assert_int_equal(run->state, REPLAY_DONE);
    assert_int_equal(run->junk, 1);
    replay_child_free(c);
}

TEST(descendants_of_a_replay_end_with_it)
{
    struct replay_child *c = start("grandchild", &usual);
    assert_int_equal(finish(c)->state, REPLAY_DONE); /* although its output is still open */
    replay_child_free(c);
}

TEST(freeing_a_running_replay_does_not_wait)
{
    replay_child_free(start("stubborn", &usual));
    replay_child_free(NULL);
}

/* Runs the request; line: the words that the child was started with. */
static void assert_words(const struct replay_request *r, const char *line)
{
    char text[512] = "";
    unlink(log_path);
    struct replay_child *c = start("good", r);
    finish(c);
    replay_child_free(c);
    FILE *f = fopen(log_path, "re");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    char *progress = strstr(text, " --progress\n");
    assert_non_null(progress);
    *progress = '\0';
    assert_string_equal(text, line);
}

TEST(options_become_words)
{
    static const char *const variants[] = {"a.hsaco", "-b c.hsaco"};
    struct replay_request r = {.job = REPLAY_COMPARE,
                               .capture = "/it's here",
                               .iterations = 7,
                               .recopy = false,
                               .tolerance = "exact",
                               .variants = variants,
                               .nvariants = 2,
                               .timeout_s = 2.5};
    assert_words(&r, "replay compare --capture-dir /it's here --iterations 7 "
                     "--timeout 2.5 --no-recopy a.hsaco ./-b c.hsaco");
    r = usual;
    r.verify = true;
    r.hsaco = "new.hsaco";
    assert_words(&r, "replay full-vm --capture-dir /some/capture --iterations 5 "
                     "--timeout 60 --verify --hsaco new.hsaco");
    r = usual;
    r.warmup = 3;
    r.tolerance = "f32,rel=1e-5";
    r.agent = 2;
    assert_words(&r, "replay full-vm --capture-dir /some/capture --agent 2 "
                     "--iterations 5 --timeout 60 --warmup 3 --tolerance f32,rel=1e-5");
    r.job = REPLAY_RESERVE_CHECK;
    assert_words(&r, "replay reserve-check --capture-dir /some/capture --agent 2");
}

TEST(a_comparison_has_variants)
{
    static const char *const variants[] = {"a.hsaco", "b.hsaco"};
    struct replay_request r = usual;
    r.job = REPLAY_COMPARE;
    r.variants = variants;
    r.nvariants = 2;
    struct replay_child *c = start("good", &r);
    const struct replay_run *run = finish(c);
    assert_int_equal(run->state, REPLAY_DONE);
    assert_int_equal(run->result.nvariants, 2);
    assert_string_equal(run->result.variants[1].path, "b.hsaco");
    assert_true(run->result.variants[1].timing.average == 15.25);
    assert_int_equal(run->result.variants[1].equal, 1);
    replay_child_free(c);
}

TEST(a_replay_that_cannot_be_started_is_an_error)
{
    struct replay_child *c;
    struct error err = ERROR_INIT;
    setenv("ROOFTOP_SELF", "/nowhere/at/all", 1);
    assert_int_equal(replay_child_start(&c, &usual, &err), -ENOENT);
    assert_non_null(strstr(err.why, "/nowhere/at/all"));
    setenv("ROOFTOP_SELF", FAKE, 1);
}

TEST_MAIN(set_up, tear_down)
