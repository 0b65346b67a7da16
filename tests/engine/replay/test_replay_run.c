/* The state of a replay from the lines it prints: progress, time left, and the explanation of its
 * end. */
#include "engine/replay/replay_run.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

#define SECOND 1000000000ull

static void told(struct replay_run *run, const char *line, double at_s)
{
    replay_run_line(run, line, strlen(line), SECOND + (uint64_t)(at_s * (double)SECOND));
}

static const char *progress(const struct replay_run *run, double at_s)
{
    static char text[REPLAY_PROGRESS_MAX];
    return replay_run_progress(run, SECOND + (uint64_t)(at_s * (double)SECOND), true, text);
}

/* n of N, and the time left at the pace of this stage. */
TEST(test_how_far_it_is)
{
    struct replay_run run = {0};
    replay_run_start(&run, REPLAY_FULL_VM, SECOND);
    assert_string_equal(progress(&run, 1), "");
    told(&run, "{\"event\":\"stage\",\"name\":\"restore\",\"done\":1048576,\"total\":4194304}", 2);
    told(&run, "{\"event\":\"stage\",\"name\":\"restore\",\"done\":2097152,\"total\":4194304}", 4);
    assert_string_equal(progress(&run, 4), "2.00 MiB of 4.00 MiB, 1.05 MB/s, 2.00 s left");
    told(&run, "{\"event\":\"stage\",\"name\":\"run\"}", 10);
    assert_string_equal(progress(&run, 10), "");
    told(&run, "{\"event\":\"stage\",\"name\":\"run\",\"done\":250,\"total\":1000}", 14);
    assert_string_equal(progress(&run, 14), "250 of 1000 iterations, 12.0 s left");
    assert_float_equal(replay_run_left(&run, SECOND + 14 * SECOND), 12, 1e-9);
    replay_run_end(&run, REPLAY_END_CANCEL, -1, 60, 15 * SECOND);
    assert_string_equal(progress(&run, 15), "");
    assert_true(isnan(replay_run_left(&run, 15 * SECOND)));
    replay_run_free(&run);
}

/* Before any progress the time left is unknown. */
TEST(test_the_time_left_is_unknown_at_first)
{
    struct replay_run run = {0};
    replay_run_start(&run, REPLAY_FULL_VM, SECOND);
    told(&run, "{\"event\":\"stage\",\"name\":\"reserve\",\"done\":0,\"total\":7}", 1);
    assert_string_equal(progress(&run, 3), "0 of 7 regions");
    assert_true(isnan(replay_run_left(&run, 3 * SECOND)));
    replay_run_free(&run);
}

/* What the child says about the cause of a fault is part of the failure. */
TEST(test_notes_explain_a_failure)
{
    struct replay_run run = {0};
    replay_run_start(&run, REPLAY_FULL_VM, SECOND);
    told(&run,
         "{\"event\":\"error\",\"kind\":\"fault\",\"message\":\"memory fault\",\"notes\":[\"no "
         "printf here\",7,\"nor malloc\"]}",
         1);
    assert_string_equal(run.message, "memory fault; no printf here; nor malloc");
    replay_run_free(&run);
}
