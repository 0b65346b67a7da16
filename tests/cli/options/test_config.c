#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/options/config.h"
#include "cli/options/generate.h"
#include "cli/options/options.h"
#include "tui/input/keys.h"
#include "support/test.h"

static int parse(struct options *o, const char *file, const char *extra, struct error *err)
{
    static char argv0[] = "rooftop", flag[] = "--config", path[512], more[64];
    char *argv[] = {argv0, flag, path, extra ? more : NULL, NULL};
    snprintf(path, sizeof path, "tests/data/config/%s", file);
    snprintf(more, sizeof more, "%s", extra ? extra : "");
    *err = (struct error)ERROR_INIT;
    return options_parse(o, extra ? 4 : 3, argv, err);
}

static void expect_read(struct options *o, const char *file)
{
    struct error err;
    char text[1024];
    if (parse(o, file, NULL, &err) != 0)
        fail_msg("%s: %s", file, error_format(&err, text, sizeof text));
}

/* Calls fn for each *.toml of a directory; returns their number. */
static int each_file(const char *dir, void (*fn)(const char *file))
{
    char path[256];
    snprintf(path, sizeof path, "tests/data/config/%s", dir);
    DIR *d = opendir(path);
    assert_non_null(d);
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!strstr(e->d_name, ".toml"))
            continue;
        snprintf(path, sizeof path, "%s/%.200s", dir, e->d_name);
        fn(path);
        n++;
    }
    closedir(d);
    return n;
}

static void check_valid(const char *file)
{
    struct options o;
    expect_read(&o, file);
    options_free(&o);
}

static void check_invalid(const char *file)
{
    struct options o;
    struct error err;
    char text[1024];
    if (parse(&o, file, NULL, &err) == 0)
        fail_msg("%s was accepted", file);
    error_format(&err, text, sizeof text);
    /* a contradiction between options names no file; all other errors do */
    if (!strstr(file, "both.toml")) {
        assert_int_equal(err.kind, ERROR_INPUT);
        if (!strstr(text, file))
            fail_msg("%s is not named: %s", file, text);
    }
    assert_null(strchr(text, '\n'));
    options_free(&o);
}

TEST(valid_files_are_read)
{
    assert_true(each_file("valid", check_valid) >= 6);
}

TEST(invalid_files_are_refused)
{
    assert_true(each_file("invalid", check_invalid) >= 20);
}

/* expected.txt has a line for each file: where the mistake is, and what it is. */
TEST(mistakes_are_told_where_they_are)
{
    char line[512], all[65536] = "", text[1024];
    FILE *f = fopen("tests/data/config/invalid/expected.txt", "r");
    assert_non_null(f);
    all[fread(all, 1, sizeof all - 1, f)] = '\0';
    fclose(f);
    int n = 0;
    for (char *p = strtok(all, "\n"); p; p = strtok(NULL, "\n")) {
        struct options o;
        struct error err;
        char file[64];
        if (sscanf(p, "%63[^:.].toml:", file) != 1 || !strstr(p, ".toml:"))
            continue; /* a contradiction names no file */
        snprintf(line, sizeof line, "invalid/%s.toml", file);
        assert_int_not_equal(parse(&o, line, NULL, &err), 0);
        error_format(&err, text, sizeof text);
        if (!strstr(text, p))
            fail_msg("'%s' does not say '%s'", text, p);
        options_free(&o);
        n++;
    }
    assert_true(n >= 25);
}

TEST(tables_bind_keys_and_name_presets)
{
    struct options o;
    expect_read(&o, "valid/tables.toml");
    assert_string_equal(keymap_keys(ACTION_HELP), "Alt-h");
    assert_string_equal(keymap_keys(ACTION_SORT_NEXT), "");
    assert_int_equal(o.npresets, 1);
    assert_string_equal(o.presets[0].name, "mine");
    assert_string_equal(o.presets[0].boxes, "overview: cpu processes");
    options_free(&o);
    expect_read(&o, "valid/empty.toml"); /* nothing of the previous one is left */
    assert_string_equal(keymap_keys(ACTION_HELP), "? F1");
    options_free(&o);
}

/* --print-config prints a configuration that reads back to the same one. */
TEST(the_printed_configuration_reads_back)
{
    static const char *const files[] = {"valid/all.toml", "valid/tables.toml", "valid/strings.toml",
                                        "valid/empty.toml"};
    char path[] = "/tmp/rooftop-config-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct options o, again;
        struct error err;
        char *text[2] = {NULL, NULL};
        size_t len[2];
        expect_read(&o, files[i]);
        o.config = "FILE";
        FILE *f = open_memstream(&text[0], &len[0]);
        generate_config(f, &o);
        fclose(f);
        options_free(&o);
        f = fopen(path, "w");
        fputs(text[0], f);
        fclose(f);
        char *argv[] = {"rooftop", "--config", path, NULL};
        if (options_parse(&again, 3, argv, &err) != 0)
            fail_msg("%s: %s: %s", files[i], err.what, err.why);
        again.config = "FILE";
        f = open_memstream(&text[1], &len[1]);
        generate_config(f, &again);
        fclose(f);
        options_free(&again);
        assert_string_equal(text[0], text[1]);
        free(text[0]);
        free(text[1]);
    }
    unlink(path);
}

TEST(every_key_arrives)
{
    struct options o;
    expect_read(&o, "valid/all.toml");
    assert_string_equal(o.events, "cycles,instructions");
    assert_int_equal(o.metrics[0], '/'); /* found beside the configuration file */
    assert_non_null(strstr(o.metrics, "/tests/data/config/valid/metrics.toml"));
    assert_true(o.interval_s == 0.5);
    assert_true(o.functions);
    assert_int_equal(o.sample_rate, 499);
    assert_string_equal(o.call_graph, "dwarf");
    assert_int_equal(o.size_cols, 100);
    assert_int_equal(o.size_rows, 30);
    assert_string_equal(o.view, "counters");
    assert_string_equal(o.filter, "");
    assert_string_equal(o.theme, "rooftop-light");
    assert_string_equal(o.color, "256");
    assert_true(o.ascii && !o.utf8 && o.no_mouse);
    assert_false(o.headless);
    options_free(&o);
    expect_read(&o, "valid/spacing.toml");
    assert_true(o.interval_s == 10.5);
    assert_string_equal(o.view, "overview");
    options_free(&o);
}

/* all.toml must contain every option that the configuration may set. */
TEST(all_toml_holds_all)
{
    char text[4096] = "";
    FILE *f = fopen("tests/data/config/valid/all.toml", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    for (const struct option_def *d = shared_options; d->name; d++) {
        char key[64];
        snprintf(key, sizeof key, "\n%s = ", d->name);
        if (d->config != (strstr(text, key) != NULL))
            fail_msg("%s", d->name);
    }
}

TEST(strings_are_unescaped)
{
    struct options o;
    expect_read(&o, "valid/strings.toml");
    assert_string_equal(o.theme, "C:\\no\\escape");
    assert_string_equal(o.filter, "tab\tquote\" \xc3\xa9 \xf0\x9f\x98\x80");
    options_free(&o);
}

TEST(messages_point_at_the_place)
{
    static const struct {
        const char *file, *place, *words;
    } cases[] = {
        {"invalid/unknown_key.toml", "unknown_key.toml:2:", "did you mean 'interval'?"},
        {"invalid/not_for_config.toml", "not_for_config.toml:1:", "--frames"},
        {"invalid/bare_text.toml", "bare_text.toml:1:", ""},
        {"invalid/out_of_range.toml", "out_of_range.toml:1:12", "from 0.05 to 3600"},
        {"invalid/twice.toml", "twice.toml:2:", "ascii"},
        {"no-such-file.toml", "no-such-file.toml", "No such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct options o;
        struct error err;
        char text[1024];
        assert_true(parse(&o, cases[i].file, NULL, &err) < 0);
        error_format(&err, text, sizeof text);
        if (!strstr(text, cases[i].place) || !strstr(text, cases[i].words))
            fail_msg("%s", text);
        options_free(&o);
    }
}

TEST(command_line_wins_over_the_file)
{
    struct options o;
    struct error err;
    assert_int_equal(parse(&o, "valid/all.toml", "--interval=7", &err), 0);
    assert_true(o.interval_s == 7);
    options_free(&o);
    assert_int_equal(parse(&o, "valid/all.toml", "--utf8", &err), 0);
    assert_true(o.utf8 && !o.ascii);
    options_free(&o);
    setenv("ROOFTOP_INTERVAL", "9", 1);
    assert_int_equal(parse(&o, "valid/all.toml", NULL, &err), 0);
    assert_true(o.interval_s == 9);
    options_free(&o);
    unsetenv("ROOFTOP_INTERVAL");
    /* a bad value is an error even if the command line overrides it */
    assert_true(parse(&o, "invalid/out_of_range.toml", "--interval=7", &err) < 0);
    options_free(&o);
}

TEST(the_usual_file_may_be_missing)
{
    char path[4096], argv0[] = "rooftop";
    char *argv[] = {argv0, NULL};
    struct options o;
    struct error err = ERROR_INIT;
    setenv("XDG_CONFIG_HOME", "/no/such/directory", 1);
    assert_string_equal(config_usual_path(path, sizeof path),
                        "/no/such/directory/rooftop/config.toml");
    assert_int_equal(options_parse(&o, 1, argv, &err), 0);
    options_free(&o);
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/home/nobody", 1);
    assert_string_equal(config_usual_path(path, sizeof path),
                        "/home/nobody/.config/rooftop/config.toml");
}

/* sudo may keep the home directory: then the configuration of the user who called sudo must not
 * decide what root runs. */
TEST(the_usual_file_must_be_ours)
{
    char home[] = "/tmp/rooftop-config-XXXXXX", path[256], argv0[] = "rooftop", line[128];
    char *argv[] = {argv0, NULL};
    struct options o;
    struct error err = ERROR_INIT;
    assert_non_null(mkdtemp(home));
    snprintf(line, sizeof line, "mkdir -p %s/rooftop", home);
    assert_int_equal(system(line), 0);
    setenv("XDG_CONFIG_HOME", home, 1);
    FILE *f = fopen(config_usual_path(path, sizeof path), "w");
    assert_non_null(f);
    fputs("interval = 7\n", f);
    fclose(f);
    assert_int_equal(options_parse(&o, 1, argv, &err), 0);
    assert_true(o.interval_s == 7);
    options_free(&o);
    assert_int_equal(chmod(path, 0646), 0);
    assert_true(options_parse(&o, 1, argv, &err) < 0);
    assert_non_null(strstr(err.why, "others may write in it"));
    assert_non_null(strstr(err.help, "--config"));
    options_free(&o);
    assert_int_equal(chmod(path, 0644), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_true(options_parse(&o, 1, argv, &err) < 0);
        assert_non_null(strstr(err.why, "belongs to another user"));
        options_free(&o);
        setenv("ROOFTOP_CONFIG", path, 1); /* a file that is named is trusted */
        assert_int_equal(options_parse(&o, 1, argv, &err), 0);
        assert_true(o.interval_s == 7);
        options_free(&o);
        unsetenv("ROOFTOP_CONFIG");
    }
    unlink(path);
    assert_int_equal(symlink("/dev/null", path), 0);
    assert_int_equal(options_parse(&o, 1, argv, &err), 0);
    options_free(&o);
    unsetenv("XDG_CONFIG_HOME");
    snprintf(line, sizeof line, "rm -rf %s", home);
    assert_int_equal(system(line), 0);
}
