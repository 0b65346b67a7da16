// Which dispatches `rooftop gpu capture` takes, what it prints, and what happens to the program.
#include "support/scene.h"
#include "support/gpu.h"
#include "support/test.h"
#include <stdlib.h>

static void count(int wanted, const char *name)
{
    expect(0, NULL, "[ $(find $D/%s -name capture_complete | wc -l) = %d ]", name, wanted);
}

TEST(test_which_dispatches)
{
    expect(0, "dispatch 8 of increment",
           "$PLAIN capture --kernel increment --every 4 -o $D/every -- $APP increment -n 12");
    count(3, "every");
    expect(0, "dispatch 5 of increment",
           "$PLAIN capture --kernel increment --dispatch 5 -o $D/one -- $APP increment -n 12");
    count(1, "one");
    expect(0, "slowest: dispatch",
           "$PLAIN capture --kernel increment --slowest -o $D/slow -- $APP increment -n 4");
    count(1, "slow");
}

// Each process has dispatches of its own.
TEST(test_children)
{
    expect(0, NULL, "$PLAIN capture --kernel increment -o $D/fork -- $APP fork -c 2");
    count(3, "fork");
}

TEST(test_nothing_to_capture)
{
    expect(4, "no kernel matches", "$PLAIN capture --kernel none -o $D/n -- $APP increment");
    expect(4, "there is no dispatch 50",
           "$PLAIN capture --kernel increment --dispatch 50 -o $D/n -- $APP increment -n 3");
    expect(6, "no HSA runtime loaded the capture library",
           "$PLAIN capture --kernel increment -o $D/n -- /bin/true");
    expect(2, "expression", "$PLAIN capture --kernel '(' -o $D/n -- $APP increment");
    expect(127, NULL, "$PLAIN capture --kernel increment -o $D/n -- /no/such/program");
    count(0, "n 2>/dev/null");
}

// Earlier work can only end when the program goes on: the wait is bounded, and the program
// unharmed.
TEST(test_bounded_wait)
{
    expect(1, "earlier work of its queue did not end in time",
           "$PLAIN capture --kernel increment --dispatch 3 --timeout 0.5 -o $D/late -- $APP "
           "late_gate -n 4 | grep 'late_gate: right' >/dev/null; S=(${PIPESTATUS[@]}); "
           "[ ${S[1]} = 0 ] || exit 99; exit ${S[0]}");
    count(0, "late 2>/dev/null");
}

// How the program ends: its status, and its faults; the capture is complete before those.
TEST(test_how_the_program_ends)
{
    expect(2, "app KIND", "$PLAIN capture --kernel increment -o $D/usage -- $APP no_such_kind");
    if (gpu_is_real()) {
        print_message("skipped: faults on demand: only on the emulated GPU\n");
        skip();
    }
    expect(1, "memory fault at 0xdead000",
           "ROOFTOP_EMU_PAGE_FAULT=2 $PLAIN capture --kernel increment --dispatch 1 "
           "--post -o $D/fault -- $APP increment -n 3");
    count(1, "fault");
    expect(1, "queue error",
           "ROOFTOP_EMU_ILLEGAL=2 $PLAIN capture --kernel increment --dispatch 1 -o "
           "$D/illegal -- $APP increment -n 3");
    count(1, "illegal");
    expect(1, "hsa_queue_create",
           "ROOFTOP_EMU_FAIL_QUEUE=1+ $PLAIN capture --kernel increment -o $D/queue -- $APP "
           "increment");
    expect(
        1, NULL,
        "ROOFTOP_EMU_FAIL_CODE=1+ $PLAIN capture --kernel increment -o $D/code -- $APP increment");
    expect(143, NULL,
           END_ONCE "ROOFTOP_EMU_HANG=2 $PLAIN capture --kernel increment --dispatch 1 --timeout "
                    "100 -o $D/hang -- " APP_TOLD "increment -n 3",
           "$D/hang/*/capture_complete", "TERM", "pid");
    count(1, "hang");
}

TEST_MAIN(scene_begin, scene_end)
