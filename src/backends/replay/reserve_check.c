/*
 * Tests whether this GPU can provide the captured addresses: each is reserved, and released at the
 * end. Without a capture, it tests whether the GPU can provide addresses at all: for two addresses
 * of this process, a block of device memory and a page of the host, also as memory, as in a replay.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backends/replay/session.h"
#include "base/arena.h"
#include "engine/value/document.h"

enum { ALL_EXACT = 0, SOME_FAILED = 1, SOME_MOVED = 2 };

struct reserved_range {
    enum replay_reservation how;
    uint64_t at;
    char why[REPLAY_WHY_BYTES];
};

/* --- without a capture */

enum { PROBES = 2 };
struct reserve_probe {
    struct capture c;
    struct capture_region regions[PROBES];
};

/* Finds a free address range in this process; it is free again afterwards. */
static uint64_t find_free_range(uint64_t size, uint64_t unit)
{
    char *at =
        mmap(NULL, size + unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return 0;
    munmap(at, size + unit);
    return ((uint64_t)(uintptr_t)at + unit - 1) / unit * unit;
}

/* Makes a capture with the block and, after it, the page. */
static struct reserve_probe *probe_make(void)
{
    struct reserve_probe *p = xcalloc(1, sizeof *p);
    const uint64_t at = find_free_range(2 * REPLAY_BLOCK, REPLAY_BLOCK);
    p->regions[0] =
        (struct capture_region){.base = at, .size = REPLAY_BLOCK, .segment = CAPTURE_DEVICE};
    p->regions[1] = (struct capture_region){
        .base = at + REPLAY_BLOCK, .size = REPLAY_PAGE, .segment = CAPTURE_HOST};
    p->c = (struct capture){
        .path = "", .regions = p->regions, .nregions = PROBES, .bytes = REPLAY_BLOCK + REPLAY_PAGE};
    return p;
}

static int probe_check(struct replay_session *s, const struct reserve_probe *p,
                       const struct replay_task *q, FILE *events, struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    replay_session_begin(s, q, events);
    s->c = (struct capture *)&p->c; /* reset before the session is closed */
    return replay_plan_make(&s->plan, s->c, &err) == 0 ? 0
                                                       : replay_fail_as(f, REPLAY_INTERNAL, &err);
}

/* --- the ranges, one after the other --- */

/* With a capture only the addresses are tested; without one, also memory there. */
static void back_range(struct replay_session *s, size_t i, struct reserved_range *p)
{
    struct replay_failure f = {.err = ERROR_INIT};
    if (s->q->capture || p->how != REPLAY_EXACT || replay_memory_back(&s->memory, i, &f) == 0)
        return;
    p->how = REPLAY_REFUSED;
    error_format(&f.err, p->why, sizeof p->why);
}

static void place_range(struct replay_session *s, size_t i, char held_why[REPLAY_WHY_BYTES],
                        struct reserved_range *p)
{
    if (!s->hold.held[i]) {
        p->how = REPLAY_REFUSED;
        memcpy(p->why, held_why, sizeof p->why);
        return;
    }
    p->how = replay_memory_reserve(&s->memory, &s->hold, i, &p->at, p->why);
    back_range(s, i, p);
}

static void tell_region(struct replay_session *s, const struct capture_region *r,
                        const struct replay_range *range, const struct reserved_range *p)
{
    static const char *const status[] = {"OK", "FAIL", "RELOCATED"};
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "event", "region");
    json_add_u64(j, "base", r->base);
    json_add_u64(j, "size", r->size);
    cJSON_AddStringToObject(j, "status", status[p->how]);
    cJSON_AddBoolToObject(j, "host", range->host);
    if (p->how == REPLAY_MOVED)
        json_add_u64(j, "address", p->at + (r->base - range->base));
    if (p->how == REPLAY_REFUSED)
        json_add_text(j, "why", p->why);
    replay_event_object(&s->events, j);
}

static int check_all(struct replay_session *s, char (*held_why)[REPLAY_WHY_BYTES])
{
    char no_reason[REPLAY_WHY_BYTES] = "";
    size_t failed = 0, moved = 0, regions = 0;
    struct reserved_range *p = xcalloc(1, sizeof *p);
    replay_event_stage(&s->events, REPLAY_STAGE_RESERVE);
    for (size_t i = 0; i < s->plan.n; i++) {
        const struct replay_range *r = &s->plan.ranges[i];
        place_range(s, i, held_why ? held_why[i] : no_reason, p);
        for (size_t k = r->first; k < r->first + r->n; k++)
            if (s->c->regions[k].size) {
                tell_region(s, &s->c->regions[k], r, p);
                failed += p->how == REPLAY_REFUSED;
                moved += p->how == REPLAY_MOVED;
                regions++;
            }
    }
    free(p);
    cJSON *result = cJSON_CreateObject();
    json_add_u64(result, "regions", regions);
    json_add_u64(result, "total_bytes", s->c->bytes);
    json_add_u64(result, "page_size", REPLAY_PAGE);
    json_add_u64(result, "reservations", s->plan.n);
    json_add_u64(result, "failed", failed);
    json_add_u64(result, "relocated", moved);
    cJSON_AddBoolToObject(result, "of_capture", s->q->capture != NULL);
    json_add_text(result, "gpu_agent", s->device.name);
    json_add_text(result, "product_name", s->device.product);
    json_add_text(result, "rocm_version", s->device.version);
    replay_event_result(&s->events, result);
    if (failed)
        return SOME_FAILED;
    return moved ? SOME_MOVED : ALL_EXACT;
}

int replay_reserve_check(const struct replay_task *q, FILE *events)
{
    struct replay_session s;
    struct replay_failure f = {.err = ERROR_INIT};
    char(*held_why)[REPLAY_WHY_BYTES] = NULL;
    struct reserve_probe *probe = q->capture ? NULL : probe_make();
    int status;
    if ((probe ? probe_check(&s, probe, q, events, &f)
               : replay_session_check(&s, q, events, false, &f)) == 0) {
        held_why = xcalloc(s.plan.n ? s.plan.n : 1, sizeof *held_why);
        if (replay_session_hold(&s, held_why, &f) == 0) {
            replay_event_stage(&s.events, REPLAY_STAGE_INITIALISE);
            replay_device_open(&s.device, q->agent, s.plan.device_bytes > 0, &f);
        }
    }
    if (f.kind == REPLAY_OK) {
        replay_memory_init(&s.memory, &s.device, &s.plan);
        status = check_all(&s, held_why);
    } else {
        replay_event_error(&s.events, &f, NULL, NULL);
        status = f.kind == REPLAY_USAGE ? SOME_FAILED : replay_kind_exit(f.kind);
    }
    free(held_why);
    if (probe)
        s.c = NULL;
    replay_session_close(&s);
    free(probe);
    return status;
}
