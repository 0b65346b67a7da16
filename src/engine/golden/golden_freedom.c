/* What differs between two runs of one command, and so is free in its golden trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/order.h"
#include "engine/golden/golden_diff.h"
#include "engine/golden/golden_impl.h"

#define THREADS "threads"
static const char why_threads[] =
    "which of its threads makes a call, and in which order, is chance";
static const char why_differs[] = "it differs from run to run";

/* --- which lines are alike --- */

static bool is_effects(const char *title)
{
    return strcmp(title, "effects") == 0;
}

/* The length of what names the subject of a line: "stdout", "write(<stdout>", with the path where
 * the call begins with AT_FDCWD. */
static size_t subject_length(const char *title, const char *line)
{
    const char *at = strstr(line, ": ");
    if (is_effects(title))
        return at ? (size_t)(at - line) : strlen(line);
    size_t n = strcspn(line, "(");
    int args = strncmp(line + n, "(AT_FDCWD,", 10) == 0 ? 2 : 1;
    bool quoted = false;
    for (; line[n]; n++) {
        quoted ^= line[n] == '"' && line[n - 1] != '\\';
        if (!quoted && (line[n] == ',' || line[n] == ')') && --args == 0)
            break;
    }
    return n;
}

/* A subject that ends with '/' stands for each name in that folder. */
static bool is_subject(const char *title, const char *line, const char *subject)
{
    size_t n = strlen(subject);
    if (strncmp(line, subject, n) != 0)
        return false;
    size_t all = subject_length(title, line);
    return subject[n - 1] == '/' ? all > n && !memchr(line + n, '/', all - n) : all == n;
}

static bool has_subject(const struct golden_section *s, const char *subject)
{
    for (size_t i = 0; s && i < s->n; i++)
        if (is_subject(s->title, s->lines[i], subject))
            return true;
    return false;
}

/* The subject of a line of one run; where the other run has none of it, names change from run to
 * run, and the folder is the subject. */
static char *subject_of(const char *title, const char *line, const struct golden_section *other)
{
    char *subject = xstrdup(line), *slash;
    subject[subject_length(title, line)] = '\0';
    if (!has_subject(other, subject) && (slash = strrchr(subject, '/')))
        slash[1] = '\0';
    return subject;
}

/* --- freedoms --- */

void golden_freedom_add(struct golden *g, const char *section, const char *what, const char *why)
{
    for (size_t i = 0; i < g->nfreedoms; i++)
        if (strcmp(g->freedoms[i].section, section) == 0 && strcmp(g->freedoms[i].what, what) == 0)
            return;
    g->freedoms = xrealloc(g->freedoms, g->nfreedoms + 1, sizeof *g->freedoms);
    g->freedoms[g->nfreedoms++] =
        (struct golden_freedom){xstrdup(section), xstrdup(what), xstrdup(why)};
}

/* Whether the section is of a further thread of the process. */
static bool is_thread_of(const char *title, const char *process)
{
    size_t n = strlen(process);
    return strncmp(title, process, n) == 0 && strncmp(title + n, " thread ", 8) == 0;
}

/* Puts the lines of all threads of a process into its first section, sorted. */
static void merge_threads(struct golden *g, const char *process)
{
    struct golden_section *to = (struct golden_section *)golden_section_find(g, process);
    size_t kept = 0;
    if (!to)
        to = golden_section_new(g, process);
    size_t at = (size_t)(to - g->sections);
    for (size_t i = 0; i < g->n; i++) {
        struct golden_section *s = &g->sections[i];
        if (!is_thread_of(s->title, process)) {
            at = i == at ? kept : at;
            g->sections[kept++] = *s;
            continue;
        }
        to = &g->sections[at];
        for (size_t k = 0; k < s->n; k++)
            LIST_ADD(to->lines, to->n, to->cap, s->lines[k]);
        free(s->lines);
        free(s->title);
    }
    g->n = kept;
    to = &g->sections[at];
    if (to->n > 1)
        qsort(to->lines, to->n, sizeof *to->lines, order_texts);
}

static void drop_lines(struct golden *g, const struct golden_freedom *f)
{
    struct golden_section *s = (struct golden_section *)golden_section_find(g, f->section);
    size_t kept = 0;
    for (size_t i = 0; s && i < s->n; i++)
        if (is_subject(s->title, s->lines[i], f->what))
            free(s->lines[i]);
        else
            s->lines[kept++] = s->lines[i];
    if (s)
        s->n = kept;
}

void golden_free_as(struct golden *g, const struct golden *stored)
{
    for (size_t i = 0; i < stored->nfreedoms; i++) {
        const struct golden_freedom *f = &stored->freedoms[i];
        if (strcmp(f->what, THREADS) == 0)
            merge_threads(g, f->section);
        else
            drop_lines(g, f);
    }
}

/* --- two runs --- */

static bool has_threads(const struct golden *g, const char *process)
{
    for (size_t i = 0; i < g->n; i++)
        if (is_thread_of(g->sections[i].title, process))
            return true;
    return false;
}

/* Threads of processes that differ are free. */
static void free_threads(struct golden *g, const struct golden *again, const struct golden_diff *d)
{
    for (size_t i = 0; i < d->n; i++) {
        char *process = xstrdup(d->list[i].title), *thread = strstr(process, " thread ");
        if (thread)
            *thread = '\0';
        if (!is_effects(process) && (has_threads(g, process) || has_threads(again, process)))
            golden_freedom_add(g, process, THREADS, why_threads);
        free(process);
    }
}

static void free_lines(struct golden *g, const char *title, const struct golden_section *s,
                       size_t from, size_t n, const struct golden_section *other)
{
    for (size_t i = from; s && i < from + n; i++) {
        char *subject = subject_of(title, s->lines[i], other);
        if (*subject)
            golden_freedom_add(g, title, subject, why_differs);
        free(subject);
    }
}

int golden_settle(struct golden *g, struct golden *again, struct error *err)
{
    struct golden_diff d;
    if (strcmp(g->sections[0].lines[0], again->sections[0].lines[0]) != 0)
        return error_set(err, ERROR_INPUT, EINVAL, "make it repeatable, or give --runs 1",
                         "golden trace", "one run %s, another %s", g->sections[0].lines[0],
                         again->sections[0].lines[0]);
    golden_free_as(again, g);
    golden_compare(g, again, &d);
    free_threads(g, again, &d);
    golden_diff_free(&d);
    golden_free_as(g, g);
    golden_free_as(again, g);
    golden_compare(g, again, &d);
    for (size_t i = 0; i < d.n; i++) {
        const struct golden_hunk *h = &d.list[i];
        const struct golden_section *a = golden_section_find(g, h->title),
                                    *b = golden_section_find(again, h->title);
        free_lines(g, h->title, a, h->stored_from, h->stored_n, b);
        free_lines(g, h->title, b, h->run_from, h->run_n, a);
    }
    golden_diff_free(&d);
    golden_free_as(g, g);
    return 0;
}
