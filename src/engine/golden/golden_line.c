/* One call as a line that is the same on every run.
 * raw: lines are kept, and printed by golden_write and golden_diff_write. */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/decode.h"
#include "engine/syscalls/kinds.h"

static void write_descriptor(FILE *out, const struct descriptors *d, int32_t pid, int fd)
{
    char name[4300];
    const struct descriptor_object *o = descriptors_of(d, pid, fd);
    if (fd == AT_FDCWD) {
        fputs("AT_FDCWD", out);
    } else if (fd < 0) {
        fprintf(out, "%d", fd);
    } else if (!o) {
        fputs("<fd>", out);
    } else {
        golden_stable_text(o->name, name, sizeof name);
        fprintf(out, "<%s>", name);
    }
}

static void write_task(FILE *out, struct golden_tasks *tasks, int32_t tid)
{
    if (tid <= 0) {
        fprintf(out, "%" PRId32, tid);
    } else if (ids_get(&tasks->by_tid, (uint32_t)tid) == IDS_NONE) {
        fputs("PID", out);
    } else {
        const struct golden_task *t = golden_task_of(tasks, tid);
        fprintf(out, "process %s", t->id);
        if (t->thread)
            fprintf(out, " thread %" PRIu32, t->thread);
    }
}

/* What the decoder wrote, with addresses and random names replaced. */
static void write_stable(FILE *out, const char *text)
{
    size_t size = strlen(text) * 2 + 16;
    char *stable = calloc(size, 1);
    if (!stable)
        abort();
    golden_stable_text(text, stable, size);
    bool address = strncmp(stable, "0x", 2) == 0 && strlen(stable) >= 10;
    for (const char *p = stable + 2; address && *p; p++)
        address = isxdigit((unsigned char)*p);
    fputs(address ? "ADDRESS" : stable, out);
    free(stable);
}

static void write_plain(FILE *out, const struct syscall_event *e, unsigned arg)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        abort();
    syscall_write_arg(f, e, arg, NULL);
    fclose(f);
    write_stable(out, text);
    free(text);
}

static void write_arg(FILE *out, struct golden_tasks *tasks, const struct descriptors *d,
                      const struct syscall_event *e, unsigned arg)
{
    switch (syscall_arg_kind(e->abi, e->number, arg)) {
    case SYSCALL_VALUE_FD:
        write_descriptor(out, d, e->pid, (int)(int32_t)e->args[arg]);
        break;
    case SYSCALL_VALUE_PID:
        write_task(out, tasks, (int32_t)e->args[arg]);
        break;
    case SYSCALL_VALUE_ADDRESS:
        fputs(e->args[arg] ? "ADDRESS" : "NULL", out);
        break;
    case SYSCALL_VALUE_VARIES:
        fputs("...", out);
        break;
    default:
        write_plain(out, e, arg);
    }
}

/* The number of pieces in which a stream is read is chance. */
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

bool golden_line_before(struct golden_line *l, struct golden_tasks *tasks,
                        const struct descriptors *d, const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    *l = (struct golden_line){0};
    if (left_out(d, e, duty))
        return false;
    l->out = open_memstream(&l->text, &l->size);
    if (!l->out)
        abort();
    l->stream = reads_stream(d, e, duty);
    fprintf(l->out, "%s(", syscall_name(e->abi, e->number));
    unsigned n = l->stream ? 1 : syscall_nargs(e->abi, e->number);
    for (unsigned i = 0; i < n; i++) {
        if (!syscall_arg_shown(e, i))
            continue;
        fputs(i ? ", " : "", l->out);
        write_arg(l->out, tasks, d, e, i);
    }
    fputs(")", l->out);
    return true;
}

static void write_result(FILE *out, struct golden_tasks *tasks, const struct descriptors *d,
                         const struct syscall_event *e)
{
    if (e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT)) {
        fputs(" = ?", out);
        return;
    }
    fputs(" = ", out);
    if (syscall_failed(e)) {
        const char *name = syscall_errno_name((int)-e->result);
        fprintf(out, "-1 %s", name ? name : "ERROR");
        return;
    }
    switch (syscall_result_kind(e->abi, e->number)) {
    case SYSCALL_VALUE_FD:
        write_descriptor(out, d, e->pid, (int)e->result);
        break;
    case SYSCALL_VALUE_PID:
        write_task(out, tasks, (int32_t)e->result);
        break;
    case SYSCALL_VALUE_ADDRESS:
        fputs("ADDRESS", out);
        break;
    case SYSCALL_VALUE_VARIES:
        fputs("...", out);
        break;
    default:
        fprintf(out, "%" PRId64, e->result);
    }
}

char *golden_line_after(struct golden_line *l, struct golden_tasks *tasks,
                        const struct descriptors *d, const struct syscall_event *e)
{
    if (l->stream && !syscall_failed(e))
        fputs(e->result ? " = ..." : " = 0", l->out);
    else
        write_result(l->out, tasks, d, e);
    fclose(l->out);
    return l->text;
}
