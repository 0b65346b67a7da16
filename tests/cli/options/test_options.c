#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "support/test.h"

enum { ARGS_MAX = 16 };

/* Splits at blanks; "_" stands for an empty argument. */
static int parse_line(struct options *o, const char *line, struct error *err)
{
    static char buf[512], empty[] = "";
    static char *argv[ARGS_MAX + 1];
    int argc = 0;
    snprintf(buf, sizeof buf, "rooftop --no-config %s", line);
    if (strstr(line, "--config"))
        snprintf(buf, sizeof buf, "rooftop %s", line);
    for (char *p = strtok(buf, " "); p && argc < ARGS_MAX; p = strtok(NULL, " "))
        argv[argc++] = strcmp(p, "_") == 0 ? empty : p;
    argv[argc] = NULL;
    *err = (struct error)ERROR_INIT;
    return options_parse(o, argc, argv, err);
}

static void expect_ok(struct options *o, const char *line)
{
    struct error err;
    char text[1024];
    if (parse_line(o, line, &err) != 0)
        fail_msg("%s: %s", line, error_format(&err, text, sizeof text));
}

static void expect_error(const char *line, enum error_kind kind, const char *words)
{
    struct options o;
    struct error err;
    char text[1024];
    if (parse_line(&o, line, &err) == 0)
        fail_msg("'%s' was accepted", line);
    error_format(&err, text, sizeof text);
    assert_int_equal(err.kind, kind);
    if (!strstr(text, words))
        fail_msg("'%s' said '%s', not '%s'", line, text, words);
    assert_null(strchr(text, '\n'));
    options_free(&o);
}

/* The text of an option of the command's own. */
static const char *own_text(const struct options *o, const char *name)
{
    const struct command *c = command_named(o->command);
    return *(const char **)option_value(o, c->options[command_option_find(c, name, 0)].row);
}

FIXTURE(clean_environment)
{
    extern char **environ;
    for (char **e = environ; *e;) {
        if (strncmp(*e, "ROOFTOP_", 8) != 0) {
            e++;
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*e, "="), *e);
        unsetenv(name);
    }
}

TEST(defaults)
{
    struct options o;
    expect_ok(&o, "");
    assert_string_equal(o.command, "");
    assert_true(o.interval_s == 1);
    assert_string_equal(o.color, "auto");
    assert_string_equal(o.theme, "rooftop-dark");
    assert_false(o.headless || o.ascii || o.utf8 || o.no_mouse);
    assert_null(o.format);
    assert_int_equal(o.frames, 0);
    options_free(&o);
}

TEST(forms_of_values)
{
    static const char *const lines[] = {"-d 0.5",         "-d0.5",    "--interval=0.5",
                                        "--interval 0.5", "-d 500ms", "-d 0.5s"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct options o;
        expect_ok(&o, lines[i]);
        assert_true(o.interval_s == 0.5);
        options_free(&o);
    }
}

TEST(many_at_once)
{
    struct options o;
    expect_ok(&o, "--format jsonl --frames=3 --size 80x24 -o out.json -p 1,2 -e cycles:u --ascii");
    assert_string_equal(o.format, "jsonl");
    assert_int_equal(o.frames, 3);
    assert_int_equal(o.size_cols, 80);
    assert_int_equal(o.size_rows, 24);
    assert_string_equal(o.output, "out.json");
    assert_string_equal(o.pids, "1,2");
    assert_string_equal(o.events, "cycles:u");
    assert_true(o.ascii);
    assert_true(o.headless); /* --format implies it */
    options_free(&o);
}

TEST(flags_bundle)
{
    struct options o;
    expect_ok(&o, "-Vhd2");
    assert_true(o.version && o.help && o.interval_s == 2);
    options_free(&o);
}

TEST(everything_after_dashes_is_the_command)
{
    struct options o;
    expect_ok(&o, "-d 2 -- ls --frames -d x");
    assert_string_equal(o.argv[0], "ls");
    assert_string_equal(o.argv[3], "x");
    assert_null(o.argv[4]);
    assert_int_equal(o.frames, 0);
    options_free(&o);
}

TEST(sub_command_and_operands)
{
    struct options o;
    expect_ok(&o, "doctor --format json");
    assert_string_equal(o.command, "doctor");
    options_free(&o);
    expect_ok(&o, "help doctor");
    assert_int_equal(o.noperands, 1);
    assert_string_equal(o.operands[0], "doctor");
    assert_null(o.operands[1]);
    options_free(&o);
}

/* The same option may mean different things in different commands; each command's own row
 * counts. */
TEST(a_word_means_what_its_command_says)
{
    struct options o;
    expect_ok(&o, "replay edit --source k.hip --build make");
    assert_string_equal(o.command, "replay edit");
    assert_int_equal(o.noperands, 0);
    assert_string_equal(own_text(&o, "source"), "k.hip");
    options_free(&o);
    expect_ok(&o, "reproduce --source k.hip -o kernel");
    assert_string_equal(own_text(&o, "source"), "k.hip");
    options_free(&o);
    expect_ok(&o, "export --format chrome a.db");
    assert_string_equal(o.format, "chrome");
    assert_string_equal(o.operands[0], "a.db");
    options_free(&o);
    expect_error("report --format chrome a.db", ERROR_USAGE, "unknown value 'chrome'");
}

/* A command's name after an option is not taken for the option's value, nor the other way round. */
TEST(options_may_stand_before_the_command)
{
    struct options o;
    expect_ok(&o, "--format json -o tree doctor");
    assert_string_equal(o.command, "doctor");
    assert_string_equal(o.output, "tree");
    options_free(&o);
    expect_ok(&o, "replay --capture-dir compare full-vm --verify");
    assert_string_equal(o.command, "replay full-vm");
    assert_string_equal(o.replay.capture_dir, "compare");
    assert_true(o.replay.verify);
    options_free(&o);
    expect_ok(&o, "-- tree");
    assert_string_equal(o.command, "");
    options_free(&o);
}

/* A command that another command ends in (profile ends in the dashboard) finds the defaults of its
 * options. */
TEST(a_value_may_be_left_out)
{
    static const struct {
        const char *line, *value, *operand;
    } lines[] = {
        {"tree --syscalls -- true", "", NULL},
        {"tree --syscalls", "", NULL},
        {"tree --syscalls --calls -- true", "", NULL},
        {"--syscalls tree -- true", "", NULL},
        {"tree --syscalls a.json x.bricks", "a.json", "x.bricks"},
        {"tree x.bricks --syscalls=a.json", "a.json", "x.bricks"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct options o;
        expect_ok(&o, lines[i].line);
        assert_string_equal(o.command, "tree");
        assert_string_equal(o.syscalls, lines[i].value);
        assert_int_equal(o.noperands, lines[i].operand ? 1 : 0);
        if (lines[i].operand)
            assert_string_equal(o.operands[0], lines[i].operand);
        options_free(&o);
    }
    expect_error("tree --usdt -- true", ERROR_USAGE, "PROBES is missing");
}

TEST(each_option_has_its_default)
{
    struct options o;
    expect_ok(&o, "profile -- true");
    assert_true(o.interval_s == 1);
    assert_string_equal(o.theme, "rooftop-dark");
    assert_string_equal(own_text(&o, "tool"), "auto");
    assert_int_equal(o.repeat, 1);
    assert_true(options_layer(&o, "tool") == LAYER_DEFAULT);
    options_free(&o);
    expect_ok(&o, "profile --tool nsys -- true");
    assert_true(options_layer(&o, "tool") == LAYER_ARGS);
    assert_true(options_layer(&o, "nothing") == LAYER_DEFAULT);
    options_free(&o);
}

/* A word that looks like a path is a file, whether it exists or not; opening it reports what is
 * wrong. */
TEST(words_like_paths_are_files)
{
    static const char *const files[] = {"nosuch.db",      "./nosuch", "a/b",
                                        "nosuch.json.gz", "src",      "x.rooftop"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct options o;
        expect_ok(&o, files[i]);
        assert_string_equal(o.command, "");
        assert_int_equal(o.noperands, 1);
        assert_string_equal(o.operands[0], files[i]);
        options_free(&o);
    }
}

TEST(bad_lines_are_refused)
{
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"--inteval 3", "did you mean --interval?"},
        {"--formt=json", "did you mean --format?"},
        {"--xyzzy", "no such option"},
        {"-Z", "no such option"},
        {"-d", "SECONDS is missing"},
        {"-d --", "SECONDS is missing"},
        {"-d 0", "from 0.05 to 3600"},
        {"-d 3601", "from 0.05 to 3600"},
        {"-d nan", "not a time"},
        {"-d inf", "not a time"},
        {"-d 0x1", "not a time"},
        {"-d 1m", "not a time"},
        {"-d _", "not a time"},
        {"--frames 0", "out of range"},
        {"--frames 1.5", "not a whole number"},
        {"--frames 99999999999999999999", "out of range"},
        {"--size 80", "not WxH"},
        {"--size 80x", "not WxH"},
        {"--size x24", "not WxH"},
        {"--size 80x24x1", "not WxH"},
        {"--size 0x24", "out of range"},
        {"--size 80x1001", "out of range"},
        {"--format jsn", "did you mean 'json'?"},
        {"--format yaml", "text, json, jsonl, csv, openmetrics, ansi"},
        {"--format json=", "unknown value"},
        {"--color blue", "unknown value"},
        {"--view overveiw", "did you mean 'overview'?"},
        {"--theme _", "is empty"},
        {"--ascii=yes", "takes no value"},
        {"--ascii --utf8", "choose one"},
        {"-p 1 --cgroup x", "one target"},
        {"-p 1 -- ls", "one target"},
        {"--cgroup x -- ls", "one target"},
        {"-C 0 -p 1", "every CPU"},
        {"-C 0 -- ls", "every CPU"},
        {"--", "no command follows"},
        {"-- _", "no command follows"},
        {"docter", "did you mean 'doctor'?"},
        {"ls -l", "rooftop -- ls"},
        {"_", "no such command"},
        {"doctor -p 1", "option -p: not an option of rooftop doctor; see rooftop doctor --help; it "
                        "is an option of rooftop"},
        {"doctor --pid=1", "option --pid: not an option of rooftop doctor"},
        {"doctor --colour auto", "rooftop doctor has no such option; did you mean --color?"},
        {"tree --functions -- ls", "not an option of rooftop report tree"},
        {"--calls",
         "not an option of rooftop; see rooftop --help; it is an option of rooftop report tree"},
        {"replay compare --verify", "it is an option of rooftop gpu replay full-vm"},
        {"replay compar", "did you mean 'compare'?"},
        {"replay", "one of reserve-check, full-vm, compare, edit must follow"},
        {"golden", "one of check golden, check golden capture, check golden diff"},
        {"doctor --format svg", "give one of text, json"},
        {"tree --format", "FORMAT is missing; see rooftop report tree --help"},
        {"doctor -- ls", "starts no command"},
        {"--no-config --config x", "choose one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(cases[i].line, ERROR_USAGE, cases[i].words);
}

TEST(stronger_layers_win)
{
    struct options o;
    setenv("ROOFTOP_INTERVAL", "3", 1);
    setenv("ROOFTOP_NO_MOUSE", "true", 1);
    setenv("ROOFTOP_ASCII", "1", 1);
    setenv("ROOFTOP_FRAMES", "7", 1); /* the environment cannot set this option */
    expect_ok(&o, "");
    assert_true(o.interval_s == 3 && o.no_mouse && o.ascii);
    assert_int_equal(o.frames, 0);
    options_free(&o);
    expect_ok(&o, "-d 4 --utf8");
    assert_true(o.interval_s == 4 && o.utf8 && !o.ascii);
    options_free(&o);
    setenv("ROOFTOP_INTERVAL", "soon", 1);
    expect_error("", ERROR_USAGE, "ROOFTOP_INTERVAL");
    expect_ok(&o, "-d 4"); /* a value that a stronger layer overrides is not checked */
    options_free(&o);
    clean_environment(NULL);
}

/* --- lists --- */

static int target_of(const char *line, struct target *t, struct error *err)
{
    struct options o;
    expect_ok(&o, line);
    int rc = options_target(&o, t, err);
    options_free(&o);
    return rc;
}

TEST(pids_are_split_and_deduplicated)
{
    struct target t;
    struct error err = ERROR_INIT;
    char line[64];
    snprintf(line, sizeof line, "-p %d,%d,%d", (int)getpid(), (int)getppid(), (int)getpid());
    assert_int_equal(target_of(line, &t, &err), 0);
    assert_int_equal(t.kind, TARGET_PIDS);
    assert_int_equal(t.npids, getpid() == getppid() ? 1 : 2);
    assert_int_equal(t.pids[0], getpid());
    target_free(&t);
}

TEST(bad_lists_are_refused)
{
    static const struct {
        const char *line;
        enum error_kind kind;
    } cases[] = {
        {"-p x", ERROR_USAGE},
        {"-p 1,", ERROR_USAGE},
        {"-p ,1", ERROR_USAGE},
        {"-p 0", ERROR_USAGE},
        {"-p -1", ERROR_USAGE},
        {"-p +1", ERROR_USAGE},
        {"-p 1x", ERROR_USAGE},
        {"-p 99999999999", ERROR_USAGE},
        {"-p 2147483646", ERROR_TARGET},
        {"-C x", ERROR_USAGE},
        {"-C 3-1", ERROR_USAGE},
        {"-C 0,", ERROR_USAGE},
        {"-C 0-", ERROR_USAGE},
        {"-C 4096", ERROR_USAGE},
        {"-C 99999999999999999999", ERROR_USAGE},
        {"-C 4095", ERROR_TARGET},
        {"--cgroup no/such", ERROR_TARGET},
        {"--cgroup /etc/passwd", ERROR_TARGET},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target t;
        struct error err = ERROR_INIT;
        if (target_of(cases[i].line, &t, &err) == 0)
            fail_msg("'%s' was accepted", cases[i].line);
        if (err.kind != cases[i].kind)
            fail_msg("'%s': %s %s", cases[i].line, err.what, err.why);
    }
}

TEST(cpus_and_cgroup)
{
    struct target t;
    struct error err = ERROR_INIT;
    assert_int_equal(target_of("-C 0,0-0", &t, &err), 0);
    assert_int_equal(t.kind, TARGET_HOST);
    assert_true(t.cpus[0] && !t.cpus[1]);
    target_free(&t);
    /* the directory is not checked here */
    assert_int_equal(target_of("--cgroup /tmp", &t, &err), 0);
    assert_string_equal(t.cgroup, "/tmp");
    target_free(&t);
}

TEST(command_target)
{
    struct target t;
    struct error err = ERROR_INIT;
    assert_int_equal(target_of("-e cycles -- ls -l", &t, &err), 0);
    assert_int_equal(t.kind, TARGET_COMMAND);
    assert_true(t.spool_output); /* the dashboard needs the screen for itself */
    assert_string_equal(t.argv[1], "-l");
    assert_string_equal(t.event_spec, "cycles");
    target_free(&t);
    assert_int_equal(target_of("--headless -- ls", &t, &err), 0);
    assert_false(t.spool_output);
    target_free(&t);
}

TEST(too_many_pids)
{
    char list[1024] = "";
    struct options o = {.pids = list};
    struct target t;
    struct error err = ERROR_INIT;
    size_t n = 0;
    for (int i = 0; i < 70; i++) /* a repeated PID does not count */
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%d", i ? "," : "", (int)getpid());
    assert_int_equal(options_target(&o, &t, &err), 0);
    assert_int_equal(t.npids, 1);
    target_free(&t);
}

/* What one command takes is in a struct of its own: bench stopped after 20 runs because history put
 * the 20 of --baseline into the member that both had. The dashboard's values are in struct options,
 * since other commands end in it; so is --verify, which all replays look at. */
TEST(values_of_one_command_are_its_own)
{
    for (size_t i = 1; commands[i]; i++)
        for (const struct command_option *a = commands[i]->options; a->row; a++)
            if (!option_is_shared(a->row) && !a->row->own && !a->row->internal &&
                strcmp(a->row->name, "verify") != 0)
                fail_msg("--%s of %s is in struct options", a->row->name, commands[i]->name);
}

/* As profile does, which ends in a report. */
TEST(another_command_finds_its_own_values)
{
    struct options o;
    struct error err = ERROR_INIT;
    const struct command *kernels = command_named("kernels"), *path = command_named("path");
    expect_ok(&o, "profile --counters none --report path -- ls");
    assert_string_equal(own_text(&o, "counters"), "none");
    assert_string_equal(own_text(&o, "tool"), "auto");
    assert_int_equal(options_own(&o, kernels, &err), 0);
    o.command = "kernels";
    assert_string_equal(own_text(&o, "sort"), "time");
    assert_int_equal(options_own(&o, path, &err), 0);
    o.command = "path";
    assert_null(own_text(&o, "what-if"));
    options_free(&o);
}

TEST_MAIN(clean_environment, NULL)
