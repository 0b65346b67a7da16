/*
 * Numbers for people are written in one way: in the texts of all commands that read a file or run a
 * program, and in the kept pictures of all views. The law is in support/units_law.h.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/program.h"
#include "support/test.h"
#include "support/units_law.h"

#define STEPS "tests/data/chrome/kineto_steps.json"
#define CUDA  "tests/data/chrome/kineto_cuda.json"
#define ROCPD "tests/data/rocpd/synthetic_schema3.db"
#define WAVES "tests/data/att/ui_output_agent_2_dispatch_1"
#define CALLS "tests/data/renacer/full_pipe.json"
#define PPROF "tests/data/samples/go_cpu.pprof"
#define BRICK "${BIN%/rooftop}/examples/matrix_operations/matrix_operations"

static const char *const commands[] = {
    "report " STEPS,
    "report " CUDA,
    "report " ROCPD,
    "report " CALLS,
    "report " PPROF,
    "report " WAVES,
    "report " WAVES " waves",
    "report " STEPS " kernels",
    "report " ROCPD " kernels",
    "report " STEPS " steps",
    "report " STEPS " path",
    "report " ROCPD " path",
    "report " CALLS " path",
    "report " STEPS " tree",
    "report " ROCPD " tree",
    "report " CALLS " tree",
    "report " STEPS " timeline --search gemm",
    "report " STEPS " timeline --range ProfilerStep#11",
    "report " ROCPD " roofline",
    "report " ROCPD " bricks",
    "report bricks --syscalls -- " BRICK,
    "report tree --syscalls -- " BRICK,
    "report roofline -- " BRICK,
    "report path -- " BRICK,
    "report --brief " STEPS,
    "report --brief " ROCPD,
    "report --brief " CALLS,
    "report --brief " PPROF,
    "compare " STEPS " " CUDA,
    "compare " ROCPD " " ROCPD,
    "compare --brief " ROCPD " " ROCPD,
    "compare --for 0.5 -- true -- true",
    "compare --for 0.5 --brief -- true -- true",
    "trace -c --stats-extended -- true",
    "trace --function-time -- true",
    "trace -T -- true",
    "trace --brief -- true",
    "check renacer.toml -- true",
    "check --brief renacer.toml -- true",
    "gpu code object tests/data/gpu/hsaco/reduce.gfx942.v5.hsaco",
    "doctor",
    "doctor events cache",
    "--headless --size 120x40 -r 2 -- true",
    "--headless --size 120x40 --brief -- true",
    "--headless --size 120x40 " STEPS,
    "--headless --size 120x40 " ROCPD,
    "--headless --size 120x40 " PPROF,
};

TEST(texts_of_commands_write_numbers_in_one_way)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct program p;
        char line[300], breach[400];
        snprintf(line, sizeof line, "\"$BIN\" %s", commands[i]);
        program_run(&p, line);
        if (strlen(p.out) + strlen(p.err) == 0)
            fail_msg("%s: printed nothing, status %d", commands[i], p.status);
        if (units_law_broken(p.out, breach, sizeof breach) ||
            units_law_broken(p.err, breach, sizeof breach))
            fail_msg("%s: %s", commands[i], breach);
        program_free(&p);
    }
}

TEST(pictures_of_views_write_numbers_in_one_way)
{
    glob_t all;
    char breach[400];
    assert_int_equal(glob("tests/data/golden/*.screen", 0, NULL, &all), 0);
    assert_true(all.gl_pathc > 100);
    for (size_t i = 0; i < all.gl_pathc; i++) {
        FILE *f = fopen(all.gl_pathv[i], "r");
        char *line = NULL;
        size_t size = 0;
        assert_non_null(f);
        while (getline(&line, &size, f) > 0)
            if (units_law_broken(line, breach, sizeof breach))
                fail_msg("%s: %s", all.gl_pathv[i], breach);
        free(line);
        fclose(f);
    }
    globfree(&all);
}

TEST(the_law_finds_what_it_forbids)
{
    static const char *const forbidden[] = {
        "took 1760.3us", "took 1760.3 us", "took 12.3µs",        "took 12.3 µs",      "holds 12 KB",
        "is 36.9%",      "in 200.000 us",  "a mean of 123.4 ms", "calls  total us\n", "mean (us) ",
    };
    static const char *const allowed[] = {
        "took 1.76 ms",     "345 us",   "holds 12.0 KiB", "at 36.0 GB/s", "is 36.9 %",
        "from 1.405000 ms", "--for 2s", "usecs/call",     "slower=5%",    "│  50%┤",
    };
    char breach[400];
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
        if (!units_law_broken(forbidden[i], breach, sizeof breach))
            fail_msg("'%s' is not found", forbidden[i]);
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
        if (units_law_broken(allowed[i], breach, sizeof breach))
            fail_msg("'%s' is said to be wrong: %s", allowed[i], breach);
}
