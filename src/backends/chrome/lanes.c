/* Identifies processes, threads, streams and queues, and reads their metadata. */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/store.h"
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

/* --- slots --- */

static void put_lane(struct chrome_slots *s, uint64_t hash, uint32_t number)
{
    uint32_t i = (uint32_t)hash & (s->size - 1);
    while (s->at[i])
        i = (i + 1) & (s->size - 1);
    s->at[i] = number + 1;
}

static uint64_t hash_process(const struct chrome_store *s, uint32_t i)
{
    return hash_id(0, &s->processes.at[i].id);
}

static uint64_t hash_lane(const struct chrome_store *s, uint32_t i)
{
    return hash_id(s->lanes.at[i].process + 1, &s->lanes.at[i].id);
}

/* Doubles the table when it is half full. n: entries in use. */
static void widen(struct chrome_store *s, struct chrome_slots *slots, uint32_t n,
                  uint64_t (*hash)(const struct chrome_store *, uint32_t))
{
    enum { FIRST = 64 };
    if (2 * (n + 1) <= slots->size)
        return;
    free(slots->at);
    slots->size = slots->size ? slots->size * 2 : FIRST;
    slots->at = xcalloc(slots->size, sizeof *slots->at);
    for (uint32_t i = 0; i < n; i++)
        put_lane(slots, hash(s, i), i);
}

/* --- processes and lanes --- */

static uint32_t process_of(struct chrome_store *s, const struct chrome_id *id)
{
    uint64_t hash = hash_id(0, id);
    uint32_t n = s->processes.n;
    widen(s, &s->process_slots, n, hash_process);
    uint32_t mask = s->process_slots.size - 1;
    for (uint32_t i = (uint32_t)hash & mask, k; (k = s->process_slots.at[i]); i = (i + 1) & mask)
        if (same_id(&s->processes.at[k - 1].id, id))
            return k - 1;
    if (n >= CHROME_MAX_LANES || !CHROME_GROW(s->processes))
        return CHROME_NONE;
    s->processes.at[n] =
        (struct chrome_process){.id = *id, .name = GRAPH_NONE, .labels = GRAPH_NONE};
    put_lane(&s->process_slots, hash, n);
    return s->processes.n++;
}

static uint32_t lane_in(struct chrome_store *s, uint32_t process, const struct chrome_id *id)
{
    uint64_t hash = hash_id(process + 1, id);
    uint32_t n = s->lanes.n;
    widen(s, &s->lane_slots, n, hash_lane);
    uint32_t mask = s->lane_slots.size - 1;
    for (uint32_t i = (uint32_t)hash & mask, k; (k = s->lane_slots.at[i]); i = (i + 1) & mask)
        if (s->lanes.at[k - 1].process == process && same_id(&s->lanes.at[k - 1].id, id))
            return k - 1;
    if (n >= CHROME_MAX_LANES || !CHROME_GROW(s->lanes))
        return CHROME_NONE;
    s->lanes.at[n] =
        (struct chrome_lane){.id = *id, .process = process, .name = GRAPH_NONE, .shown = INT64_MIN};
    put_lane(&s->lane_slots, hash, n);
    return s->lanes.n++;
}

uint32_t chrome_lane_of(struct chrome_store *s, const struct chrome_event *e)
{
    if (s->last_lane < s->lanes.n) {
        const struct chrome_lane *l = &s->lanes.at[s->last_lane];
        if (same_id(&l->id, &e->tid) && same_id(&s->processes.at[l->process].id, &e->pid))
            return s->last_lane;
    }
    uint32_t process = process_of(s, &e->pid);
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
static uint32_t label(struct graph *g, const char *text)
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
    uint32_t i = process_of(s, &e->pid);
    struct chrome_process *p = i == CHROME_NONE ? NULL : &s->processes.at[i];
    if (!p)
        return;
    if (strcmp(e->name, "process_name") == 0)
        p->name = label(s->trace->calls, e->label);
    else if (strcmp(e->name, "process_labels") == 0)
        p->labels = label(s->trace->calls, e->label);
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
    l->name = label(s->trace->calls, e->label);
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
