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
    static const char *name(const void *row, char buf[QUERY_TEXT_MAX])                             \
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

static const char *state(const void *row, char buf[QUERY_TEXT_MAX])
{
    buf[0] = ((const struct proc *)row)->state;
    buf[1] = '\0';
    return buf;
}

const struct query_field procs_fields[] = {
    {"cpu", NULL, UNIT_PERCENT, "% of one CPU", cpu, NULL, false},
    {"rss", "mem", UNIT_BYTES, "resident memory", rss, NULL, false},
    {"virt", NULL, UNIT_BYTES, "address space", virt, NULL, false},
    {"time", NULL, UNIT_SECONDS, "CPU time since it started", cpu_time, NULL, false},
    {"threads", "thr", UNIT_NONE, "threads", threads, NULL, false},
    {"pid", NULL, UNIT_NONE, "its number", pid, NULL, true},
    {"ppid", "parent", UNIT_NONE, "its parent's number", ppid, NULL, false},
    {"name", "comm", UNIT_NONE, "the kernel's name of it, 15 bytes", NULL, name, true},
    {"command", "cmd", UNIT_NONE, "command with its arguments", NULL, command, true},
    {"user", NULL, UNIT_NONE, "owner", NULL, user, true},
    {"uid", NULL, UNIT_NONE, "owner's number", uid, NULL, false},
    {"state", NULL, UNIT_NONE, "R S D Z T t I", NULL, state, false},
    {"nice", "ni", UNIT_NONE, "niceness", nice_value, NULL, false},
    {"lastcpu", NULL, UNIT_NONE, "CPU where it last ran", last_cpu, NULL, false},
    {"kernel", NULL, UNIT_NONE, "1 for a kernel thread", kernel, NULL, false},
    {"watched", NULL, UNIT_NONE, "1 for a process of the target", watched, NULL, false},
    {0},
};
