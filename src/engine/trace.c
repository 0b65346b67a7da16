#include "engine/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "engine/execution.h"
#include "engine/graph_sum.h"

enum { HEAD = 512 };

/* Room of the arrays, and what readers keep between files. */
struct trace_private {
    uint32_t agents, dispatches, counters;
    struct state {
        const struct reader_ops *reader;
        void *value;
    } * states;
    uint32_t nstates, states_cap;
};

static const struct reader_ops *folder_reader(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return NULL;
    for (size_t i = 0; readers[i]; i++)
        if (readers[i]->folder && readers[i]->folder(path))
            return readers[i];
    return NULL;
}

bool trace_folder(const char *path)
{
    return folder_reader(path) != NULL;
}

const struct reader_ops *trace_reader(const char *path, struct error *err)
{
    unsigned char head[HEAD];
    struct stat st;
    char known[256] = "";
    const struct reader_ops *of_folder = folder_reader(path);
    if (of_folder)
        return of_folder;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    else if (fd >= 0)
        n = read(fd, head, sizeof head);
    int code = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0) {
        error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
        return NULL;
    }
    for (size_t i = 0; readers[i]; i++) {
        if (readers[i]->recognise(path, head, (size_t)n))
            return readers[i];
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 readers[i]->summary);
    }
    error_set(err, ERROR_INPUT, EINVAL, NULL, path, "none of the formats it could be: %s", known);
    return NULL;
}

static struct trace_private *room(struct trace *t)
{
    if (!t->priv)
        t->priv = xcalloc(1, sizeof *t->priv);
    return t->priv;
}

static void *grow(void *list, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return list;
    *cap = *cap ? *cap * 2 : 64;
    return xrealloc(list, *cap, size);
}

void **trace_state(struct trace *t, const struct reader_ops *reader)
{
    struct trace_private *p = room(t);
    for (uint32_t i = 0; i < p->nstates; i++)
        if (p->states[i].reader == reader)
            return &p->states[i].value;
    p->states = grow(p->states, p->nstates, &p->states_cap, sizeof *p->states);
    p->states[p->nstates] = (struct state){reader, NULL};
    return &p->states[p->nstates++].value;
}

uint32_t trace_add_agent(struct trace *t, const struct trace_agent *a)
{
    for (uint32_t i = 0; i < t->nagents; i++)
        if (t->agents[i].number == a->number && t->agents[i].host == a->host &&
            t->agents[i].gpu == a->gpu)
            return i;
    t->agents = grow(t->agents, t->nagents, &room(t)->agents, sizeof *t->agents);
    t->agents[t->nagents] = *a;
    return t->nagents++;
}

void trace_add_dispatch(struct trace *t, const struct trace_dispatch *d)
{
    t->dispatches =
        grow(t->dispatches, t->ndispatches, &room(t)->dispatches, sizeof *t->dispatches);
    t->dispatches[t->ndispatches++] = *d;
}

void trace_add_counter(struct trace *t, uint32_t node, const char *name, double value)
{
    t->counters = grow(t->counters, t->ncounters, &room(t)->counters, sizeof *t->counters);
    t->counters[t->ncounters++] = (struct trace_counter){node, graph_intern(t->calls, name), value};
}

void trace_note(struct trace *t, const char *fmt, ...)
{
    enum { NOTES_MAX = 64, LENGTH = 400 };
    char text[LENGTH];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (t->nnotes == NOTES_MAX)
        return;
    t->notes = xrealloc(t->notes, t->nnotes + 1, sizeof *t->notes);
    t->notes[t->nnotes++] = xstrdup(text);
}

int trace_progress(struct trace *t, const char *path, uint64_t done, uint64_t total,
                   struct error *err)
{
    if (!t->watch || t->watch(t->watch_ctx, path, done, total))
        return 0;
    return error_set(err, ERROR_INPUT, ECANCELED, NULL, path, "reading it was given up");
}

static int dispatch_order(const void *a, const void *b)
{
    const struct trace_dispatch *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static int counter_order(const void *a, const void *b)
{
    const struct trace_counter *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Readers mostly add them in order already. */
static void sort(void *list, uint32_t n, size_t size, int (*order)(const void *, const void *))
{
    for (uint32_t i = 1; i < n; i++) {
        const char *second = (const char *)list + i * size;
        if (order(second - size, second) > 0) {
            qsort(list, n, size, order);
            return;
        }
    }
}

static void put_in_order(struct trace *t)
{
    uint32_t n = 0;
    sort(t->dispatches, t->ndispatches, sizeof *t->dispatches, dispatch_order);
    sort(t->counters, t->ncounters, sizeof *t->counters, counter_order);
    for (uint32_t i = 0; i < t->ncounters; i++)
        if (n && counter_order(&t->counters[n - 1], &t->counters[i]) == 0)
            t->counters[n - 1].value += t->counters[i].value;
        else
            t->counters[n++] = t->counters[i];
    t->ncounters = n;
}

/* The first failure counts; whoever keeps something is asked all the same. */
static int finish_readers(struct trace *t, int rc, struct error *err)
{
    for (uint32_t i = 0; t->priv && i < t->priv->nstates; i++) {
        const struct state s = t->priv->states[i];
        int failed = s.value ? s.reader->finish(t, rc == 0, err) : 0;
        rc = rc == 0 ? failed : rc;
    }
    return rc;
}

/* What readers leave to us, of all calls from one on. */
static void make_of_calls(struct trace *t, uint32_t from, bool linked)
{
    uint32_t to = t->calls->nnodes;
    if (!linked)
        execution_sequence(t->calls, from, to);
    execution_waits(t->calls, from, to);
    t->place = xrealloc(t->place, to + 1u, sizeof *t->place);
    graph_sum(t->sums, t->calls, from, to, t->place + from);
}

int trace_open(struct trace *out, const char *const *paths, size_t n, struct error *err)
{
    int rc = 0;
    uint32_t first = 0; /* of the calls that nothing was made of yet */
    bool linked = true;
    out->sums = graph_new();
    out->calls = graph_new();
    for (size_t i = 0; i < n && rc == 0; i++) {
        uint32_t before = out->calls->nnodes;
        const struct reader_ops *r = trace_reader(paths[i], err);
        if (r && (r->sums || r->linked != linked)) {
            make_of_calls(out, first, linked);
            first = before;
            linked = r->linked;
        }
        rc = r ? r->read(paths[i], out, err) : -EINVAL;
        if (r && r->sums) {
            first = out->calls->nnodes;
            out->place = xrealloc(out->place, first + 1u, sizeof *out->place);
            memset(out->place + before, 0xff, (first - before) * sizeof *out->place);
        }
    }
    rc = finish_readers(out, rc, err);
    if (rc == 0)
        make_of_calls(out, first, linked);
    put_in_order(out);
    graph_finish(out->sums);
    graph_finish(out->calls);
    return rc;
}

int trace_code(struct trace_code *out, const char *path, uint64_t hash, struct error *err)
{
    const struct reader_ops *r = trace_reader(path, err);
    *out = (struct trace_code){.kind = ""};
    if (!r)
        return -EINVAL;
    if (!r->code)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, NULL, path, "such files hold no code");
    return r->code(out, path, hash, err);
}

void trace_code_free(struct trace_code *c)
{
    free(c->bytes);
    *c = (struct trace_code){.kind = ""};
}

void trace_free(struct trace *t)
{
    graph_unref(t->sums);
    graph_unref(t->calls);
    free(t->place);
    free(t->agents);
    free(t->dispatches);
    free(t->counters);
    for (uint32_t i = 0; i < t->nnotes; i++)
        free(t->notes[i]);
    free(t->notes);
    if (t->priv)
        free(t->priv->states);
    free(t->priv);
    *t = (struct trace){0};
}
