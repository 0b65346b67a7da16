#include "support/traced.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct traced *t = ctx;
    t->kinds[e->kind]++;
    if (t->facts)
        run_facts_add(t->facts, e);
    if (!t->first_pid)
        t->first_pid = e->pid;
    if (e->kind == SYSCALL_CALL && e->number < 512) {
        t->calls[e->number]++;
        t->unfinished[e->number] += (e->flags & SYSCALL_UNFINISHED) != 0;
        t->restarts += (e->flags & SYSCALL_RESTARTS) != 0;
    }
    if (e->kind == SYSCALL_SIGNAL && e->result > 0 && e->result < 128)
        t->signals[e->result]++;
    if (e->kind == SYSCALL_EXEC) {
        t->last_former = e->args[0];
        t->exec_bytes = e->nbytes;
    }
}

struct syscall_sink traced_sink(struct traced *t)
{
    return (struct syscall_sink){.event = on_event, .ctx = t};
}

/* Standard output goes to a file meanwhile. */
static FILE *catch_output(int *before)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    fflush(stdout);
    *before = dup(STDOUT_FILENO);
    dup2(fileno(f), STDOUT_FILENO);
    return f;
}

static char *release_output(FILE *f, int before)
{
    dup2(before, STDOUT_FILENO);
    close(before);
    const long n = lseek(fileno(f), 0, SEEK_END);
    char *text = calloc((size_t)n + 1, 1);
    assert_non_null(text);
    assert_int_equal(pread(fileno(f), text, (size_t)n, 0), n);
    fclose(f);
    return text;
}

void traced_run(struct traced *t, const struct tracer_ops *ops, struct tracer_setup setup,
                char *const *argv)
{
    int before;
    *t = (struct traced){0};
    setup.argv = argv;
    const struct syscall_sink sink = traced_sink(t);
    t->facts = run_facts_new();
    FILE *f = catch_output(&before);
    t->rc = ops->run(&setup, &sink, &t->result, &t->err);
    t->out = release_output(f, before);
    t->processes = (uint32_t)t->facts->nprocesses;
    run_facts_free(t->facts);
    t->facts = NULL;
}

void traced_without(struct traced *t, char *const *argv)
{
    int before;
    *t = (struct traced){0};
    FILE *f = catch_output(&before);
    const pid_t pid = fork();
    if (pid == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &t->result.status, 0), pid);
    t->out = release_output(f, before);
}

void traced_free(struct traced *t)
{
    free(t->out);
    t->out = NULL;
}
