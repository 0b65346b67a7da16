#include "support/watched_program.h"

#include <errno.h>
#include <poll.h>
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

#include "engine/syscalls/tracer.h"
#include "support/skip.h"

enum { PATIENCE_MS = 60000 };

void watched_program_skip(void)
{
    struct error err = ERROR_INIT;
    struct tracer_state st = {0};
    const pid_t self = getpid();
    const struct tracer_setup setup = {.pids = &self, .npids = 1, .follow = true};
    const struct tracer_ops *ops = tracer_choose(&setup, "ptrace", &err);
    if (ops)
        ops->probe(&st);
    if (!st.works || st.enable[0])
        skip_because("processes cannot be traced here: %s", ops ? st.why : err.why);
}

/* Each byte that comes is answered by one, after some calls. */
static _Noreturn void be_program(int from, int to)
{
    char byte;
    while (read(from, &byte, 1) == 1) {
        for (int i = 0; i < WATCHED_CALLS; i++)
            (void)!access("/nonexistent/rooftop-test", F_OK);
        if (byte == 'q')
            _exit(7);
        (void)!write(to, &byte, 1);
    }
    _exit(0);
}

void watched_program_start(struct watched_program *p)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    p->pid = fork();
    if (p->pid == 0) {
        close(in[1]);
        close(out[0]);
        be_program(in[0], out[1]);
    }
    close(in[0]);
    close(out[1]);
    p->to = in[1];
    p->from = out[0];
}

void watched_program_answers(struct watched_program *p)
{
    char byte = 'x';
    struct pollfd fd = {.fd = p->from, .events = POLLIN};
    assert_int_equal(write(p->to, &byte, 1), 1);
    assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    assert_int_equal(read(p->from, &byte, 1), 1);
}

pid_t watched_program_tracer(const struct watched_program *p)
{
    char path[64], line[256];
    pid_t tracer = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)p->pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "TracerPid:", 10) == 0)
            tracer = (pid_t)strtol(line + 10, NULL, 10);
    fclose(f);
    return tracer;
}

void watched_program_until(const struct watched_program *p, bool traced)
{
    for (int i = 0; i < PATIENCE_MS / 10; i++) {
        if ((watched_program_tracer(p) > 0) == traced)
            return;
        usleep(10000);
    }
    fail_msg("the program %s", traced ? "is never traced" : "is never let go");
}

int watched_program_end(struct watched_program *p, char how)
{
    int status = -1;
    if (how)
        (void)!write(p->to, &how, 1);
    close(p->to);
    while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(p->from);
    return status;
}
