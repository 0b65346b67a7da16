/* Identifies processes, threads, streams and queues, and reads their metadata. */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/hash.h"

bool chrome_grow(void **list, uint32_t n, uint32_t *cap, size_t size)
{
    enum { FIRST = 256 };
    if (n < *cap)
        return true;
    if (n >= GRAPH_MAX_EDGES)
        return false;
    *cap = *cap ? *cap * 2 : FIRST;
    *list = xrealloc(*list, *cap, size);
    return true;
}

static bool same_id(const struct chrome_id *a, const struct chrome_id *b)
{
    return a->number == b->number &&
           (a->text[0] == 0 ? b->text[0] == 0 : strcmp(a->text, b->text) == 0);
}

static uint64_t hash_id(uint64_t seed, const struct chrome_id *id)
{
    uint64_t h = hash_number(seed, (uint64_t)id->number);
    return id->text[0] ? hash_text(h, id->text) : h;
}

int64_t chrome_id_number(const struct chrome_id *id, size_t *before)
{
    const size_t n = strlen(id->text);
    int64_t number = id->number;
    *before = n;
    while (*before > 0 && id->text[*before - 1] >= '0' && id->text[*before - 1] <= '9')
        --*before;
    if (*before < n && !json_scaled(id->text + *before, n - *before, 0, &number))
        *before = n;
    return number;
}

/* --- processes and lanes --- */

static uint32_t find_or_add_process_id(struct chrome_store *s, const struct chrome_id *id)
{
    uint64_t hash = hash_id(0, id);
    uint32_t n = s->processes.n;
    HASH_EACH (&s->process_by_id, hash, i)
        if (same_id(&s->processes.at[i].id, id))
            return i;
    if (n >= CHROME_MAX_LANES || !CHROME_GROW(s->processes))
        return CHROME_NONE;
    s->processes.at[n] =
        (struct chrome_process){.id = *id, .name = GRAPH_NONE, .labels = GRAPH_NONE};
    hash_table_add(&s->process_by_id, hash, n);
    return s->processes.n++;
}

static uint32_t lane_in(struct chrome_store *s, uint32_t process, const struct chrome_id *id)
{
    uint64_t hash = hash_id(process + 1, id);
    uint32_t n = s->lanes.n;
    HASH_EACH (&s->lane_by_id, hash, i)
        if (s->lanes.at[i].process == process && same_id(&s->lanes.at[i].id, id))
            return i;
    if (n >= CHROME_MAX_LANES || !CHROME_GROW(s->lanes))
        return CHROME_NONE;
    s->lanes.at[n] =
        (struct chrome_lane){.id = *id, .process = process, .name = GRAPH_NONE, .shown = INT64_MIN};
    hash_table_add(&s->lane_by_id, hash, n);
    return s->lanes.n++;
}

uint32_t chrome_lane_of(struct chrome_store *s, const struct chrome_event *e)
{
    if (s->last_lane < s->lanes.n) {
        const struct chrome_lane *l = &s->lanes.at[s->last_lane];
        if (same_id(&l->id, &e->tid) && same_id(&s->processes.at[l->process].id, &e->pid))
            return s->last_lane;
    }
    uint32_t process = find_or_add_process_id(s, &e->pid);
    uint32_t lane = process == CHROME_NONE ? CHROME_NONE : lane_in(s, process, &e->tid);
    if (lane != CHROME_NONE)
        s->last_lane = lane;
    return lane;
}

uint32_t chrome_lane_beside(struct chrome_store *s, uint32_t lane, int64_t number)
{
    return lane_in(s, s->lanes.at[lane].process, &(struct chrome_id){.number = number});
}

/* --- metadata --- */

/* Adds a name without the trailing spaces that some writers add. */
static uint32_t intern_label(struct graph *g, const char *text)
{
    char out[sizeof((struct chrome_event *)0)->label];
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    memcpy(out, text, n);
    out[n] = 0;
    return n ? graph_intern(g, out) : GRAPH_NONE;
}

static void of_process(struct chrome_store *s, const struct chrome_event *e)
{
    uint32_t i = find_or_add_process_id(s, &e->pid);
    struct chrome_process *p = i == CHROME_NONE ? NULL : &s->processes.at[i];
    if (!p)
        return;
    if (strcmp(e->name, "process_name") == 0)
        p->name = intern_label(s->trace->calls, e->label);
    else if (strcmp(e->name, "process_labels") == 0)
        p->labels = intern_label(s->trace->calls, e->label);
    else if (strcmp(e->name, "process_sort_index") == 0 && e->have & HAS_SORT)
        p->sort = e->sort;
}

static void of_thread(struct chrome_store *s, const struct chrome_event *e)
{
    uint32_t i = chrome_lane_of(s, e);
    struct chrome_lane *l = i == CHROME_NONE ? NULL : &s->lanes.at[i];
    if (!l)
        return;
    if (strcmp(e->name, "thread_sort_index") == 0 && e->have & HAS_SORT)
        l->sort = e->sort;
    if (strcmp(e->name, "thread_name") != 0)
        return;
    l->name = intern_label(s->trace->calls, e->label);
    l->named = true;
    if (s->rooftop) {
        l->queue = strcmp(e->kind, "queue") == 0;
        l->shown = e->lane_id;
    }
}

void chrome_metadata(struct chrome_store *s, const struct chrome_event *e)
{
    if (strncmp(e->name, "process_", 8) == 0)
        of_process(s, e);
    else if (strncmp(e->name, "thread_", 7) == 0)
        of_thread(s, e);
    else if (strcmp(e->name, "trace") == 0 && strcmp(e->label, "rooftop") == 0 && s->shorts.n == 0)
        s->rooftop = true;
}
