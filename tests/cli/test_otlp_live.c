/*
 * Spans are sent while programs run, by every command that watches them: each span once, below what
 * it ran in; whatever happens to the collector, or to rooftop. (Forks: not for TSan.)
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/delivery/http.h"
#include "support/collector.h"
#include "support/otlp_read.h"
#include "support/program.h"
#include "support/pty.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* More spans than the program's ring holds (8192): who reads it only at the end has lost some. */
enum { ROUNDS = 4000, SPANS = 3 * ROUNDS };
/* Where it is built with the address sanitizer, the search for leaks at its end would be a second
 * process of its name for a moment (clone without CLONE_THREAD), which has a span where a look at
 * /proc finds it. */
static const char steps_c[] = "#include <time.h>\n"
                              "int __lsan_is_turned_off(void) { return 1; }\n"
                              "#include <rooftop/brick.h>\n"
                              "int main(int argc, char **argv)\n"
                              "{\n"
                              "    rooftop_id outer = rooftop_brick(\"Outer\");\n"
                              "    rooftop_id inner = rooftop_brick(\"Inner\");\n"
                              "    (void)argv;\n"
                              "    for (int i = 0; argc > 1 || i < 4000; i++) {\n"
                              "        rooftop_timer a = rooftop_start(outer);\n"
                              "        rooftop_stop(rooftop_start(inner), 3);\n"
                              "        rooftop_stop(rooftop_start(inner), 4);\n"
                              "        rooftop_stop(a, 5);\n"
                              "        if (i % 4 == 0)\n"
                              "            nanosleep(&(struct timespec){0, 1000000}, 0);\n"
                              "    }\n"
                              "    return 3;\n"
                              "}\n";
static const char *const good[] = {ANSWER_200, NULL};

static int begin(void **state)
{
    const int rc = temp_folder_make(state);
    char path[256];
    if (!program_rooftop())
        return rc;
    setenv("D", temp_folder, 1);
    setenv("XDG_STATE_HOME", temp_folder, 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    unsetenv("TRACEPARENT");
#if defined(__SANITIZE_ADDRESS__)
    setenv("SANITIZER", "-fsanitize=address,undefined", 1);
#endif
    snprintf(path, sizeof path, "%s/steps.c", temp_folder);
    FILE *f = fopen(path, "w");
    fputs(steps_c, f);
    fclose(f);
    program_answers("cc -O1 -Iinclude $D/steps.c ${BUILD:-build/release}/librooftop.a -pthread "
                    "$SANITIZER -o $D/steps",
                    0, "", "");
    return rc;
}

static void open_collector(struct collector *c, int port, const char *const *answers)
{
    struct error err = ERROR_INIT;
    char text[16];
    if (!program_rooftop())
        skip(); /* it has said why */
    if (!http_available(ENDPOINT_PROTOBUF, NULL, 0, &err))
        skip_because("sending spans: %s", err.why);
    collector_start(c, port, answers);
    snprintf(text, sizeof text, "%d", c->port);
    setenv("PORT", text, 1);
}

static void read_all(struct collector *c, struct read_spans *s)
{
    collector_stop(c);
    for (size_t i = 0; i < c->n; i++)
        otlp_read(s, c->list[i].body, c->list[i].n);
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct read_span *)a)->id, ((const struct read_span *)b)->id);
}

/* How many there are of a name. Every identifier is there once, and who is below a span that came
 * ran while it did. whole: everything came, so each one but the first of all is below another. */
static size_t check(struct read_spans *s, const char *name, bool whole)
{
    size_t n = 0, roots = 0;
    qsort(s->list, s->n, sizeof *s->list, by_id);
    for (size_t i = 0; i < s->n; i++) {
        const struct read_span *x = &s->list[i];
        struct read_span key;
        if (i && strcmp(x[-1].id, x->id) == 0)
            fail_msg("%s %s came twice", x->name, x->id);
        n += strcmp(x->name, name) == 0;
        snprintf(key.id, sizeof key.id, "%s", x->parent);
        const struct read_span *up = bsearch(&key, s->list, s->n, sizeof *s->list, by_id);
        roots += !up;
        if (up && (up->begin > x->begin || up->end < x->end))
            fail_msg("%s is not inside of %s: %llu %llu, %llu %llu", x->name, up->name,
                     (unsigned long long)x->begin, (unsigned long long)x->end,
                     (unsigned long long)up->begin, (unsigned long long)up->end);
        if (up && strcmp(x->name, "Inner") == 0)
            assert_string_equal(up->name, "Outer");
    }
    if (whole && roots != 1)
        fail_msg("%zu of %zu spans are below none", roots, s->n);
    return n;
}

/* The number before a text in a message; 0: it was not said. */
static size_t told(const char *messages, const char *text)
{
    const char *at = strstr(messages, text);
    while (at && at > messages && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at ? strtoul(at, NULL, 10) : 0;
}

/* --- each command --- */

static void sends_all(const char *line)
{
    struct program p;
    struct collector c;
    struct read_spans s = {.n = 0};
    open_collector(&c, 0, good);
    program_expect(&p, line, 3);
    read_all(&c, &s);
    const size_t missed = told(p.err, " records of bricks were overwritten");
    const size_t outer = check(&s, "Outer", missed == 0), inner = check(&s, "Inner", missed == 0);
    const struct read_span *command = otlp_named(&s, "steps");
    otlp_has(command->attrs, "process.exit.code=3");
    otlp_has(s.resource, "service.name=steps");
    assert_int_equal(s.n, outer + inner + 1);
    /* a record is a span, or says that the thread began */
    if (outer + inner + missed != SPANS && outer + inner + missed != SPANS + 1)
        fail_msg("%zu and %zu spans, %zu missed, of %d; %s", outer, inner, missed, SPANS, p.err);
    if (c.n < 2)
        fail_msg("it sent only at the end");
    program_free(&p);
    otlp_read_free(&s);
    collector_free(&c);
}

TEST_WITH(test_record, begin, temp_folder_remove)
{
    sends_all("$BIN record -o $D/s.rooftop --otlp http://127.0.0.1:$PORT --otlp-wait 60 -- "
              "$D/steps");
}

TEST_WITH(test_tree, begin, temp_folder_remove)
{
    sends_all("$BIN tree --otlp http://127.0.0.1:$PORT --otlp-wait 60 -- $D/steps");
}

/* One document of the whole run: nothing is sampled before its end, but spans are sent. */
TEST_WITH(test_headless, begin, temp_folder_remove)
{
    sends_all("$BIN --headless --format json --otlp http://127.0.0.1:$PORT --otlp-wait 60 -- "
              "$D/steps");
}

TEST_WITH(test_stream, begin, temp_folder_remove)
{
    sends_all("$BIN --headless --format jsonl -d 0.2 --otlp http://127.0.0.1:$PORT --otlp-wait 60 "
              "-- $D/steps");
}

/* --- the dashboard --- */

TEST_WITH(test_dashboard, begin, temp_folder_remove)
{
    struct collector c;
    struct read_spans s = {.n = 0};
    struct pty p;
    char url[64], program[256];
    open_collector(&c, 0, good);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", c.port);
    snprintf(program, sizeof program, "%s/steps", temp_folder);
    const char *const argv[] = {program_rooftop(), "--otlp",  url, "--otlp-wait", "60", "--",
                                program,           "endless", NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv}), 0);
    assert_true(pty_until_text(&p, "steps"));
    collector_wait(&c, 2); /* while it runs */
    pty_keys(&p, "q");
    assert_true(pty_until_text(&p, "leave rooftop?")); /* the program ends with it */
    pty_keys(&p, "y");
    assert_true(pty_until_state(&p, PTY_GONE));
    pty_end(&p);
    read_all(&c, &s);
    assert_true(check(&s, "Outer", false) > 0);
    assert_true(check(&s, "Inner", false) > 0);
    const struct read_span *command = otlp_named(&s, "steps");
    for (size_t i = 0; i < s.n; i++)
        if (strcmp(s.list[i].name, "Outer") == 0)
            assert_string_equal(s.list[i].parent, command->id);
    otlp_read_free(&s);
    collector_free(&c);
}

/* The screen says that the collector takes nothing, and that it does again. */
TEST_WITH(test_news, begin, temp_folder_remove)
{
    struct collector c;
    struct pty p;
    char url[64], program[256];
    open_collector(&c, 0, good);
    const int port = c.port;
    collector_free(&c); /* away */
    snprintf(url, sizeof url, "http://127.0.0.1:%d", port);
    snprintf(program, sizeof program, "%s/steps", temp_folder);
    const char *const argv[] = {program_rooftop(), "--otlp",  url, "-d", "0.2", "--",
                                program,           "endless", NULL};
    assert_int_equal(pty_start(&p, &(struct pty_config){.argv = argv, .cols = 160, .rows = 40}), 0);
    assert_true(pty_until_text(&p, "spans wait on disk"));
    open_collector(&c, port, good);
    assert_true(pty_until_text(&p, "takes spans again"));
    pty_keys(&p, "q");
    assert_true(pty_until_text(&p, "leave rooftop?"));
    pty_keys(&p, "y");
    assert_true(pty_until_state(&p, PTY_GONE));
    pty_end(&p);
    collector_free(&c);
}

/* --- when something dies --- */

static pid_t start(const char *line)
{
    struct program p;
    program_expect(&p, line, 0);
    const pid_t pid = (pid_t)atoi(p.out);
    program_free(&p);
    assert_true(pid > 1);
    return pid;
}

/* Waits until a process that start() started has ended; p: what it wrote to $D/err. A zombie has
 * ended: the first process of a container may not reap it. (grep's status is 0 for a file that is
 * gone when its standard error is closed, so it is not closed here.) */
static void wait_for(pid_t pid, struct program *p)
{
    char line[160];
    snprintf(line, sizeof line,
             "while grep -q '^State:.[^ZX]' /proc/%d/status 2>/dev/null; do sleep 0.05; done; "
             "cat $D/err",
             (int)pid);
    program_expect(p, line, 0);
}

/* Processes that no tracer tells: each once, below the one that started it. The command starts
 * some that live ever longer, until samples have seen them and the collector has got them. */
static void processes_of(const char *line)
{
    struct program p;
    struct collector c;
    struct read_spans s = {.n = 0};
    const struct read_span *sleeper = NULL, *middle = NULL, *top = NULL;
    open_collector(&c, 0, good);
    const pid_t pid = start(line);
    collector_wait(&c, 2);
    program_answers("touch $D/stop", 0, "", "");
    wait_for(pid, &p);
    program_free(&p);
    read_all(&c, &s);
    check(&s, "sleep", false);
    for (size_t i = 0; i < s.n; i++)
        sleeper = strcmp(s.list[i].name, "sleep") == 0 ? &s.list[i] : sleeper;
    for (size_t i = 0; sleeper && i < s.n; i++)
        middle = strcmp(s.list[i].id, sleeper->parent) == 0 ? &s.list[i] : middle;
    for (size_t i = 0; middle && i < s.n; i++)
        top = strcmp(s.list[i].id, middle->parent) == 0 ? &s.list[i] : top;
    if (!top)
        fail_msg("%s is below no process", middle ? "the shell between" : "sleep");
    otlp_has(sleeper->attrs, "rooftop.process.seen_by=sampling");
    otlp_has(middle->attrs, "rooftop.process.seen_by=sampling");
    otlp_has(top->attrs, "process.exit.code=3");
    otlp_read_free(&s);
    collector_free(&c);
    program_answers("rm $D/stop", 0, "", "");
}

#define LONGER                                                                                     \
    "bash -c 'until [ -e $D/stop ]; do i=$((i + 1)); (sleep $i; true); done; exit 3' "             \
    ">$D/out 2>$D/err & echo $!"

TEST_WITH(test_processes, begin, temp_folder_remove)
{
    processes_of("$BIN record -d 0.2 -o $D/s.rooftop --otlp http://127.0.0.1:$PORT --otlp-wait 60 "
                 "-- " LONGER);
    processes_of("$BIN tree --otlp http://127.0.0.1:$PORT --otlp-wait 60 -- " LONGER);
}

/* The collector is killed in the middle of the run, with a request that it has not answered, and is
 * restarted: everything comes. */
TEST_WITH(test_collector_dies, begin, temp_folder_remove)
{
    static const char *const killed[] = {ANSWER_200, ANSWER_SILENT, NULL};
    struct collector c, again;
    struct program p;
    struct read_spans s = {.n = 0};
    open_collector(&c, 0, killed);
    const pid_t pid = start(
        "$BIN record -o $D/s.rooftop --otlp http://127.0.0.1:$PORT --otlp-wait 60 -- $D/steps "
        ">$D/out 2>$D/err & echo $!");
    collector_wait(&c, 2);
    collector_stop(&c);
    open_collector(&again, c.port, good);
    wait_for(pid, &p);
    collector_stop(&again);
    for (size_t i = 0; i < c.n + again.n; i++) {
        const struct collector_request *r = i < c.n ? &c.list[i] : &again.list[i - c.n];
        if (i != 1) /* it came again */
            otlp_read(&s, r->body, r->n);
    }
    const size_t missed = told(p.out, " records of bricks were overwritten");
    const size_t n = check(&s, "Outer", false) + check(&s, "Inner", false) + missed;
    if (n != SPANS && n != SPANS + 1)
        fail_msg("%zu of %d; %s", n, SPANS, p.out);
    program_free(&p);
    otlp_read_free(&s);
    collector_free(&c);
    collector_free(&again);
}

/* rooftop is killed in the middle of the run: what was sent stands, what waits is whole, and goes
 * with rooftop export otlp. */
TEST_WITH(test_rooftop_dies, begin, temp_folder_remove)
{
    static const char *const first[] = {ANSWER_200, ANSWER_SILENT, NULL};
    struct collector c, again;
    struct program p;
    struct read_spans s = {.n = 0};
    open_collector(&c, 0, first);
    const pid_t pid = start("$BIN --headless --format jsonl -o $D/f --otlp http://127.0.0.1:$PORT "
                            "-- $D/steps endless >$D/out 2>&1 & echo $!");
    collector_wait(&c, 2);
    kill(pid, SIGKILL);
    collector_stop(&c);
    open_collector(&again, c.port, good);
    program_expect(&p, "$BIN otlp --otlp-wait 60; ls $D/rooftop/otlp", 0);
    assert_string_equal(p.out, "");
    program_free(&p);
    otlp_read(&s, c.list[0].body, c.list[0].n);
    read_all(&again, &s);
    assert_true(again.n >= 1);
    assert_int_equal(c.list[1].n, again.list[0].n); /* the one without an answer, as it was */
    assert_memory_equal(c.list[1].body, again.list[0].body, c.list[1].n);
    assert_true(check(&s, "Inner", false) >= check(&s, "Outer", false));
    otlp_read_free(&s);
    collector_free(&c);
    collector_free(&again);
}

TEST_WITH(test_usage, begin, temp_folder_remove)
{
    struct program p;
    program_answers("$BIN --headless --otlp http://h:1 tests/data/chrome/kineto_cuda.json", 2, "",
                    "rooftop export --otlp");
    program_answers("$BIN --headless --repeat 2 --otlp http://h:1 -- true", 2, "", "");
    program_expect(&p, "$BIN --headless --otlp http://me:secret@h:1 -- touch $D/started", 2);
    assert_null(strstr(p.err, "secret"));
    program_free(&p);
    program_answers("test ! -e $D/started", 0, "", "");
}
