#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/list.h"
#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"

struct golden_builder {
    enum golden_level level;
    const struct golden_redactions *redactions;
    golden_content content;
    struct descriptors *descriptors;
    struct golden_effects *effects;
    struct golden_naming *names;
    struct golden_tasks tasks;
    struct golden made; /* its first section has the effects */
    uint64_t lost, lines;
    int32_t first;  /* the first process */
    int64_t status; /* exit status of that process; -1: it has not ended */
};

static struct golden_task *task_add(struct golden_tasks *t, int32_t tid, const char *id,
                                    uint32_t thread)
{
    LIST_ROOM(t->list, t->n, t->cap);
    struct golden_task *made = &t->list[t->n];
    *made = (struct golden_task){.thread = thread, .process = (uint32_t)t->n};
    snprintf(made->id, sizeof made->id, "%s", id);
    ids_set(&t->by_tid, (uint32_t)tid, (uint32_t)t->n++);
    return made;
}

/* A task whose start was not seen counts as a process: "1" for the first. */
struct golden_task *golden_task_of(struct golden_tasks *t, int32_t tid)
{
    uint32_t i = ids_get(&t->by_tid, (uint32_t)tid);
    if (i != IDS_NONE)
        return &t->list[i];
    char id[48];
    uint32_t n = 1;
    for (size_t k = 0; k < t->n; k++)
        n += !t->list[k].thread && !strchr(t->list[k].id, '.');
    snprintf(id, sizeof id, "%" PRIu32, n);
    return task_add(t, tid, id, 0);
}

/* Whether the number belongs to a task that is known already, not to a new one after that task
 * ended. Notes whether its start or its maker's return was seen. */
static bool is_known(struct golden_tasks *t, int32_t tid, bool told)
{
    const uint32_t known = ids_get(&t->by_tid, (uint32_t)tid);
    if (known == IDS_NONE)
        return false;
    struct golden_task *task = &t->list[known];
    bool *seen = told ? &task->told : &task->started;
    if (task->over && *seen)
        return false;
    *seen = true;
    return true;
}

/* Numbers a task at its start or, if told, at its maker's return, whichever comes first. */
static void golden_task_started(struct golden_tasks *t, const struct syscall_event *e, bool told)
{
    if (is_known(t, e->tid, told))
        return;
    if (e->pid != e->tid) {
        struct golden_task *process = golden_task_of(t, e->pid);
        char id[48];
        snprintf(id, sizeof id, "%s", process->id);
        const uint32_t of = process->process;
        uint32_t number = ++process->threads + 1;
        task_add(t, e->tid, id, number)->process = of;
    } else if (!e->parent) {
        golden_task_of(t, e->tid);
    } else {
        char id[48];
        const uint32_t of = golden_task_of(t, e->parent)->process; /* the list may be moved */
        struct golden_task *parent = &t->list[of];
        uint32_t number = ++parent->children;
        size_t n = (size_t)snprintf(id, sizeof id, "%.36s.%" PRIu32, parent->id, number);
        (void)n;
        task_add(t, e->tid, id, 0);
    }
    is_known(t, e->tid, told);
}

static void golden_task_ended(struct golden_tasks *t, int32_t tid)
{
    const uint32_t known = ids_get(&t->by_tid, (uint32_t)tid);
    if (known != IDS_NONE)
        t->list[known].over = true;
}

static void golden_tasks_free(struct golden_tasks *t)
{
    free(t->list);
    ids_free(&t->by_tid);
}

struct golden_builder *golden_builder_new(enum golden_level level,
                                          const struct golden_redactions *redactions)
{
    struct golden_builder *b = xcalloc(1, sizeof *b);
    b->level = level;
    b->redactions = redactions;
    b->descriptors = descriptors_new();
    b->effects = golden_effects_new();
    b->names = golden_naming_new();
    b->status = -1;
    b->made.level = level;
    golden_section_new(&b->made, "effects");
    return b;
}

static struct golden_section *section_of(struct golden_builder *b, int32_t tid)
{
    struct golden_task *t = golden_task_of(&b->tasks, tid);
    if (!t->section) {
        char title[96];
        if (t->thread)
            snprintf(title, sizeof title, "process %s thread %" PRIu32, t->id, t->thread);
        else
            snprintf(title, sizeof title, "process %s", t->id);
        golden_section_new(&b->made, title);
        t->section = (uint32_t)b->made.n;
    }
    return &b->made.sections[t->section - 1];
}

/* Applies the user's rules to a line, which it takes. NULL: a rule removes the line. */
static char *redact_line(const struct golden_redactions *r, char *line)
{
    for (size_t i = 0; r && i < r->n; i++) {
        const struct golden_redaction *rule = &r->list[i];
        regmatch_t at;
        size_t from = 0;
        for (int times = 0;
             times < 64 && regexec(rule->regex, line + from, 1, &at, times ? REG_NOTBOL : 0) == 0;
             times++) {
            if (!rule->with) {
                free(line);
                return NULL;
            }
            char *next = NULL;
            int head = (int)(from + (size_t)at.rm_so);
            if (asprintf(&next, "%.*s%s%s", head, line, rule->with, line + from + at.rm_eo) < 0)
                abort();
            free(line);
            line = next;
            from = (size_t)head + strlen(rule->with);
            if (at.rm_so == at.rm_eo || !line[from])
                break;
        }
    }
    return line;
}

static void line_add(struct golden_builder *b, int32_t tid, char *line, bool merges)
{
    struct golden_section *s = section_of(b, tid);
    if (!line)
        return;
    if ((merges && s->n && strcmp(s->lines[s->n - 1], line) == 0) || ++b->lines > GOLDEN_LINES)
        free(line);
    else
        golden_section_add(s, line);
}

/* Notes the new task, because the call that makes it may return before the task is seen. */
static void note_child(struct golden_builder *b, const struct syscall_event *e)
{
    bool thread;
    struct syscall_event child = {.kind = SYSCALL_START, .parent = e->tid};
    child.tid = syscall_made_task(e, &thread);
    child.pid = thread ? e->pid : child.tid;
    if (child.tid)
        golden_task_started(&b->tasks, &child, true);
}

static void add_golden_call(struct golden_builder *b, const struct syscall_event *e)
{
    note_child(b, e);
    struct golden_line line = {.tasks = &b->tasks, .d = b->descriptors, .names = b->names};
    bool kept = b->level == GOLDEN_ORDER && golden_line_before(&line, e);
    b->made.calls++;
    golden_effects_before(b->effects, b->descriptors, e);
    golden_naming_before(b->names, b->descriptors, e);
    descriptors_follow(b->descriptors, e);
    golden_effects_after(b->effects, b->descriptors, e);
    golden_naming_after(b->names, &b->tasks, b->descriptors, e);
    if (kept)
        line_add(b, e->tid, golden_line_after(&line, e), line.stream);
}

static char *status_line(const char *before, int64_t status, const char *after)
{
    char *line = NULL;
    int rc;
    if (status < 0)
        rc = asprintf(&line, "%sended%s", before, after);
    else if (WIFSIGNALED((int)status))
        rc = asprintf(&line, "%skilled by %s%s", before,
                      syscall_signal_name(WTERMSIG((int)status))
                          ? syscall_signal_name(WTERMSIG((int)status))
                          : "a signal",
                      after);
    else
        rc = asprintf(&line, "%sexited with %d%s", before, WEXITSTATUS((int)status), after);
    if (rc < 0)
        abort();
    return line;
}

static void add_other_event(struct golden_builder *b, const struct syscall_event *e)
{
    char *line = NULL;
    if (e->kind == SYSCALL_START)
        golden_task_started(&b->tasks, e, false);
    descriptors_follow(b->descriptors, e);
    if (e->kind == SYSCALL_EXIT && e->pid == e->tid) {
        if (e->pid == b->first)
            b->status = e->result;
        if (b->level == GOLDEN_ORDER)
            line_add(b, e->tid, status_line("+++ ", e->result, " +++"), false);
    }
    if (e->kind == SYSCALL_EXIT)
        golden_task_ended(&b->tasks, e->tid);
    if (e->kind == SYSCALL_EXEC && (int32_t)e->args[0] != e->tid) /* now its first thread */
        golden_task_ended(&b->tasks, (int32_t)e->args[0]);
    if (e->kind == SYSCALL_SIGNAL && b->level == GOLDEN_ORDER && !golden_signal_varies(e->result)) {
        const char *name = syscall_signal_name((int)e->result);
        if (asprintf(&line, "--- %s ---", name ? name : "signal") < 0)
            abort();
        line_add(b, e->tid, line, false);
    }
}

void golden_builder_add(struct golden_builder *b, const struct syscall_event *e)
{
    /* Not every mechanism sees operations of io_uring, and their order varies. */
    if (e->kind == SYSCALL_CALL && syscall_is_operation(e))
        return;
    /* A call that a signal interrupts before any effect is repeated; the repetition counts. */
    if (e->kind == SYSCALL_ENTRY || (e->kind == SYSCALL_CALL && e->flags & SYSCALL_RESTARTS))
        return;
    if (!b->first && e->kind != SYSCALL_LOST)
        b->first = e->pid;
    if (e->kind == SYSCALL_LOST)
        b->lost += e->args[0] ? e->args[0] : 1;
    else if (e->kind == SYSCALL_CALL)
        add_golden_call(b, e);
    else
        add_other_event(b, e);
}

void golden_builder_stream(struct golden_builder *b, const char *name, uint64_t bytes,
                           const char *sha256)
{
    golden_effects_stream(b->effects, name, bytes, sha256);
}

void golden_builder_contents(struct golden_builder *b, golden_content content)
{
    b->content = content;
}

void golden_builder_place(struct golden_builder *b, const char *path, const char *name)
{
    golden_naming_place(b->names, path, name);
}

static int by_title(const void *a, const void *b)
{
    return strverscmp(((const struct golden_section *)a)->title,
                      ((const struct golden_section *)b)->title);
}

/* Redacts all lines except the exit status. */
static void redact_all(const struct golden_redactions *r, struct golden *g)
{
    for (size_t i = 0; r && i < g->n; i++) {
        struct golden_section *s = &g->sections[i];
        size_t kept = i == 0;
        for (size_t k = kept; k < s->n; k++) {
            char *line = redact_line(r, s->lines[k]);
            if (line)
                s->lines[kept++] = line;
        }
        s->n = kept;
    }
}

static void finish_golden(struct golden_builder *b, struct golden *out)
{
    struct golden_section *effects = &b->made.sections[0];
    golden_section_add(effects, status_line("", b->status, ""));
    golden_effects_lines(b->effects, b->descriptors, b->names, b->content, effects);
    golden_naming_finish(b->names, &b->made);
    redact_all(b->redactions, &b->made);
    golden_effects_sort(&b->made);
    if (b->made.n > 2)
        qsort(b->made.sections + 1, b->made.n - 1, sizeof *b->made.sections, by_title);
    *out = b->made;
    b->made = (struct golden){0};
}

int golden_builder_end(struct golden_builder *b, struct golden *out, struct error *err)
{
    int rc = 0;
    *out = (struct golden){0};
    if (b->lost)
        rc = error_set(err, ERROR_UNSUPPORTED, ENODATA,
                       "trace by another mechanism, such as --by ptrace, which loses nothing",
                       "golden trace", "%" PRIu64 " calls of the run were lost", b->lost);
    else if (b->made.calls == 0)
        rc = error_set(err, ERROR_INPUT, ENODATA, NULL, "golden trace",
                       "no system call of the run was seen");
    else if (b->lines > GOLDEN_LINES)
        rc = error_set(err, ERROR_UNSUPPORTED, E2BIG,
                       "keep what left the processes only: --level effects", "golden trace",
                       "the run has more than %d lines", GOLDEN_LINES);
    else
        finish_golden(b, out);
    descriptors_free(b->descriptors);
    golden_effects_free(b->effects);
    golden_naming_free(b->names);
    golden_tasks_free(&b->tasks);
    golden_free(&b->made);
    free(b);
    return rc;
}

int golden_redact_add(struct golden_redactions *r, const char *pattern, const char *with,
                      char why[128])
{
    regex_t *regex = xcalloc(1, sizeof *regex);
    int rc = regcomp(regex, pattern, REG_EXTENDED);
    if (rc != 0) {
        regerror(rc, regex, why, 128);
        free(regex);
        return -EINVAL;
    }
    LIST_ROOM(r->list, r->n, r->cap);
    r->list[r->n++] = (struct golden_redaction){
        .pattern = xstrdup(pattern), .with = with ? xstrdup(with) : NULL, .regex = regex};
    return 0;
}

void golden_redactions_free(struct golden_redactions *r)
{
    for (size_t i = 0; i < r->n; i++) {
        regfree(r->list[i].regex);
        free(r->list[i].regex);
        free(r->list[i].pattern);
        free(r->list[i].with);
    }
    free(r->list);
    *r = (struct golden_redactions){0};
}
