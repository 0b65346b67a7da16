/* The menu of a process. */
#include <stdio.h>

#include "tui/model/permit.h"
#include "tui/views/procs/procs.h"

static int children_of(const struct snapshot *s, pid_t pid)
{
    int n = 0;
    for (size_t i = 0; i < s->nprocs; i++)
        n += s->procs[i].ppid == pid && s->procs[i].pid != pid;
    return n;
}

static void add_proc_filters(struct menu *out, const struct proc *p, const struct snapshot *s)
{
    char command[64];
    int children = children_of(s, p->pid);
    snprintf(command, sizeof command, "filter pid=%d", p->pid);
    menu_command(out, 'f', command, "show this process only");
    menu_filter(out, 'n', "name", p->comm, "show all that are named %.20s", p->comm);
    menu_filter(out, 'u', "user", p->user, "show all that %.20s runs", p->user);
    snprintf(command, sizeof command, "filter ppid=%d or pid=%d", p->pid, p->pid);
    if (children)
        menu_command(out, 'c', command, "show it and its %d %s", children,
                     children == 1 ? "child" : "children");
    else
        menu_command(out, 'c', command, "show it and its children");
    menu_deny(out, children ? NULL : "it has none");
    menu_action(out, 'r', ACTION_PROC_THREADS, "show its %d thread%s, or hide them", p->threads,
                p->threads == 1 ? "" : "s");
    menu_deny(out, p->threads > 1 ? NULL : "it has one thread only");
}

/* Writes a row as one line, to be copied: the fields in the order of the columns. */
static void row_text(const struct proc *p, char out[MENU_COMMAND_MAX])
{
    char cpu[VALUE_TEXT_MAX], rss[VALUE_TEXT_MAX];
    struct value mem = value_ok((double)p->rss, UNIT_BYTES);
    snprintf(out, MENU_COMMAND_MAX, "pid %d  user %s  state %c  cpu %s  rss %s  threads %d  %s",
             p->pid, p->user, p->state, value_format(&p->cpu_percent, true, cpu),
             value_format(&mem, true, rss), p->threads, p->cmdline);
}

static void add_control(struct menu *out, const struct proc *p, bool tagged)
{
    const char *why = p->kernel_thread ? "it is a kernel thread" : NULL;
    menu_action(out, 'x', ACTION_SIGNAL, "send it a signal…");
    menu_deny(out, why);
    menu_action(out, '-', ACTION_NICE_LOWER, "lower its nice value of %d", p->nice);
    menu_deny(out, why);
    menu_action(out, '+', ACTION_NICE_HIGHER, "raise it");
    menu_deny(out, why);
    menu_action(out, 'T', ACTION_TAG, tagged ? "untag it" : "tag it, and others, for these");
    menu_deny(out, why);
}

static void add_proc_watching(struct menu *out, const struct model *m, const struct proc *p)
{
    char command[64];
    const struct command_state *k = &m->snap->command;
    menu_action(out, 'a', ACTION_ATTACH, "watch it: count it and what it starts");
    menu_deny(out, p->kernel_thread ? "it is a kernel thread" : NULL);
    snprintf(command, sizeof command, "children all; attach %d", p->pid);
    int children = children_of(m->snap, p->pid);
    menu_command(out, 'w', command, "watch it and what it has started");
    menu_deny(out, children ? permit_refused(m, ACTION_ATTACH) : "it has no children");
    snprintf(command, sizeof command, "attach %d; view functions", p->pid);
    menu_command(out, 's', command, "sample its functions: where its time goes");
    menu_deny(out, permit_refused(m, ACTION_ATTACH));
    const bool started = m->snap->target_kind == TARGET_COMMAND && k->pid == p->pid;
    menu_command(out, 'o', "view output", started ? "show its output" : "capture its output");
    menu_deny(out, started ? NULL : "only of what rooftop -- CMD starts");
}

bool procs_menu(const struct model *m, const struct view_state *st, const struct procs_state *ps,
                const char *key, struct menu *out)
{
    const struct proc *p = procs_find(m->snap, key);
    char text[MENU_COMMAND_MAX];
    if (!p)
        return false;
    snprintf(out->title, sizeof out->title, "%d %.40s", p->pid, p->comm);
    menu_action(out, 'i', ACTION_EXPLAIN, "explain: what is known of it");
    add_proc_filters(out, p, m->snap);
    add_control(out, p, procs_is_tagged(ps, p));
    add_proc_watching(out, m, p);
    menu_action(out, 'F', ACTION_FOLLOW,
                st->pinned ? "stop following it" : "follow it in the list");
    row_text(p, text);
    menu_copy(out, 'y', text, "copy this row");
    snprintf(text, sizeof text, "%d", p->pid);
    menu_copy(out, 'p', text, "copy the pid");
    menu_command(out, 't', "sort ", "sort by another column…");
    return true;
}
