// The panel of GPUs on AMD's genuine runtime over the emulated GPU: the same on both runtimes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/test.h"

// rooftop where its runtime is the one under test; the host has no KFD that would say "ask it".
#define EMULATED "ROOFTOP_HSA=1 $ROOFTOP_SELF "

TEST(doctor_says_emulated_and_what_lacks)
{
    struct program p;
    program_run(&p, EMULATED "doctor --format text");
    assert_int_equal(p.status, 0);
    const char *line = strstr(p.out, "EMULATED: HSA 1.");
    assert_non_null(line);
    assert_non_null(strstr(line, "1 GPU"));
    program_free(&p);
}

// A picture after 0.2 s, and while it lacks the text, after longer: the runtime is asked beside the
// sampling, and on a busy machine its answer comes when it comes.
static void picture_until(struct program *p, const char *arguments, const char *text)
{
    static const char *const intervals[] = {"0.2", "1", "4", "16"};
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        char line[256];
        if (i)
            program_free(p);
        snprintf(line, sizeof line, EMULATED "--headless -d %s %s", intervals[i], arguments);
        program_run(p, line);
        assert_int_equal(p->status, 0);
        if (strstr(p->out, text))
            return;
    }
    fail_msg("no '%s' in\n%s", text, p->out);
}

TEST(numbers_say_emulated)
{
    struct program p;
    picture_until(&p, "--format json", "\"emulated\":\ttrue");
    assert_non_null(strstr(p.out, "amdgcn-amd-amdhsa--gfx9"));
    program_free(&p);
}

TEST(every_view_says_emulated)
{
    static const char *const views[] = {"overview", "counters", "tree", "gpu", "functions"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        char line[64];
        struct program p;
        snprintf(line, sizeof line, "--size 80x24 --view %s", views[i]);
        picture_until(&p, line, " EMULATED");
        const char *found = strstr(p.out, " EMULATED");
        assert_true(found && found < strchr(p.out, '\n')); /* in the first row */
        program_free(&p);
    }
}
