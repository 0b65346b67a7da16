/*
 * Traces running programs for the screen: they run on afterwards, whatever happens to the tracer.
 * Forks and stops processes: not for TSan.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/syscalls/picture/watch.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/watched_program.h"

enum { PATIENCE_S = 30 };

/* --- the watch --- */

static struct watched_program program;

static struct syscalls_watch *begin(void)
{
    struct error err = ERROR_INIT;
    const char *rooftop = program_rooftop();
    if (!rooftop)
        skip_because("rooftop was not built");
    watched_program_skip();
    setenv("ROOFTOP_SELF", rooftop, 1);
    watched_program_start(&program);
    struct syscalls_watch *w = syscalls_watch_new();
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    return w;
}

static const struct syscalls_picture *next(struct syscalls_watch *w)
{
    const struct syscalls_picture *p = NULL;
    for (int i = 0; !p && i < PATIENCE_S * 100; i++) {
        p = syscalls_watch_take(w);
        if (!p)
            usleep(10000);
    }
    assert_non_null(p);
    return p;
}

/* The first picture in this state, after all that came before it. */
static const struct syscalls_picture *until(struct syscalls_watch *w, enum syscalls_state state)
{
    for (int i = 0; i < 1000; i++) {
        const struct syscalls_picture *p = next(w);
        if (p->state == state)
            return p;
        syscalls_picture_unref(p);
    }
    fail_msg("it never is %s", syscalls_state_name(state));
    return NULL;
}

static uint64_t calls_of(const struct syscalls_picture *p, const char *name)
{
    for (size_t i = 0; i < p->ncalls; i++)
        if (strcmp(p->calls[i].name, name) == 0)
            return p->calls[i].calls;
    return 0;
}

/* access, or faccessat where a machine has no access. */
static uint64_t accesses(const struct syscalls_picture *p)
{
    return calls_of(p, "access") + calls_of(p, "faccessat") + calls_of(p, "faccessat2");
}

static void a_program_is_traced_and_let_go(void **state)
{
    (void)state;
    struct syscalls_watch *w = begin();
    assert_true(watched_program_tracer(&program) > 0);
    watched_program_answers(&program);
    watched_program_answers(&program);
    syscalls_watch_stop(w);
    const struct syscalls_picture *p = until(w, SYSCALLS_STOPPED);
    assert_int_equal(accesses(p), 100);
    assert_int_equal(p->errors >= 100, 1);
    assert_int_equal(p->lost, 0);
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program); /* untraced, and not stopped */
    syscalls_picture_unref(p);
    assert_false(syscalls_watch_on(w));
    syscalls_watch_free(w);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

static void it_can_be_traced_again(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    assert_true(syscalls_watch_begin(w, &program.pid, 1, false, &err) <
                0); /* one trace at a time */
    syscalls_watch_stop(w);
    syscalls_picture_unref(until(w, SYSCALLS_STOPPED));
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_true(syscalls_watch_ready(w, PATIENCE_S * 1000));
    watched_program_answers(&program);
    syscalls_watch_stop(w);
    const struct syscalls_picture *p = until(w, SYSCALLS_STOPPED);
    assert_int_equal(accesses(p), 50); /* a new trace */
    syscalls_picture_unref(p);
    syscalls_watch_free(w);
    watched_program_end(&program, 0);
}

/* rooftop quits while the trace goes on. */
static void freeing_lets_it_go(void **state)
{
    (void)state;
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    syscalls_watch_free(w);
    assert_int_equal(watched_program_tracer(&program), 0);
    watched_program_answers(&program);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

static void the_end_of_the_program_ends_the_trace(void **state)
{
    (void)state;
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')),
                     7); /* its parent gets its status */
    const struct syscalls_picture *p = until(w, SYSCALLS_ENDED);
    assert_int_equal(accesses(p), 100);
    assert_int_equal(p->nprocesses, 1);
    assert_true(p->processes[0].ended);
    assert_int_equal(WEXITSTATUS((int)p->processes[0].status), 7);
    syscalls_picture_unref(p);
    syscalls_watch_free(w);
}

/* The kernel lets the program go; the picture says that the tracer ended. */
static void a_killed_tracer_lets_it_go(void **state)
{
    (void)state;
    struct syscalls_watch *w = begin();
    watched_program_answers(&program);
    kill(watched_program_tracer(&program), SIGKILL);
    const struct syscalls_picture *p = until(w, SYSCALLS_FAILED);
    assert_non_null(strstr(p->why, "the tracer ended early"));
    watched_program_answers(&program);
    assert_int_equal(watched_program_tracer(&program), 0);
    syscalls_picture_unref(p);
    syscalls_watch_free(w);
    assert_int_equal(WEXITSTATUS(watched_program_end(&program, 'q')), 7);
}

static void a_process_that_is_gone_is_a_failure(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    struct syscalls_watch *w = begin();
    syscalls_watch_stop(w);
    syscalls_picture_unref(until(w, SYSCALLS_STOPPED));
    watched_program_end(&program, 0);
    assert_int_equal(syscalls_watch_begin(w, &program.pid, 1, false, &err), 0);
    assert_false(syscalls_watch_ready(w, PATIENCE_S * 1000));
    const struct syscalls_picture *p = until(w, SYSCALLS_FAILED);
    assert_true(p->why[0]);
    syscalls_picture_unref(p);
    syscalls_watch_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_traced_and_let_go),
        cmocka_unit_test(it_can_be_traced_again),
        cmocka_unit_test(freeing_lets_it_go),
        cmocka_unit_test(the_end_of_the_program_ends_the_trace),
        cmocka_unit_test(a_killed_tracer_lets_it_go),
        cmocka_unit_test(a_process_that_is_gone_is_a_failure),
    };
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
