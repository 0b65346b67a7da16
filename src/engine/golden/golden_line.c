/* Writes a call as a line that is equal on every run. raw: lines are kept, and printed by
 * golden_write and golden_diff_write. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/kinds.h"

static void write_descriptor(const struct golden_line *l, int32_t pid, int fd)
{
    const struct descriptor_object *o = descriptors_of(l->d, pid, fd);
    if (fd == AT_FDCWD)
        fputs("AT_FDCWD", l->out);
    else if (fd < 0)
        fprintf(l->out, "%d", fd);
    else
        fprintf(l->out, "<%s>", o ? golden_naming_of(l->names, o) : "fd");
}

/* Names a task for struct syscall_context; ctx: the tasks. */
static void name_task(void *ctx, int32_t tid, char text[SYSCALL_TASK_TEXT])
{
    struct golden_tasks *tasks = ctx;
    if (tid <= 0) {
        snprintf(text, SYSCALL_TASK_TEXT, "%" PRId32, tid);
        return;
    }
    if (ids_get(&tasks->by_tid, (uint32_t)tid) == IDS_NONE) {
        snprintf(text, SYSCALL_TASK_TEXT, "PID");
        return;
    }
    const struct golden_task *t = golden_task_of(tasks, tid);
    const int n = snprintf(text, SYSCALL_TASK_TEXT, "process %s", t->id);
    if (t->thread)
        snprintf(text + n, SYSCALL_TASK_TEXT - (size_t)n, " thread %" PRIu32, t->thread);
}

static void write_task(const struct golden_line *l, int32_t tid)
{
    char text[SYSCALL_TASK_TEXT];
    name_task(l->tasks, tid, text);
    fputs(text, l->out);
}

/* Whether the argument or result of fcntl is a process, or the negative number of a group. */
static bool tells_owner(const struct syscall_event *e, uint64_t operation)
{
    return syscall_duty(e->abi, e->number)->role == ROLE_FCNTL && e->args[1] == operation;
}

static void write_signal_owner(const struct golden_line *l, int32_t owner)
{
    fputs(owner < 0 ? "-" : "", l->out);
    write_task(l, owner == INT32_MIN || owner >= 0 ? owner : -owner);
}

static void write_arg(const struct golden_line *l, const struct syscall_event *e, unsigned arg)
{
    if (arg == 2 && tells_owner(e, F_SETOWN)) {
        write_signal_owner(l, (int32_t)e->args[2]);
        return;
    }
    switch (syscall_arg_kind(e->abi, e->number, arg)) {
    case SYSCALL_VALUE_FD:
        write_descriptor(l, e->pid, (int)(int32_t)e->args[arg]);
        break;
    case SYSCALL_VALUE_PID:
        write_task(l, (int32_t)e->args[arg]);
        break;
    case SYSCALL_VALUE_ADDRESS:
        fputs(e->args[arg] ? "ADDRESS" : "NULL", l->out);
        break;
    case SYSCALL_VALUE_VARIES:
        fputs("...", l->out);
        break;
    default:
        syscall_write_arg(l->out, e, arg,
                          &(const struct syscall_context){.task = name_task, .ctx = l->tasks});
    }
}

/* Whether the call reads a stream: the number of such reads varies. */
static bool reads_stream(const struct descriptors *d, const struct syscall_event *e,
                         const struct syscall_duty *duty)
{
    if (duty->role != ROLE_READ)
        return false;
    const struct descriptor_object *o = descriptors_of(d, e->pid, (int)(int32_t)e->args[duty->fd]);
    return o && o->kind != DESCRIPTOR_FILE;
}

static bool left_out(const struct descriptors *d, const struct syscall_event *e,
                     const struct syscall_duty *duty)
{
    char path[4200];
    const char *name = syscall_name(e->abi, e->number), *about = NULL;
    if (strcmp(name, "tgkill") == 0 && golden_signal_varies((int32_t)e->args[2]))
        return true;
    if (duty->path >= 0 && duty->role != ROLE_CONNECT && duty->role != ROLE_BIND &&
        descriptors_path(d, e, duty->fd, duty->path, path, sizeof path))
        about = path;
    if ((!about || !*about) && duty->fd >= 0) {
        const struct descriptor_object *o =
            descriptors_of(d, e->pid, (int)(int32_t)e->args[duty->fd]);
        about = o && o->kind == DESCRIPTOR_FILE ? o->name : NULL;
    }
    return golden_rule_for(name, about) != NULL;
}

bool golden_line_before(struct golden_line *l, const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    if (left_out(l->d, e, duty))
        return false;
    l->out = open_memstream(&l->text, &l->size);
    if (!l->out)
        abort();
    l->stream = reads_stream(l->d, e, duty);
    fprintf(l->out, "%s(", syscall_name(e->abi, e->number));
    unsigned n = l->stream ? 1 : syscall_nargs(e->abi, e->number);
    for (unsigned i = 0; i < n; i++) {
        if (!syscall_arg_shown(e, i))
            continue;
        fputs(i ? ", " : "", l->out);
        write_arg(l, e, i);
    }
    fputs(")", l->out);
    return true;
}

static void write_result(const struct golden_line *l, const struct syscall_event *e)
{
    if (e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)) {
        fputs(" = ?", l->out);
        return;
    }
    fputs(" = ", l->out);
    if (syscall_failed(e)) {
        const char *name = syscall_errno_name((int)-e->result);
        fprintf(l->out, "-1 %s", name ? name : "ERROR");
        return;
    }
    switch (syscall_result_kind(e->abi, e->number)) {
    case SYSCALL_VALUE_FD:
        write_descriptor(l, e->pid, (int)e->result);
        break;
    case SYSCALL_VALUE_PID:
        write_task(l, (int32_t)e->result);
        break;
    case SYSCALL_VALUE_ADDRESS:
        fputs("ADDRESS", l->out);
        break;
    case SYSCALL_VALUE_VARIES:
        fputs("...", l->out);
        break;
    default:
        if (tells_owner(e, F_GETOWN))
            write_signal_owner(l, (int32_t)e->result);
        else
            fprintf(l->out, "%" PRId64, e->result);
    }
}

/* Whether a call came too early or was interrupted, and so is repeated: how often varies. */
static bool asks_again(const struct syscall_event *e)
{
    return syscall_failed(e) && (e->result == -EAGAIN || e->result == -EINTR);
}

char *golden_line_after(struct golden_line *l, const struct syscall_event *e)
{
    if (l->stream && !syscall_failed(e))
        fputs(e->result ? " = ..." : " = 0", l->out);
    else
        write_result(l, e);
    fclose(l->out);
    if (!asks_again(e))
        return l->text;
    free(l->text);
    return NULL;
}
