/*
 * The examples and rooftop's start still do what golden_traces/ has of them, and the examples keep
 * to the budgets of renacer.toml that no clock decides. scripts/check-golden.sh checks the times
 * too. (Forks: not for TSan.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/sanitized.h"
#include "support/skip.h"
#include "support/test.h"

FIXTURE(begin)
{
    const char *path = program_rooftop();
    char folder[4096];
    if (!path)
        return;
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen("/rooftop")), path);
    setenv("FOLDER", folder, 1);
}

#define CHECK "scripts/check-golden.sh \"$FOLDER\" --no-times"

TEST(as_before_and_within_budget)
{
    if (SANITIZED)
        skip_because("a build with sanitizers");
    struct program p;
    program_expect(&p, CHECK, 0);
    program_sees(&p, "rooftop_tree: as before\n");
    program_sees(&p, "similarity_search: 0 of ");
    program_free(&p);
    /* so it is when a user turns bricks off */
    program_answers("ROOFTOP_BRICKS=off " CHECK, 0, "", "");
}

/* The check can fail: at another output, and at another budget. */
TEST(what_changed_is_noticed)
{
    if (SANITIZED)
        skip_because("a build with sanitizers");
    static const char copy[] = "d=$(mktemp -d) && cp -r scripts golden_traces renacer.toml $d && "
                               "mkdir -p $d/tests/data && cp -r tests/data/path $d/tests/data && "
                               "f=$(realpath \"$FOLDER\") && cd $d && %s && "
                               "scripts/check-golden.sh $f --no-times; s=$?; rm -rf $d; exit $s";
    static const struct {
        const char *change, *says;
    } changes[] = {
        {"sed -i 's/stdout: [0-9]* bytes/stdout: 1 bytes/' golden_traces/rooftop_tree.json",
         "rooftop_tree: differs in 1 place"},
        {"sed -i 's/max_syscalls = 300/max_syscalls = 3/' renacer.toml",
         "FAIL  performance_demo max_syscalls"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char line[1024];
        struct program p;
        snprintf(line, sizeof line, copy, changes[i].change);
        program_expect(&p, line, 9);
        if (!strstr(p.err, changes[i].says))
            fail_msg("%s: not in\n%s", changes[i].says, p.err);
        program_free(&p);
    }
}

TEST_MAIN(begin, NULL)
