/* System calls inside bricks, as a user asks for them, of a program that makes known calls in known
 * bricks. (Forks: not for TSan.) */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/brick_demo.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

#define DEMO "$DEMO --tokens 6 --threads 1 --quiet"
#define RUNS "ASAN_OPTIONS=detect_leaks=0 "

static const char calls_c[] =
    "#include <fcntl.h>\n#include <rooftop/brick.h>\n#include <stdlib.h>\n"
    "#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n"
    "static int many(long n)\n{\n"
    "    rooftop_timer t = rooftop_start(rooftop_brick(\"Many\"));\n"
    "    while (n-- > 0)\n        syscall(SYS_getppid);\n    rooftop_stop(t, 0);\n"
    "    return 0;\n}\n"
    "int main(int argc, char **argv)\n{\n    if (argc > 1)\n        return many(atol(argv[1]));\n"
    "    static char text[1000];\n    int fd = open(\"/dev/null\", O_WRONLY);\n"
    "    rooftop_timer outer = rooftop_start(rooftop_brick(\"Outer\"));\n"
    "    rooftop_timer t = rooftop_start(rooftop_brick(\"Sleeps\"));\n"
    "    nanosleep(&(struct timespec){0, 20000000}, 0);\n    rooftop_stop(t, 0);\n"
    "    t = rooftop_start(rooftop_brick(\"Writes\"));\n"
    "    for (int i = 0; i < 7; i++)\n        if (write(fd, text, 1000) != 1000)\n"
    "            return 1;\n"
    "    if (write(-1, text, 1) >= 0)\n        return 1;\n    rooftop_stop(t, 0);\n"
    "    t = rooftop_start(rooftop_brick(\"Computes\"));\n    rooftop_stop(t, 0);\n"
    "    rooftop_stop(outer, 0);\n    return 3;\n}\n";

static double number(const cJSON *o, const char *name)
{
    const cJSON *j = cJSON_GetObjectItem(o, name);
    if (!cJSON_IsNumber(j))
        fail_msg("%s is no number", name);
    return j->valuedouble;
}

static const cJSON *brick(const cJSON *document, const char *name)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(document, "rows"))
    {
        if (strcmp(cJSON_GetObjectItem(row, "name")->valuestring, name) == 0)
            return row;
    }
    fail_msg("no brick %s", name);
    return NULL;
}

/* The rows and what is outside add up to the trace, and no brick waits longer than it lasts. */
static void check_sums(const cJSON *j)
{
    static const char *const sums[] = {"syscalls", "syscall_errors", "syscalls_ns", "read_bytes",
                                       "written_bytes"};
    const cJSON *row;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        double sum = number(cJSON_GetObjectItem(j, "outside"), sums[i]);
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(j, "rows"))
        {
            sum += number(row, sums[i]);
            if (number(row, "syscalls") > 0)
                assert_true(number(row, "syscalls_ns") <= number(row, "total_ns"));
        }
        assert_true(sum == number(cJSON_GetObjectItem(j, "syscalls"), sums[i]));
    }
}

/* What calls_c does; each mechanism sees the same. */
static void check_calls(const char *text)
{
    cJSON *j = cJSON_Parse(text);
    assert_non_null(j);
    const cJSON *sleeps = brick(j, "Sleeps"), *writes = brick(j, "Writes");
    assert_true(number(sleeps, "syscalls") == 1);
    assert_non_null(strstr(cJSON_GetObjectItem(sleeps, "most_in")->valuestring, "nanosleep"));
    assert_true(number(sleeps, "most_ns") >= 20e6);
    assert_true(number(sleeps, "syscalls_ns") <= number(sleeps, "total_ns"));
    assert_true(number(sleeps, "written_bytes") == 0);
    assert_true(number(writes, "syscalls") == 8);
    assert_true(number(writes, "syscall_errors") == 1);
    assert_true(number(writes, "written_bytes") == 7000);
    assert_string_equal(cJSON_GetObjectItem(writes, "most_in")->valuestring, "write");
    assert_true(number(brick(j, "Computes"), "syscalls") == 0);
    assert_null(cJSON_GetObjectItem(brick(j, "Computes"), "most_in"));
    check_sums(j);
    cJSON_Delete(j);
}

/* The same in a tree, where a node has the calls of what is inside it, too. */
static void check_tree(const char *text)
{
    static const struct {
        const char *name;
        double calls, errors, written;
    } expected[] = {
        {"Outer", 9, 1, 7000}, {"Sleeps", 1, 0, 0}, {"Writes", 8, 1, 7000}, {"Computes", 0, 0, 0}};
    cJSON *j = cJSON_Parse(text);
    const cJSON *node;
    size_t i = 0;
    assert_non_null(j);
    cJSON_ArrayForEach(node, cJSON_GetObjectItem(j, "nodes"))
    {
        assert_string_equal(cJSON_GetObjectItem(node, "name")->valuestring, expected[i].name);
        assert_true(number(node, "syscalls") == expected[i].calls);
        assert_true(number(node, "syscall_errors") == expected[i].errors);
        assert_true(number(node, "written_bytes") == expected[i].written);
        assert_true(number(node, "syscalls_ns") <= number(node, "duration_ns"));
        assert_true(number(node, "most_ns") <= number(node, "syscalls_ns"));
        i++;
    }
    assert_int_equal(i, 4);
    assert_true(number(cJSON_GetObjectItem(j, "syscalls"), "syscalls") > 9);
    assert_true(number(cJSON_GetObjectItem(j, "elsewhere"), "syscalls") == 0);
    assert_true(number(j, "dropped_syscalls") == 0);
    cJSON_Delete(j);
}

/* The program is traced while it records its bricks. */
static void check_live(void)
{
    static const char *const by[] = {"", "--by ptrace "};
    struct program p;
    char line[200];
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        snprintf(line, sizeof line, RUNS "$BIN bricks --format json %s--syscalls -- $D/calls",
                 by[i]);
        program_expect(&p, line, 3);
        check_calls(p.out);
        program_free(&p);
    }
    program_expect(&p, RUNS "$BIN tree --format json --syscalls -- $D/calls", 3);
    check_tree(p.out);
    program_free(&p);
    program_expect(&p, RUNS "$BIN tree --syscalls -- $D/calls", 3);
    assert_non_null(strstr(p.out, "[9 system calls"));
    assert_non_null(strstr(p.out, "written 6.84 KiB, 1 failed]"));
    assert_non_null(strstr(p.out, "outside of these"));
    program_free(&p);
    program_expect(&p, RUNS "$BIN bricks --format json --syscalls -- " DEMO, 0);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    check_sums(j);
    assert_true(number(cJSON_GetObjectItem(j, "syscalls"), "syscalls") > 0);
    cJSON_Delete(j);
    program_free(&p);
}

/* Builds the program, once. False: nothing can be traced here. */
static bool can_trace(void)
{
    static int can = -1;
    struct program p;
    char *source = NULL;
    if (!getenv("DEMO"))
        skip(); /* program_rooftop has said why */
    if (can >= 0)
        return can;
    if (asprintf(&source, "%s/calls.c", temp_folder) < 0)
        fail();
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    fputs(calls_c, f);
    fclose(f);
    free(source);
    program_answers("cc -O1 -Iinclude $D/calls.c ${BUILD:-build/release}/librooftop.a -pthread "
                    "$SANITIZER -o $D/calls",
                    0, "", "");
    program_run(&p, "$BIN trace -o /dev/null -- true");
    can = p.status == 0;
    program_free(&p);
    return can;
}

TEST(bricks_have_their_system_calls)
{
    struct program p;
    if (!can_trace())
        skip_because("system calls cannot be traced here: rooftop doctor");
    program_expect(&p, RUNS "$BIN bricks --format json --syscalls $D/calls.json -- $D/calls", 3);
    check_calls(p.out);
    program_free(&p);
    check_live();
    program_expect(&p, "$BIN tree --format json --syscalls $D/again.json -- $D/calls", 3);
    check_tree(p.out);
    program_free(&p);
    program_answers(
        "mkdir $D/kept && ASAN_OPTIONS=detect_leaks=0 ROOFTOP_BRICKS=$D/kept $BIN trace "
        "--by ptrace --format json -o $D/saved.json -- $D/calls",
        3, "", "");
    program_expect(&p, "$BIN bricks --format json --syscalls $D/saved.json $D/kept/*.bricks", 0);
    check_calls(p.out);
    program_free(&p);
    program_expect(&p, "$BIN bricks --syscalls $D/saved.json $D/kept/*.bricks", 0);
    assert_non_null(strstr(p.out, "System calls in"));
    assert_non_null(strstr(p.out, "nanosleep"));
    program_free(&p);
    program_answers("$BIN bricks --format csv --syscalls $D/saved.json $D/kept/*.bricks", 0,
                    ",7000,", "");
    program_answers(
        "$BIN bricks --syscalls $D/saved.json tests/data/rocpd/synthetic_schema3.db 2>&1", 3,
        "its times are of another clock", "");
}

/* The tracer may be far behind when the program ends: nothing may be missing. */
TEST(no_call_is_missing)
{
    struct program p;
    if (!can_trace())
        skip_because("system calls cannot be traced here: rooftop doctor");
    program_expect(&p, RUNS "$BIN bricks --format json --syscalls -- $D/calls 100000", 0);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    if (strstr(p.err, "were lost"))
        assert_true(number(brick(j, "Many"), "syscalls") < 100000);
    else
        assert_true(number(brick(j, "Many"), "syscalls") == 100000);
    check_sums(j);
    cJSON_Delete(j);
    program_free(&p);
}

/* The calls of a path are those of its spans: here of all bricks. */
TEST(a_path_says_where_it_waits)
{
    struct program p;
    if (!can_trace())
        skip_because("system calls cannot be traced here: rooftop doctor");
    program_expect(&p, RUNS "$BIN path --format json --syscalls -- $D/calls", 3);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    const cJSON *all = cJSON_GetObjectItem(j, "syscalls"), *step;
    const cJSON *most = cJSON_GetArrayItem(cJSON_GetObjectItem(all, "calls"), 0);
    double calls = 0, ns = 0;
    assert_true(number(all, "syscalls") == 9);
    assert_true(number(all, "written_bytes") == 7000);
    assert_non_null(strstr(cJSON_GetObjectItem(most, "name")->valuestring, "nanosleep"));
    cJSON_ArrayForEach(step, cJSON_GetObjectItem(j, "steps"))
    {
        calls += number(step, "syscalls");
        ns += number(step, "syscalls_ns");
        assert_true(number(step, "syscalls_ns") <= number(step, "length_ns"));
    }
    assert_true(calls == 9);
    assert_true(ns == number(all, "syscalls_ns"));
    cJSON_Delete(j);
    program_free(&p);
    program_expect(&p, RUNS "$BIN path --syscalls -- $D/calls", 3);
    assert_non_null(strstr(p.out, "System calls in its spans: 9, "));
    assert_non_null(strstr(p.out, "[8 system calls "));
    program_free(&p);
    program_expect(&p, RUNS "$BIN path --format csv --syscalls -- $D/calls", 3);
    assert_non_null(
        strstr(p.out, ",syscalls,syscalls_ns,most_ns,most_in,lamport_entry,lamport_return,"));
    program_free(&p);
}

/* The calls of the thread are a lane of their own, and the path is that of the bricks. */
TEST(a_timeline_draws_the_calls)
{
    struct program p;
    if (!can_trace())
        skip_because("system calls cannot be traced here: rooftop doctor");
    program_expect(&p, RUNS "$BIN timeline --format json --syscalls -- $D/calls", 3);
    cJSON *j = cJSON_Parse(p.out);
    assert_non_null(j);
    const cJSON *lanes = cJSON_GetObjectItem(j, "lanes"), *spans = cJSON_GetObjectItem(j, "spans");
    const cJSON *span;
    double from = 0, to = 0;
    int writes = 0;
    assert_int_equal(cJSON_GetArraySize(lanes), 2);
    assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(lanes, 1), "kind")->valuestring,
                        "syscalls");
    cJSON_ArrayForEach(span, spans)
    {
        if (strcmp(cJSON_GetObjectItem(span, "name")->valuestring, "Writes") == 0) {
            assert_true(number(span, "syscalls") == 8);
            assert_true(number(span, "written_bytes") == 7000);
            from = number(span, "start_ns");
            to = from + number(span, "duration_ns");
        }
    }
    cJSON_ArrayForEach(span, spans)
    {
        const double at = number(span, "start_ns");
        if (number(span, "lane") != 1 || at < from || at >= to)
            continue;
        writes++;
        assert_string_equal(cJSON_GetObjectItem(span, "name")->valuestring, "write");
        assert_string_equal(cJSON_GetObjectItem(span, "kind")->valuestring, "syscall");
        assert_true(cJSON_IsFalse(cJSON_GetObjectItem(span, "critical")));
    }
    assert_int_equal(writes, 8);
    cJSON_Delete(j);
    program_free(&p);
    program_answers(RUNS "$BIN timeline --syscalls -- $D/calls", 3, "nanosleep", "");
    program_expect(&p,
                   RUNS "$BIN timeline --format csv --search write --syscalls $D/timeline.json -- "
                        "$D/calls",
                   3);
    assert_int_equal(program_lines(p.out), 10); /* the heading, the brick, its calls */
    program_free(&p);
}

TEST(a_trace_without_times_is_refused)
{
    struct program p;
    program_answers("$BIN bricks --syscalls x.json -p 1", 2, "", "with a command or with files");
    program_answers("$BIN path --syscalls -p 1", 2, "", "");
    program_answers("$BIN tree tests/data/rocpd/synthetic_schema3.db --syscalls", 2, "",
                    "needs the trace that was taken with it");
    program_expect(&p, "$BIN bricks --syscalls $D/none.json tests/data/rocpd/synthetic_schema3.db",
                   3);
    assert_string_equal(p.out, "");
    program_free(&p);
    program_answers("echo '{\"version\":\"0.4.1\",\"format\":\"renacer-json-v1\",\"syscalls\":["
                    "{\"name\":\"read\",\"args\":[\"0x0\"],\"result\":1}]}' >$D/old.json; "
                    "$BIN bricks --syscalls $D/old.json tests/data/rocpd/synthetic_schema3.db",
                    3, "", "does not say when its calls were made");
}

TEST_MAIN(brick_demo_begin, temp_folder_remove)
