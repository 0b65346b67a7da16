/* Fields of a process, for filters. */
#include <math.h>

#include "tui/views/procs/procs.h"

#define NUMBER(name, expression)                                                                   \
    static double name(const void *row)                                                            \
    {                                                                                              \
        const struct proc *p = row;                                                                \
        return expression;                                                                         \
    }
#define TEXT(name, expression)                                                                     \
    static const char *name(const void *row, char buf[FIELD_TEXT_MAX])                             \
    {                                                                                              \
        const struct proc *p = row;                                                                \
        (void)buf;                                                                                 \
        return expression;                                                                         \
    }

NUMBER(pid, p->pid)
NUMBER(ppid, p->ppid)
NUMBER(uid, p->uid)
NUMBER(cpu, p->cpu_percent.validity == VALUE_OK ? p->cpu_percent.v : NAN)
NUMBER(rss, (double)p->rss)
NUMBER(virt, (double)p->virt)
NUMBER(threads, p->threads)
NUMBER(cpu_time, p->cpu_seconds)
NUMBER(nice_value, p->nice)
NUMBER(last_cpu, p->cpu)
NUMBER(kernel, p->kernel_thread)
NUMBER(watched, p->watched)
TEXT(name, p->comm)
TEXT(command, p->cmdline)
TEXT(user, p->user)

static const char *state(const void *row, char buf[FIELD_TEXT_MAX])
{
    buf[0] = ((const struct proc *)row)->state;
    buf[1] = '\0';
    return buf;
}

const struct list_field procs_fields[] = {
    {.name = "cpu", .unit = UNIT_PERCENT, .help = "% of one CPU", .number = cpu},
    {.name = "rss", .alias = "mem", .unit = UNIT_BYTES, .help = "resident memory", .number = rss},
    {.name = "virt", .unit = UNIT_BYTES, .help = "address space", .number = virt},
    {.name = "time", .unit = UNIT_SECONDS, .help = "CPU time since it started", .number = cpu_time},
    {.name = "threads", .alias = "thr", .help = "threads", .number = threads},
    {.name = "pid", .help = "its number", .number = pid, .plain = true},
    {.name = "ppid", .alias = "parent", .help = "its parent's number", .number = ppid},
    {.name = "name",
     .alias = "comm",
     .help = "the kernel's name of it, 15 bytes",
     .text = name,
     .plain = true},
    {.name = "command",
     .alias = "cmd",
     .help = "command with its arguments",
     .text = command,
     .plain = true},
    {.name = "user", .help = "owner", .text = user, .plain = true},
    {.name = "uid", .help = "owner's number", .number = uid},
    {.name = "state", .help = "R S D Z T t I", .text = state},
    {.name = "nice", .alias = "ni", .help = "niceness", .number = nice_value},
    {.name = "lastcpu", .help = "CPU where it last ran", .number = last_cpu},
    {.name = "kernel", .help = "1 for a kernel thread", .number = kernel},
    {.name = "watched", .help = "1 for a process of the target", .number = watched},
    {.name = NULL},
};
