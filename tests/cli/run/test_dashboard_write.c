/* What the dashboard writes to files: the picture of a view as its document, and settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/program.h"
#include "support/pty.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define TRACE "tests/data/path/streams.json"

static struct pty p;

static void start(const char *view, const char *more)
{
    static char config[300];
    snprintf(config, sizeof config, "%s/config.toml", temp_folder);
    const char *const argv[] = {program_rooftop(), TRACE,  "--view", view,
                                "--config",        config, more,     NULL};
    static const char *const env[] = {"TERM=xterm-256color", "LC_ALL=C.UTF-8", NULL};
    program_needed();
    temp_folder_put("config.toml", "# mine\ntheme = \"rooftop-dark\" # dark\n");
    assert_int_equal(
        pty_start(&p, &(struct pty_config){.argv = argv, .env = env, .cols = 160, .rows = 40}), 0);
    assert_true(pty_until_text(&p, "streams.json"));
}

static void finish(void)
{
    pty_keys(&p, "\003");
    assert_true(pty_until_state(&p, PTY_GONE));
    pty_end(&p);
}

static void type_line(const char *before, const char *after)
{
    char line[400];
    snprintf(line, sizeof line, ":%s%s%s\r", before, temp_folder, after);
    pty_keys(&p, line);
}

/* The file is what the command of the view writes. */
TEST_WITH(a_view_is_drawn_as_its_document, temp_folder_make, temp_folder_remove)
{
    static const char *const view[] = {"tree", "timeline", "path", "roofline"};
    for (size_t i = 0; i < sizeof view / sizeof *view; i++) {
        char line[300];
        start(view[i], NULL);
        type_line("write ", "/out.svg");
        assert_true(pty_until_text(&p, "/out.svg"));
        assert_true(pty_until_text(&p, "wrote "));
        finish();
        snprintf(line, sizeof line,
                 "$BIN report %s --format svg " TRACE " >$D/as.svg && cmp $D/out.svg $D/as.svg",
                 view[i]);
        program_answers(line, 0, "", "");
    }
}

/* A view without such a document is drawn as the screen is. All files are named. */
TEST_WITH(other_views_are_drawn_as_the_screen, temp_folder_make, temp_folder_remove)
{
    start("kernels", NULL);
    type_line("write ", "/all");
    assert_true(pty_until_text(&p, ".txt, .svg, .json and .rooftop"));
    finish();
    program_answers("grep -c '<svg' $D/all.svg; grep -q gemm_f16 $D/all.svg", 0, "1", "");
}

TEST_WITH(the_theme_is_kept_beside_comments, temp_folder_make, temp_folder_remove)
{
    start("tree", NULL);
    pty_keys(&p, ":theme rooftop-safe-dark\r");
    pty_keys(&p, ":save\r");
    assert_true(pty_until_text(&p, "kept in "));
    pty_keys(&p, ":save my view\r");
    assert_true(pty_until_text(&p, "my view"));
    finish();
    program_answers(
        "cat $D/config.toml", 0,
        "# mine\ntheme = \"rooftop-safe-dark\" # dark\n\n[presets]\n\"my view\" = \"tree\"\n", "");
}

/* Keys that were bound while it ran are shown by ?, kept, and in force the next time. */
TEST_WITH(bound_keys_are_kept, temp_folder_make, temp_folder_remove)
{
    start("tree", NULL);
    pty_keys(&p, ":bind view-path X\r");
    assert_true(pty_until_text(&p, "view-path: X; :save keeps it"));
    pty_keys(&p, ":bind time-back none\r:save\r");
    assert_true(pty_until_text(&p, "[keys] view-path = \"X\""));
    pty_keys(&p, "X");
    assert_true(pty_until_text(&p, "critical path: step by step"));
    finish();
    program_answers("cat $D/config.toml", 0,
                    "# mine\ntheme = \"rooftop-dark\" # dark\n\n"
                    "[keys]\nview-path = \"X\"\ntime-back = \"\"\n",
                    "");
    program_answers("$BIN --config $D/config.toml --print-config", 0, "view-path = \"X\"", "");
}

/* Where it cannot be written, the line and the file are told. */
TEST_WITH(what_cannot_be_kept_is_told, temp_folder_make, temp_folder_remove)
{
    start("tree", NULL);
    program_answers("printf 'theme = [\\n' >$D/config.toml", 0, "", "");
    pty_keys(&p, ":save\r");
    assert_true(pty_until_text(&p, "write it yourself: theme = \"rooftop-dark\""));
    finish();
    program_answers("cat $D/config.toml", 0, "theme = [\n", "");
    start("tree", "--readonly");
    pty_keys(&p, ":save\r");
    assert_true(pty_until_text(&p, "save: "));
    finish();
    program_answers("cat $D/config.toml", 0, "# mine\ntheme = \"rooftop-dark\" # dark\n", "");
}

TEST_MAIN(NULL, NULL)
