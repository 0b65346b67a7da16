/* scripts/metrics.awk: rows of TOML become rows of C, or the build says what line is wrong. Forks:
 * not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/compiled.h"
#include "support/program.h"
#include "support/test.h"

FIXTURE(begin)
{
    compiled_new();
    setenv("D", compiled_dir(), 1);
}

FIXTURE(end)
{
    compiled_free();
}

/* Makes m.c from the text, then compiles and runs a program that prints the first row. */
static void made(struct program *p, const char *text)
{
    FILE *f = fopen(compiled_path("m.toml"), "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    f = fopen(compiled_path("main.c"), "w");
    assert_non_null(f);
    fputs("#include <stdio.h>\n#include \"engine/live/metric.h\"\n"
          "int main(void)\n{\n    const struct metric_def *d = metric_table;\n"
          "    printf(\"%s %s %d %d %g %d\\n\", d->id, d->what, d->unit == UNIT_PER_CYCLE,\n"
          "           d->group == METRIC_TOPDOWN, d->warn_above, d->optional);\n}\n",
          f);
    assert_int_equal(fclose(f), 0);
    program_run(
        p, "{ awk -f scripts/metrics.awk src/engine/value/value.c $D/m.toml >$D/m.c &&"
           " ${CC:-cc} -std=c17 -Wextra -Werror -D_GNU_SOURCE -Isrc -o $D/m $D/m.c $D/main.c &&"
           " $D/m; } 2>&1");
}

TEST(a_row_becomes_a_row)
{
    struct program p;
    made(&p,
         "# first\n\n[[metric]]\nid = \"x\"\ngroup=\"topdown\"\nunit = \"1/cycle\"\n"
         "what = \"Is it \\\"high\\\" \\\\ low?\?( = # yes\"\nwarn_above = 2.5\noptional = true\n");
    assert_string_equal(p.out, "x Is it \"high\" \\ low?\?( = # yes 1 1 2.5 1\n");
    program_free(&p);
}

TEST(a_wrong_line_is_told)
{
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"[[metric]]\nid = x\n", "m.toml:2: write [[metric]]"},
        {"[[metric]]\nid = \"a\" # why\n", "m.toml:2: write [[metric]]"},
        {"[[metric]]\nid = \"a\\x\"\n", "m.toml:2: write [[metric]]"},
        {"[[metric]]\n\n\"id\" = 1\n", "m.toml:3: write [[metric]]"},
        {"[[event]]\n", "m.toml:1: write [[metric]]"},
        {"id = \"a\"\n", "m.toml:1: this key is outside of [[metric]]"},
        {"[[metric]]\nid = \"a\"\nunit = \"hz\"\n", "m.toml:3: there is no unit \"hz\""},
        /* the compiler reports the line */
        {"[[metric]]\nid = \"a\"\n\ngroup = \"caches\"\n", "m.toml:4:"},
        {"[[metric]]\n# a\nlabels = \"a\"\n", "m.toml:3:"},
        {"[[metric]]\nid = \"a\"\nid = \"b\"\n", "m.toml:3:"},
        {"[[metric]]\nid = \"a\"\nlevel = 1.2.3\n", "m.toml:3:"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct program p;
        made(&p, wrong[i].text);
        if (p.status == 0 || !strstr(p.out, wrong[i].said))
            fail_msg("exit %d; not '%s':\n%s", p.status, wrong[i].said, p.out);
        program_free(&p);
    }
}

TEST_MAIN(begin, end)
