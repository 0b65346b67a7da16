/* Reads values over time: occupancy, states of all waves, hardware counters, clocks. */
#include <stdlib.h>
#include <string.h>

#include "backends/att/att_impl.h"

enum { KEY = 32 };

static bool is_kernel_number(const char *key, uint32_t *out)
{
    char *end;
    unsigned long v = strtoul(key, &end, 10);
    *out = (uint32_t)v;
    return *key >= '0' && *key <= '9' && !*end && v < UINT32_MAX;
}

static void note_left_out(struct att *a, const struct json *j, uint64_t n)
{
    if (n)
        att_note(a, "%s: %llu rows beyond the first %d were left out", j->file,
                 (unsigned long long)n, ATT_EVENTS_MAX);
}

/* --- occupancy.json --- */

/* Reads [time, cu, simd, slot, 1 began or 0 ended, kernel, …]. */
static bool read_event(struct json *j, uint32_t se, struct att_event *e)
{
    *e = (struct att_event){.se = se};
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "an event should be an array");
    if (!json_array(j))
        return false;
    if (json_column(j, "time"))
        e->time = json_i64(j, "time");
    if (json_column(j, "cu"))
        e->cu = json_u32(j, "cu");
    if (json_column(j, "simd"))
        e->simd = json_u32(j, "simd");
    if (json_column(j, "slot"))
        e->slot = json_u32(j, "slot");
    if (json_column(j, "start"))
        e->start = json_u64(j, "start") != 0;
    if (json_column(j, "kernel"))
        e->kernel = json_u32(j, "kernel");
    json_leave(j);
    return j->rc == 0;
}

static void read_att_events(struct att *a, struct json *j, uint32_t se)
{
    struct att_event e;
    uint64_t left_out = 0;
    if (!json_array(j))
        return;
    while (json_item(j)) {
        if (!read_event(j, se, &e))
            continue;
        if (a->nevents == ATT_EVENTS_MAX) {
            left_out++;
            continue;
        }
        a->events = att_grow(a->events, a->nevents, sizeof *a->events);
        a->events[a->nevents++] = e;
    }
    note_left_out(a, j, left_out);
}

static void read_att_kernels(struct att *a, struct json *j)
{
    char key[KEY];
    uint32_t id;
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key)) {
        if (!is_kernel_number(key, &id)) {
            json_fail(j, json_at(j), "\"%.40s\" should be the number of a kernel", key);
            return;
        }
        const char *name = json_text(j, "a kernel's name", &a->memory);
        if (j->rc != 0 || a->nkernels == ATT_EVENTS_MAX)
            continue;
        a->kernels = att_grow(a->kernels, a->nkernels, sizeof *a->kernels);
        a->kernels[a->nkernels++] = (struct att_kernel){id, name};
    }
}

int att_parse_occupancy(struct att *a, struct json *j)
{
    char key[KEY];
    uint32_t se;
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);)
        if (is_kernel_number(key, &se))
            read_att_events(a, j, se);
        else if (strcmp(key, "dispatches") == 0)
            read_att_kernels(a, j);
        else
            json_skip(j);
    json_end(j);
    return j->rc;
}

/* --- wstatesN.json --- */

/* Reads one of the two arrays into the levels from `first` on. */
static uint32_t read_half(struct att *a, struct json *j, uint32_t first, uint8_t state, bool times)
{
    uint32_t n = 0;
    if (!json_array(j))
        return 0;
    for (; json_item(j); n++) {
        int64_t v = times ? json_i64(j, "time") : (int64_t)json_u64(j, "state");
        if (n == ATT_EVENTS_MAX) {
            json_fail(j, json_at(j), "more than %d times", ATT_EVENTS_MAX);
            return n;
        }
        if (first + n == a->nlevels) {
            a->levels = att_grow(a->levels, a->nlevels, sizeof *a->levels);
            a->levels[a->nlevels++] = (struct att_level){.state = state};
        }
        if (times)
            a->levels[first + n].time = v;
        else
            a->levels[first + n].waves = (uint64_t)v;
    }
    return n;
}

int att_parse_levels(struct att *a, struct json *j, uint8_t state)
{
    char key[KEY];
    uint32_t first = a->nlevels, times = 0, states = 0;
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);)
        if (strcmp(key, "time") == 0 && times == 0)
            times = read_half(a, j, first, state, true);
        else if (strcmp(key, "state") == 0 && states == 0)
            states = read_half(a, j, first, state, false);
        else
            json_skip(j);
    json_end(j);
    if (times != states)
        json_fail(j, json_at(j), "%u times and %u states", times, states);
    return j->rc;
}

/* --- seN_perfcounter.json --- */

/* Reads [time, four values, cu, bank]. */
static void read_sample(struct att *a, struct json *j, uint32_t se, uint64_t *left_out)
{
    struct att_sample s = {.se = se};
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "a sample should be an array");
    if (!json_array(j))
        return;
    if (json_column(j, "time"))
        s.time = json_i64(j, "time");
    for (int i = 0; i < 4; i++)
        if (json_column(j, "a counter"))
            s.value[i] = json_double(j, "a counter");
    if (json_column(j, "cu")) {
        int64_t cu = json_i64(j, "cu"); /* below 0: of no unit */
        s.cu = cu < 0 || cu >= UINT32_MAX ? ATT_UNKNOWN : (uint32_t)cu;
    }
    if (json_column(j, "bank"))
        s.bank = json_u32(j, "bank");
    json_leave(j);
    if (j->rc != 0)
        return;
    if (a->nsamples == ATT_EVENTS_MAX) {
        (*left_out)++;
        return;
    }
    a->samples = att_grow(a->samples, a->nsamples, sizeof *a->samples);
    a->samples[a->nsamples++] = s;
}

int att_parse_counters(struct att *a, struct json *j, uint32_t se)
{
    char key[KEY];
    uint64_t left_out = 0;
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);)
        if (strcmp(key, "data") == 0)
            for (bool any = json_array(j); any && json_item(j);)
                read_sample(a, j, se, &left_out);
        else
            json_skip(j);
    json_end(j);
    note_left_out(a, j, left_out);
    return j->rc;
}

/* --- realtime.json --- */

static void read_att_metadata(struct att *a, struct json *j)
{
    char key[KEY];
    if (!json_object(j))
        return;
    while (json_key(j, key, sizeof key))
        if (strcmp(key, "frequency") == 0)
            a->frequency = json_double(j, "frequency");
        else
            json_skip(j);
}

/* Reads [shader clock, real-time clock]. */
static void read_clock_pair(struct att *a, struct json *j, uint32_t se)
{
    struct att_clock c = {.se = se};
    if (json_type(j) != '[')
        json_fail(j, json_at(j), "a pair of clocks should be an array");
    if (!json_array(j))
        return;
    if (json_column(j, "shader clock"))
        c.shader = json_i64(j, "shader clock");
    if (json_column(j, "real-time clock"))
        c.real = json_u64(j, "real-time clock");
    json_leave(j);
    if (j->rc != 0 || a->nclocks == ATT_EVENTS_MAX)
        return;
    a->clocks = att_grow(a->clocks, a->nclocks, sizeof *a->clocks);
    a->clocks[a->nclocks++] = c;
}

int att_parse_clocks(struct att *a, struct json *j)
{
    char key[KEY];
    uint32_t se;
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);)
        if (strcmp(key, "metadata") == 0)
            read_att_metadata(a, j);
        else if (strncmp(key, "SE", 2) == 0 && is_kernel_number(key + 2, &se))
            for (bool any = json_array(j); any && json_item(j);)
                read_clock_pair(a, j, se);
        else
            json_skip(j);
    json_end(j);
    return j->rc;
}
