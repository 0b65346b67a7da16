/* The menu of a row of system calls. */
#include <stdio.h>
#include <string.h>

#include "tui/views/syscalls/syscalls.h"

static void call_entries(struct menu *out, const struct syscalls_call_row *r, bool stacks)
{
    snprintf(out->title, sizeof out->title, "%.60s", r->name);
    menu_action(out, 'c', ACTION_SYSCALLS_ORIGINS, "where it came from");
    menu_deny(out, stacks ? NULL : "needs --stack");
    menu_filter(out, 'm', "name", r->name, "show only %.40s", r->name);
    menu_copy(out, 'n', r->name, "copy its name");
}

static void origin_entries(struct menu *out, const struct syscalls_origin_row *r)
{
    char where[320];
    snprintf(out->title, sizeof out->title, "%.60s", r->name);
    menu_filter(out, 'm', "call", r->name, "show only %.40s", r->name);
    if (!r->origin)
        return;
    menu_filter(out, 'f', "where", r->origin->function, "show only what %.40s made",
                r->origin->function);
    syscalls_origin_text(r, where, sizeof where);
    menu_copy(out, 'n', where, "copy the function, with file and line");
}

static void process_entries(struct menu *out, const struct syscalls_process_row *r, bool live)
{
    char command[48], pid[16];
    snprintf(out->title, sizeof out->title, "%d %.60s", (int)r->pid, r->name);
    snprintf(pid, sizeof pid, "%d", (int)r->pid);
    snprintf(command, sizeof command, "attach %d", (int)r->pid);
    menu_filter(out, 'm', "name", r->name, "show only processes called %.40s", r->name);
    menu_command(out, 'a', command, "watch this process instead");
    const char *gone = r->ended ? "it has ended" : NULL;
    menu_deny(out, live ? gone : "this is a saved trace");
    menu_copy(out, 'n', pid, "copy its pid");
}

static void file_entries(struct menu *out, const struct syscalls_file_row *r)
{
    snprintf(out->title, sizeof out->title, "%.80s", r->name);
    menu_filter(out, 'm', "kind", syscalls_file_kind(r->kind), "show only what is of the kind %s",
                syscalls_file_kind(r->kind));
    menu_copy(out, 'n', r->name, "copy its name");
}

static void event_entries(struct menu *out, const struct syscalls_event_row *r)
{
    char text[FIELD_TEXT_MAX], filter[48];
    const struct list_field *call = syscalls_event_fields;
    while (strcmp(call->name, "call") != 0)
        call++;
    snprintf(out->title, sizeof out->title, "%.60s", call->text(r, text));
    menu_filter(out, 'm', "call", call->text(r, text), "show only this call");
    snprintf(filter, sizeof filter, "filter pid=%d", (int)r->e.pid);
    menu_command(out, 'p', filter, "show only process %d", (int)r->e.pid);
    snprintf(filter, sizeof filter, "filter tid=%d", (int)r->e.tid);
    menu_command(out, 't', filter, "show only thread %d", (int)r->e.tid);
    syscalls_event_text(&r->e, text, sizeof text);
    menu_copy(out, 'y', text, "copy this call");
}

static void finding_entries(struct menu *out, const struct antipattern_finding *f)
{
    snprintf(out->title, sizeof out->title, "%.80s", f->rule->title);
    menu_copy(out, 'y', f->evidence, "copy the evidence");
    menu_copy(out, 'r', f->rule->remedy, "copy the remedy");
    menu_copy(out, 'n', f->rule->id, "copy its name for files of budgets");
}

bool syscalls_menu(const struct model *m, const struct view_state *st, const char *key,
                   struct menu *out)
{
    const struct syscalls_snapshot *p = syscalls_shown(m, st);
    struct syscalls_event_row buf;
    enum syscalls_list list;
    if (!key[0])
        key = st->selected_key;
    const void *row = p ? syscalls_find(p, key, &list, &buf) : NULL;
    if (!row)
        return false;
    menu_action(out, 'i', ACTION_EXPLAIN, "explain it");
    if (list == SYSCALLS_CALLS)
        call_entries(out, row, p->stacks != NULL);
    else if (list == SYSCALLS_ORIGINS)
        origin_entries(out, row);
    else if (list == SYSCALLS_PROCESSES)
        process_entries(out, row, p->state != SYSCALLS_SAVED);
    else if (list == SYSCALLS_FILES)
        file_entries(out, row);
    else if (list == SYSCALLS_EVENTS)
        event_entries(out, row);
    else
        finding_entries(out, row);
    menu_action(out, 'g', ACTION_SYSCALLS_LIST, "the next list: %s",
                syscalls_lists[syscalls_next_list(p, list)].title);
    return true;
}
