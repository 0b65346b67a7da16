/* Replaces names that differ between runs: pipes and sockets are named by their maker, folders by
 * their meaning for the run. */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "engine/golden/golden_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"

struct golden_naming {
    char **labels; /* by object; NULL: it has a name of its own */
    size_t n, cap;
    struct golden_swap *places; /* folders */
    size_t nplaces, places_cap;
    char **made; /* names that the run made */
    size_t nmade, made_cap;
};

/* --- what has no name --- */

static bool is_numbered(const struct descriptor_object *o)
{
    const char *last = strrchr(o->name, ' ');
    return last && isdigit((unsigned char)last[1]) &&
           (o->kind == DESCRIPTOR_PIPE || o->kind == DESCRIPTOR_SOCKET ||
            o->kind == DESCRIPTOR_HANDLE || strncmp(o->name, "file of unknown", 15) == 0);
}

/* "pipe 1" of the first thread, "pipe 1 of process 1.2" of others: numbers over all tasks would
 * depend on the speed of each. */
static char *label_of(const struct descriptor_object *o, struct golden_task *t)
{
    char *label = NULL, task[64] = "";
    const int word = (int)(strrchr(o->name, ' ') - o->name);
    if (t->thread)
        snprintf(task, sizeof task, " of process %s thread %" PRIu32, t->id, t->thread);
    else if (strcmp(t->id, "1") != 0)
        snprintf(task, sizeof task, " of process %s", t->id);
    if (asprintf(&label, "%.*s %" PRIu32 "%s", word, o->name, ++t->made[o->kind], task) < 0)
        abort();
    return label;
}

void golden_naming_after(struct golden_naming *n, struct golden_tasks *tasks,
                         const struct descriptors *d, const struct syscall_event *e)
{
    while (n->n < descriptors_count(d)) {
        const struct descriptor_object *o = descriptors_at(d, n->n);
        LIST_ADD(n->labels, n->n, n->cap,
                 is_numbered(o) ? label_of(o, golden_task_of(tasks, e->tid)) : NULL);
    }
}

const char *golden_naming_of(const struct golden_naming *n, const struct descriptor_object *o)
{
    return o->index < n->n && n->labels[o->index] ? n->labels[o->index] : o->name;
}

/* --- names that the run makes --- */

/* The argument with the new name that the call makes, and the argument of its folder; -1: none. */
static int8_t makes_name(const struct syscall_event *e, const struct syscall_duty *duty,
                         int8_t *dirfd)
{
    *dirfd = duty->fd;
    switch (duty->role) {
    case ROLE_OPEN:
        return golden_open_flags(e, duty, NULL) & O_CREAT ? duty->path : -1;
    case ROLE_MKDIR:
    case ROLE_NODE:
        return duty->path;
    case ROLE_LINK:
    case ROLE_RENAME:
        *dirfd = (int8_t)(duty->other > 1 ? duty->other - 1 : -1);
        return duty->other;
    default:
        return -1;
    }
}

void golden_naming_before(struct golden_naming *n, const struct descriptors *d,
                          const struct syscall_event *e)
{
    char path[4200];
    int8_t dirfd;
    const int8_t arg = makes_name(e, syscall_duty(e->abi, e->number), &dirfd);
    if (arg >= 0 && !syscall_failed(e) && descriptors_path(d, e, dirfd, arg, path, sizeof path))
        LIST_ADD(n->made, n->nmade, n->made_cap, xstrdup(path));
}

uint64_t golden_open_flags(const struct syscall_event *e, const struct syscall_duty *duty,
                           uint64_t *mode)
{
    const char *name = syscall_name(e->abi, e->number);
    uint64_t how[2] = {e->args[duty->path + 1], e->args[duty->path + 2]};
    if (strcmp(name, "creat") == 0) {
        how[1] = how[0];
        how[0] = O_CREAT | O_WRONLY | O_TRUNC;
    } else if (strcmp(name, "openat2") == 0) { /* the first members of struct open_how */
        size_t n = 0;
        const uint8_t *kept = syscall_kept(e, how[0], false, &n, NULL);
        memset(how, 0, sizeof how);
        if (kept && n >= sizeof how)
            memcpy(how, kept, sizeof how);
    }
    if (mode)
        *mode = how[1];
    return how[0];
}

/* --- folders --- */

void golden_naming_place(struct golden_naming *n, const char *path, const char *name)
{
    if (path && path[0] == '/' && path[1])
        LIST_ADD(n->places, n->nplaces, n->places_cap,
                 ((struct golden_swap){xstrdup(path), xstrdup(name)}));
}

/* --- replacing names in text --- */

/* Whether the name at `at` is no part of a longer one. A name of digits is accepted only where
 * names occur; elsewhere it is a number. */
static bool stands_alone(const char *text, const char *at, const char *name, size_t n)
{
    const unsigned char before = at > text ? (unsigned char)at[-1] : ' ';
    const unsigned char after = (unsigned char)at[n];
    if (isalnum(after) || after == '_' || after == '-')
        return false;
    if (strspn(name, "0123456789") == n)
        return before == '"' || before == '<' ||
               (at - text > 1 && strncmp(at - 2, ": ", 2) == 0 &&
                strncmp(at + n, " bytes", 6) != 0) ||
               (at - text == 5 && strncmp(text, "file ", 5) == 0);
    return name[0] == '/' || name[0] == '$' || (!isalnum(before) && !strchr("_-./", before));
}

static char *swap_one(char *text, const struct golden_swap *s)
{
    const size_t n = strlen(s->from), with = strlen(s->to);
    for (char *at = text; *s->from && (at = strstr(at, s->from));) {
        if (!stands_alone(text, at, s->from, n)) {
            at++;
            continue;
        }
        char *longer = NULL;
        if (asprintf(&longer, "%.*s%s%s", (int)(at - text), text, s->to, at + n) < 0)
            abort();
        at = longer + (at - text) + with;
        free(text);
        text = longer;
    }
    return text;
}

static int longest_first(const void *a, const void *b)
{
    const struct golden_swap *x = a, *y = b;
    const size_t n = strlen(x->from), m = strlen(y->from);
    return n != m ? (n < m) - (n > m) : strcmp(x->from, y->from);
}

char *golden_swap_text(char *text, const struct golden_swap *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text = swap_one(text, &list[i]);
    return text;
}

void golden_swap_all(struct golden *g, struct golden_swap *list, size_t n)
{
    if (n > 1)
        qsort(list, n, sizeof *list, longest_first);
    for (size_t i = 0; n && i < g->n; i++)
        for (size_t k = 0; k < g->sections[i].n; k++)
            g->sections[i].lines[k] = golden_swap_text(g->sections[i].lines[k], list, n);
    for (size_t i = 0; n && i < g->nmade; i++)
        g->made[i] = golden_swap_text(g->made[i], list, n);
}

void golden_swaps_free(struct golden_swap *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(list[i].from);
        free(list[i].to);
    }
    free(list);
}

static void unique_made(struct golden *g)
{
    size_t kept = 0;
    if (g->nmade > 1)
        qsort(g->made, g->nmade, sizeof *g->made, order_texts);
    for (size_t i = 0; i < g->nmade; i++)
        if (kept && strcmp(g->made[kept - 1], g->made[i]) == 0)
            free(g->made[i]);
        else
            g->made[kept++] = g->made[i];
    g->nmade = kept;
}

/* Replaces the number in /proc/NUMBER by PID. */
static char *without_pid(char *text)
{
    for (char *at = text; (at = strstr(at, "/proc/"));) {
        at += strlen("/proc/");
        const size_t n = strspn(at, "0123456789");
        char *other = NULL;
        if (!n)
            continue;
        if (asprintf(&other, "%.*sPID%s", (int)(at - text), text, at + n) < 0)
            abort();
        at = other + (at - text);
        free(text);
        text = other;
    }
    return text;
}

void golden_naming_finish(struct golden_naming *n, struct golden *g)
{
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < g->sections[i].n; k++)
            g->sections[i].lines[k] = without_pid(g->sections[i].lines[k]);
    g->made = n->made;
    g->nmade = n->nmade;
    n->made = NULL;
    n->nmade = 0;
    golden_swap_all(g, n->places, n->nplaces);
    unique_made(g);
}

struct golden_naming *golden_naming_new(void)
{
    return xcalloc(1, sizeof(struct golden_naming));
}

void golden_naming_free(struct golden_naming *n)
{
    for (size_t i = 0; i < n->n; i++)
        free(n->labels[i]);
    for (size_t i = 0; i < n->nmade; i++)
        free(n->made[i]);
    golden_swaps_free(n->places, n->nplaces);
    free(n->labels);
    free(n->made);
    free(n);
}
