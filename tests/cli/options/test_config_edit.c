/* Settings are changed in a configuration, and nothing else is: comments, order, other lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options/config.h"
#include "engine/value/text_file.h"
#include "support/temp_folder.h"
#include "support/test.h"

static void becomes(const char *before, struct config_setting s, const char *after)
{
    struct error err = ERROR_INIT;
    char *text = config_with(before, &s, &err);
    if (!text || strcmp(text, after) != 0)
        fail_msg("of\n%s\ncame\n%s", before, text ? text : err.why);
    free(text);
}

static void is_refused(const char *before, struct config_setting s)
{
    struct error err = ERROR_INIT;
    assert_null(config_with(before, &s, &err));
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_true(err.why[0] != '\0');
}

static const struct config_setting theme = {"", "theme", "dusk"},
                                   mine = {"presets", "mine", "overview: cpu"};

TEST(a_value_is_changed_where_it_stands)
{
    becomes("# mine\n\ntheme = \"x\" # dark\ninterval = 2\n", theme,
            "# mine\n\ntheme = \"dusk\" # dark\ninterval = 2\n");
    becomes("a = 'x' #\ntheme = 'y' # 'z'", theme, "a = 'x' #\ntheme = \"dusk\" # 'z'");
}

TEST(a_new_value_joins_its_table)
{
    becomes("", theme, "theme = \"dusk\"\n");
    becomes("#:schema x\n[keys]\nquit = \"X\"", theme,
            "#:schema x\ntheme = \"dusk\"\n[keys]\nquit = \"X\"");
    becomes("interval = 2 # s\n\n[keys]\n", theme,
            "interval = 2 # s\ntheme = \"dusk\"\n\n[keys]\n");
    becomes("[keys]\nquit = \"X\"", mine,
            "[keys]\nquit = \"X\"\n\n[presets]\nmine = \"overview: cpu\"\n");
    becomes("[presets]\na = \"procs\" # a\n# end\n[keys]\n", mine,
            "[presets]\na = \"procs\" # a\nmine = \"overview: cpu\"\n# end\n[keys]\n");
    becomes("[presets]\n# none\n", mine, "[presets]\nmine = \"overview: cpu\"\n# none\n");
}

TEST(names_and_values_are_quoted)
{
    becomes("", (struct config_setting){"presets", "a \"b\"\n", "x\\y"},
            "[presets]\n\"a \\\"b\\\"\\u000a\" = \"x\\\\y\"\n");
    becomes("[presets]\n\"a = b\" = 'old' # = \"c\"\n",
            (struct config_setting){"presets", "a = b", "new"},
            "[presets]\n\"a = b\" = \"new\" # = \"c\"\n");
}

/* What it does not understand stays as it is. */
TEST(odd_files_are_refused)
{
    is_refused("theme = \n", theme);
    is_refused("theme = 3\n", theme);
    is_refused("theme = \"\"\"\nx\"\"\"\n", theme);
    is_refused("presets = { mine = \"x\" }\n", mine);
}

static char *read_config(const char *path)
{
    char *text;
    size_t n;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read(&text, &n, path, &err), 0);
    return text;
}

/* The file is made with its folder; its mode stays; a link stays one; what fails changes nothing.
 */
TEST_WITH(the_file_is_replaced_at_once, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    struct stat st;
    char path[300], link[300];
    const struct config_setting both[] = {theme, mine};
    snprintf(path, sizeof path, "%s/a/b/config.toml", temp_folder);
    snprintf(link, sizeof link, "%s/link.toml", temp_folder);
    assert_int_equal(config_keep(path, both, 2, &err), 0);
    char *text = read_config(path);
    assert_string_equal(text, "theme = \"dusk\"\n\n[presets]\nmine = \"overview: cpu\"\n");
    free(text);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(config_keep(link, &(struct config_setting){"", "theme", "dawn"}, 1, &err), 0);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    text = read_config(path);
    assert_string_equal(text, "theme = \"dawn\"\n\n[presets]\nmine = \"overview: cpu\"\n");
    free(text);
    snprintf(path, sizeof path, "%s/a/b/config.toml/x", temp_folder);
    assert_true(config_keep(path, both, 1, &err) < 0);
    assert_int_equal(err.kind, ERROR_OUTPUT);
}

TEST_MAIN(NULL, NULL)
