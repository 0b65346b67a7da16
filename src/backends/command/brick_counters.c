#include "backends/command/command_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "base/arena.h"
#include "base/words.h"
#include "rooftop/counters.h"

#define NO_PMU UINT32_C(0x7fffffff) /* no PMU has this type */
enum { EVENT_MAX = 160, RESOLVED_MAX = EVENT_MAX + 64 };
#define HELP "rooftop doctor events lists those of this machine; docs/COUNTERS.md has the rules"

static int refuse_event(struct error *err, const char *event, const char *why)
{
    return error_set(err, ERROR_USAGE, EINVAL, HELP, "--brick-counters", "%s: %s", event, why);
}

/* The end of the first event; commas between slashes belong to its terms. */
static size_t event_length(const char *list)
{
    bool inside = false;
    size_t n = 0;
    for (; list[n] && (inside || list[n] != ','); n++)
        inside = inside != (list[n] == '/');
    return n;
}

/* Where the modes of an event begin, such as ":u"; its end if it has none. */
static const char *modes_of(const char *event)
{
    const char *at = strrchr(event, ':');
    return at && at[1] && at[1 + strspn(at + 1, "ukh")] == '\0' ? at : event + strlen(event);
}

/* Words for sums of events with weights. An event is of the CPU's catalog or in the form of
 * event_resolve. "bytes" counts lines of 64 bytes from memory for loads of the core, without
 * written lines and lines that were prefetched into farther caches. */
static const struct word_part {
    const char *cpus, *word;
    const char *set, *event; /* set NULL: event is the spec itself */
    unsigned weight;         /* 0: the word means only this event */
} word_parts[] = {
    {"zen3 zen4 zen5", "flops", "flops", "flops", 0}, /* AMD PPR 55901 PMCx003 */
    /* Intel SDM vol. 3B, FP_ARITH_INST_RETIRED: the event already counts a multiply-add twice */
    {"skl icl spr adl", "flops", "flops", "fp_scalar", 1},
    {"skl icl spr adl", "flops", "flops", "fp_128d", 2},
    {"skl icl spr adl", "flops", "flops", "fp_4flops", 4},
    {"skl icl spr adl", "flops", "flops", "fp_8flops", 8},
    {"skl icl spr adl", "flops", "flops", "fp_512s", 16},
    /* Arm ARM, FP_FIXED_OPS_SPEC, FP_SCALE_OPS_SPEC for each 128 bits of a vector; they include
     * wrongly speculated operations */
    {"neoverse_n2 neoverse_v1 neoverse_v2", "flops", "flops", "fp_fixed", 1},
    {"neoverse_n2 neoverse_v2", "flops", "flops", "fp_scalable", 1},
    {"neoverse_v1", "flops", "flops", "fp_scalable", 2}, /* vectors of 256 bits */
    {"zen3 zen4 zen5", "bytes", "l1d", "dram_fills", 64},
    {"skl icl spr adl", "bytes", NULL, "cache-misses", 64}, /* LONGEST_LAT_CACHE.MISS */
    {"neoverse_n1 neoverse_n2 neoverse_v1 neoverse_v2", "bytes", NULL, "r37",
     64}, /* LL_CACHE_MISS_RD */
};

static const char *spec_in(const struct arch_def *arch, const struct word_part *part)
{
    if (!part->set)
        return part->event;
    for (const struct event_def *e = arch->events; e && e->name; e++)
        if (strcmp(e->set, part->set) == 0 && strcmp(e->name, part->event) == 0)
            return e->spec;
    return NULL;
}

static bool is_counter_word(const char *event)
{
    for (size_t i = 0; i < sizeof word_parts / sizeof *word_parts; i++)
        if (strcmp(word_parts[i].word, event) == 0)
            return true;
    return false;
}

/* Context switches and migrations happen in the kernel; all other events count in user mode. */
static const char *usual_modes(const struct perf_encoding *e)
{
    return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                             e->config == PERF_COUNT_SW_CPU_MIGRATIONS)
               ? "uk"
               : "u";
}

/* Writes the numbers of an event under this name for the program. */
static int resolve_counter(const char *event, const char *spec, char out[RESOLVED_MAX],
                           struct error *err)
{
    struct perf_encoding e;
    struct error why = ERROR_INIT;
    int rc = event_resolve(spec, &e, &why);
    if (rc != 0 && why.kind == ERROR_UNSUPPORTED) {
        e = (struct perf_encoding){
            .type = NO_PMU}; /* makes the program report that it is not counted here */
        rc = 0;
    }
    if (rc != 0)
        return error_set(err, why.kind, -rc, why.help, "--brick-counters", "%s: %s", event,
                         why.why);
    if (e.scope == EVENT_UNCORE)
        return refuse_event(err, event, "it is counted for the machine, not for a thread");
    if (e.config1 || e.config2)
        return refuse_event(err, event, "it needs more than a type and a code");
    const char *modes = modes_of(event);
    char name[EVENT_MAX];
    snprintf(name, sizeof name, "%.*s", (int)(modes - event), event);
    for (char *c = name; *c; c++)
        if (*c == '=' || *c == ',')
            *c = '_';
    if (!*modes)
        modes = usual_modes(&e);
    else if (e.exclude_user)
        modes = "k";
    else
        modes = e.exclude_kernel ? "u" : "uk";
    snprintf(out, RESOLVED_MAX, "%s=%" PRIu32 ":0x%" PRIx64 ":%s", name, e.type, e.config, modes);
    return 0;
}

/* The list so far, and its number of events. */
struct resolving {
    char *all;
    size_t n, room, events;
    struct error *err;
};

static int add_group_event(struct resolving *r, const char *event, const char *spec)
{
    char one[RESOLVED_MAX];
    if (++r->events > ROOFTOP_COUNTERS_MAX)
        return refuse_event(r->err, event, "a group has at most eight events");
    int rc = resolve_counter(event, spec, one, r->err);
    if (rc == 0)
        r->n += (size_t)snprintf(r->all + r->n, r->room - r->n, "%s%s", r->n ? "," : "", one);
    return rc;
}

/* Adds all events of a word, "flops*2_fp_128d" for one that counts twice. */
static int add_word_events(struct resolving *r, const char *word)
{
    const struct arch_def *arch = arch_find(arch_of_cpu());
    const size_t before = r->events;
    int rc = 0;
    for (size_t i = 0; arch && rc == 0 && i < sizeof word_parts / sizeof *word_parts; i++) {
        const struct word_part *part = &word_parts[i];
        const char *spec = NULL;
        char name[64];
        if (strcmp(part->word, word) == 0 && words_have(part->cpus, arch->key))
            spec = spec_in(arch, part);
        if (!spec)
            continue;
        if (part->weight)
            snprintf(name, sizeof name, "%s*%u_%s", word, part->weight, part->event);
        else
            snprintf(name, sizeof name, "%s", word);
        rc = add_group_event(r, name, spec);
    }
    if (rc == 0 && r->events == before)
        rc = refuse_event(r->err, word,
                          "this CPU has no event for them that rooftop knows; Arm's older cores "
                          "count instructions (r74 ASE_SPEC, r75 VFP_SPEC), not operations");
    return rc;
}

int brick_counters_resolve(const char *list, char **out, struct error *err)
{
    struct resolving r = {.err = err,
                          .room = strlen(list) + ROOFTOP_COUNTERS_MAX * (size_t)RESOLVED_MAX};
    int rc = 0;
    r.all = xcalloc(1, r.room);
    while (*list && rc == 0) {
        char event[EVENT_MAX];
        const size_t length = event_length(list);
        snprintf(event, sizeof event, "%.*s", (int)length, list);
        list += length + (list[length] == ',');
        if (length == 0)
            continue;
        if (length >= sizeof event)
            rc = refuse_event(err, "EVENTS", "a name is too long");
        else
            rc = is_counter_word(event) ? add_word_events(&r, event)
                                        : add_group_event(&r, event, event);
    }
    if (rc == 0 && r.events == 0)
        rc = refuse_event(err, "EVENTS", "no event is named");
    if (rc != 0)
        free(r.all);
    else
        *out = r.all;
    return rc;
}
