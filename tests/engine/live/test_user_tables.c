#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/live/user_tables.h"
#include "engine/value/toml.h"
#include "support/test.h"

#define VALID   "tests/data/metrics/valid/"
#define INVALID "tests/data/metrics/invalid/"

TEST(valid_file_gives_events_and_metrics)
{
    struct user_tables *t;
    struct error err = ERROR_INIT;
    if (user_tables_load(&t, VALID "cache.toml", false, &err))
        fail_msg("%s: %s", err.what, err.why);
    assert_int_equal(t->nevents, 2);
    assert_string_equal(t->events[0].name, "l2_fill");
    assert_string_equal(t->events[0].spec, "cpu/event=0x44,umask=0x08/");
    assert_string_equal(t->events[0].set, "mine");
    assert_string_equal(t->events[0].desc, "lines filled from L2 — \"µ\"");
    assert_int_equal(t->events[1].line, 8);
    assert_int_equal(t->nmetrics, 2);
    assert_string_equal(t->metrics[0].id, "l2_fill_rate");
    assert_string_equal(t->metrics[0].formula, "l2_fill / interval");
    assert_int_equal(t->metrics[0].unit, UNIT_COUNT_PER_S);
    assert_int_equal(t->metrics[0].group, METRIC_USER);
    assert_true(t->metrics[0].warn_above == 1e6);
    assert_string_equal(t->metrics[1].label, "fills_per_inst");
    assert_string_equal(t->metrics[1].cpus, "any");
    assert_int_equal(t->metric_lines[1], 24);
    struct metric_set *m;
    assert_int_equal(metric_compile(&m, "zen4", t, &err), 0);
    metric_free(m);
    user_tables_free(t);
}

/* The events that -e adds are in the set "user": their names are not known when the file is read.
 */
TEST(names_of_other_places_are_taken)
{
    struct user_tables *t;
    struct error err = ERROR_INIT;
    if (user_tables_load(&t, VALID "names.toml", false, &err))
        fail_msg("%s: %s; %s", err.what, err.why, err.help);
    assert_int_equal(t->nmetrics, 3);
    user_tables_free(t);
    assert_true(user_tables_load(&t, INVALID "unknown_name.toml", false, &err) < 0);
    assert_int_equal(user_tables_load(&t, INVALID "unknown_name.toml", true, &err), 0);
    user_tables_free(t);
}

TEST(empty_file_is_valid)
{
    struct user_tables *t;
    assert_int_equal(user_tables_load(&t, VALID "empty.toml", false, NULL), 0);
    assert_int_equal(t->nevents + t->nmetrics, 0);
    user_tables_free(t);
}

TEST(mistakes_are_placed_and_named)
{
    static const struct {
        const char *file, *place, *why, *help;
    } cases[] = {
        {"syntax.toml", ":2:", "", ""},
        {"unknown_key.toml", ":4:", "no key 'sett'", "'set'"},
        {"unknown_table.toml", ":1:", "unknown kind", "[[event]]"},
        {"stray_key.toml", ":1:", "is outside of", ""},
        {"wrong_type.toml", ":3:8", "spec must be a string, not a number", ""},
        {"missing_spec.toml", ":1:", "no spec", ""},
        {"missing_formula.toml", ":4:", "no formula", ""},
        {"duplicate_event.toml", ":5:", "an earlier event", ""},
        {"duplicate_metric.toml", ":6:", "an earlier metric", ""},
        {"builtin_id.toml", ":3:", "built-in", ""},
        {"bad_formula.toml", ":3:11", "column 5", ""},
        {"bad_unit.toml", ":4:8", "unknown unit", "B/s"},
        {"bad_name.toml", ":2:8", "letters", ""},
        {"duplicate_key.toml", ":3:", "", ""},
        {"control.toml", ":4:", "control", ""},
        {"zero_bytes.toml", ":1:3", "control", ""},
        {"not_ascii.toml", ":1:1", "not ASCII", ""},
        {"bracket.toml", ":1:", "", ""},
        {"unknown_name.toml", ":7:11", "no event of set 'user' and no metric is called 'fault'",
         "did you mean 'faults'"},
        {"unquoted.toml", ":7:11", "is called 'page'", "quote a name with '-': 'page-faults'"},
        {"other_set.toml", ":8:11", "is called 'faults'", "mine.faults"},
        {"unknown_set.toml", ":3:11", "there is no set 'sofware'", "did you mean 'software'"},
        {"own_name.toml", ":3:11", "is called 'per_s'", ""},
        {"unknown_cpu.toml", ":3:11", "'zen44'", "did you mean 'zen4'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[256], place[300];
        struct user_tables *t;
        struct error err = ERROR_INIT;
        snprintf(path, sizeof path, INVALID "%s", cases[i].file);
        snprintf(place, sizeof place, "%s%s", path, cases[i].place);
        assert_true(user_tables_load(&t, path, false, &err) < 0);
        assert_null(t);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (strncmp(err.what, place, strlen(place)) != 0 || !strstr(err.why, cases[i].why) ||
            !strstr(err.help, cases[i].help))
            fail_msg("%s: %s; %s (%s)", err.what, err.why, err.help, cases[i].file);
        assert_true(*err.why);
    }
}

TEST(unreadable_files_are_refused)
{
    struct user_tables *t;
    struct error err = ERROR_INIT;
    assert_int_equal(user_tables_load(&t, INVALID "not-there.toml", false, &err), -2);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_true(user_tables_load(&t, "tests/data/metrics", false, &err) < 0);
    char path[] = "/tmp/rooftop-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (1 << 20) + 1), 0);
    assert_true(user_tables_load(&t, path, false, &err) < 0);
    assert_non_null(strstr(err.why, "1 MiB"));
    close(fd);
    unlink(path);
}

/* With --metrics <(generate) the content may arrive late: reading waits for it. */
TEST(a_pipe_is_read_to_its_end)
{
    int ends[2];
    char path[64];
    struct user_tables *t = NULL;
    struct error err = ERROR_INIT;
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        const int in = open(VALID "cache.toml", O_RDONLY);
        char byte;
        while (in >= 0 && read(in, &byte, 1) == 1)
            if (write(ends[1], &byte, 1) != 1)
                break;
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    if (user_tables_load(&t, path, false, &err) != 0)
        fail_msg("a pipe: %s", err.why);
    assert_true(t->nmetrics > 0);
    user_tables_free(t);
    close(ends[0]);
    waitpid(pid, NULL, 0);
}

static int stop(void *ctx, const struct toml_item *item)
{
    (void)item;
    ++*(int *)ctx;
    return 77;
}

TEST(walk_stops_and_survives_depth)
{
    struct toml_failure bad;
    int calls = 0;
    static char deep[20000];
    assert_int_equal(toml_walk("a=1\nb=2\n", 8, stop, &calls, &bad), 77);
    assert_int_equal(calls, 1);
    memset(deep, '[', sizeof deep);
    memcpy(deep, "a=", 2);
    assert_true(toml_walk(deep, sizeof deep, stop, &calls, &bad) < 0);
    assert_true(bad.line >= 1 && *bad.why);
}
