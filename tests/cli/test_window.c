/* A part of a profile, with every command that takes one, run as a user runs it. (Forks:
 * not for TSan.) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/trace_text.h"
#include "support/test.h"

static char file[64];

/* Three steps of 100 us, each with a call, and after it a kernel "k1", "k2", "k3" of 10, 20, 30
 * us. */
FIXTURE(begin)
{
    char text[4096];
    size_t n = (size_t)snprintf(text, sizeof text, "{\"traceEvents\":[");
    for (int i = 1; i <= 3; i++)
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,"
            "\"tid\":1,\"ts\":%d,\"dur\":90},"
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
            "\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},"
            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,"
            "\"dur\":%d,\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}}%s",
            i, 100 * i, 100 * i + 10, i, i, 100 * i + 80, 10 * i, i, i < 3 ? "," : "]}");
    trace_text_file(file, text, n, false);
    setenv("F", file, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
}

FIXTURE(end)
{
    unlink(file);
}

TEST(every_command_takes_it)
{
    static const char *const lines[] = {
        "$BIN path %s $F",         "$BIN report %s $F",
        "$BIN kernels %s $F",      "$BIN tree %s $F",
        "$BIN tree --calls %s $F", "$BIN roofline --format csv %s $F",
        "$BIN bricks %s $F",       "$BIN export %s $F",
        "$BIN compare %s $F $F",   "$BIN --headless --view kernels %s $F",
        "$BIN timeline %s $F",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct program p;
        char line[200];
        bool kernels = !strstr(lines[i], "roofline") && !strstr(lines[i], "bricks");
        bool drawn = strstr(lines[i], "timeline") != NULL; /* timeline has the times of the whole */
        snprintf(line, sizeof line, lines[i], "--range 'ProfilerStep#2'");
        program_expect(&p, line, 0);
        if (kernels)
            program_sees(&p, "k2");
        if (!drawn) /* timeline also draws neighbouring kernels */
            program_lacks(&p, "k3");
        if (!drawn && !strstr(line, "headless"))
            assert_non_null(strstr(p.err, "only a part is looked at: ProfilerStep#2, 90.0 us"));
        program_free(&p);
        snprintf(line, sizeof line, lines[i], "--from 95us --to 185us");
        program_expect(&p, line, 0);
        program_lacks(&p, "k1");
        program_free(&p);
    }
}

/* Each step is a row of its own, next to the numbers of the whole. */
TEST(steps_are_rows)
{
    struct program p;
    program_expect(&p, "$BIN steps $F", 0);
    program_sees(&p, "3 ranges 'ProfilerStep'");
    program_sees(&p, "ProfilerStep#3 ");
    program_free(&p);
    program_expect(&p, "$BIN steps --format csv --range 'ProfilerStep#2' $F | cut -d, -f1,3-6", 0);
    /* its kernel ends after the step */
    assert_non_null(strstr(p.out, "ProfilerStep#2,1,100000,90000,100000\n"));
    assert_int_equal(program_lines(p.out), 2);
    program_free(&p);
    program_answers("$BIN steps --from 150us $F", 0, "one range 'ProfilerStep'", "");
    program_answers("$BIN steps --format svg $F", 2, "", "");
}

TEST(sums_are_those_of_the_part)
{
    struct program p;
    program_expect(&p, "$BIN kernels --format csv --range ProfilerStep@2-3 $F | grep -c 'k[23]'",
                   0);
    assert_string_equal(p.out, "2\n");
    program_free(&p);
    /* times count from the first event, at 100 us: 10 of the 20 us of k2 are in the part */
    program_expect(&p,
                   "$BIN report --format csv --from 100us --to 190us $F | "
                   "grep -E '^(wall|kernels_running|idle)_ns'",
                   0);
    assert_string_equal(p.out, "wall_ns,90000\nkernels_running_ns,10000\nidle_ns,80000\n");
    program_free(&p);
    program_answers("$BIN path --format csv --range 'ProfilerStep#3' $F | grep -c k3", 0, "", "");
}

/* Two ranks in a folder are one profile; each rank has rows for its own ranges. */
TEST(a_folder_of_ranks_is_one_profile)
{
    struct program p;
    program_expect(
        &p,
        "D=$(mktemp -d) && for r in 0 1; do sed "
        "\"s/{/{\\\"distributedInfo\\\":{\\\"rank\\\":$r},/\" $F "
        "> $D/rank$r.json; done; $BIN report $D; $BIN report --range ProfilerStep@-1 --format json "
        "$D | grep -c 'rank 1'; for c in path kernels tree roofline bricks timeline export; do "
        "$BIN $c $D > /dev/null || echo FAILED $c; done; $BIN compare $D $D > /dev/null || echo "
        "FAILED; "
        "rm -r $D",
        0);
    program_sees(&p, "By rank and device");
    program_sees(&p, "rank 0, GPU 0");
    program_sees(&p, "rank 1, GPU 0");
    program_sees(&p, "how their clocks became one");
    program_lacks(&p, "FAILED");
    program_free(&p);
}

/* Sessions have samples and live programs have not ended: neither has such parts. */
TEST(only_profiles_have_parts)
{
    struct program p;
    program_expect(&p,
                   "D=$(mktemp -d); $BIN record -o $D/s -d 0.1 -- sleep 0.3; "
                   "$BIN compare --from 1s $D/s $D/s; echo $?; $BIN --headless --range x $D/s; "
                   "echo $?; rm -r $D",
                   0);
    if (!strstr(p.out, "2\n2\n"))
        fail_msg("%s%s", p.out, p.err);
    assert_non_null(strstr(p.err, "only profiles have parts"));
    program_free(&p);
    program_answers("$BIN --headless --from 1s", 2, "", "");
}

TEST(parts_that_do_not_exist_are_errors)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {"$BIN report --range step $F", "the profile has no range 'step'"},
        {"$BIN report --range 'ProfilerSte#1' $F", "did you mean 'ProfilerStep#1'"},
        {"$BIN path --range ProfilerStep@4 $F", "there are only 3"},
        {"$BIN kernels --from 2s $F", "the profile is 310 us long"},
        {"$BIN kernels --from 2us --to 1us $F", "give --from before --to"},
        {"$BIN compare --from 1h $F $F", "'1h' is not a time"},
        {"$BIN timeline --range nothing $F", "the profile has no range 'nothing'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        program_expect(&p, cases[i].line, 2);
        if (!strstr(p.err, cases[i].says))
            fail_msg("%s: '%s' does not say '%s'", cases[i].line, p.err, cases[i].says);
        program_free(&p);
    }
}

TEST_MAIN(begin, end)
