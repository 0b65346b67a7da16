#include "backends/replay/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/list.h"
#include "base/arena.h"
#include "base/env.h"

enum { WORKGROUP_MAX = 65535, NULL_PAGES = 65536 };
#define KERNARG_MOST (1u << 20)

static void tell_check(void *ctx, uint64_t bytes)
{
    struct replay_session *s = ctx;
    replay_event_progress(&s->events, bytes, s->check_bytes > bytes ? s->check_bytes : bytes);
}

/* Refuses a launch that a packet cannot hold. */
static int check_launch(const struct capture *c, struct replay_failure *f)
{
    for (int i = 0; i < 3; i++)
        if (c->grid[i] == 0 || c->block[i] == 0 || c->block[i] > WORKGROUP_MAX)
            return replay_fail(f, REPLAY_CAPTURE, NULL, c->path,
                               "a grid of %u, %u, %u in blocks of %u, %u, %u cannot be launched",
                               c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                               c->block[2]);
    if (c->kernarg_size > KERNARG_MOST)
        return replay_fail(f, REPLAY_CAPTURE, NULL, c->path, "%llu bytes of arguments",
                           (unsigned long long)c->kernarg_size);
    return 0;
}

static void note_regions(struct replay_session *s)
{
    for (size_t i = 0; i < s->c->nregions; i++)
        s->regions_empty += !s->c->regions[i].before.file;
    if (s->regions_empty)
        replay_note(&s->notes, "%zu regions could not be captured: their memory is zero",
                    s->regions_empty);
    for (size_t i = 0; i < s->c->nnotes; i++)
        replay_note(&s->notes, "%s", s->c->notes[i]);
}

void replay_session_begin(struct replay_session *s, const struct replay_task *q, FILE *events)
{
    *s = (struct replay_session){.q = q, .events = {.out = events}, .began_ns = env_now_ns()};
    replay_event_stage(&s->events, REPLAY_STAGE_CHECK);
}

int replay_session_check(struct replay_session *s, const struct replay_task *q, FILE *events,
                         bool contents, struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    replay_session_begin(s, q, events);
    int rc = capture_open(&s->c, q->capture, &err);
    if (rc == 0 && contents)
        rc = code_object_read(&s->captured, s->c->code, s->c->code_bytes, "kernel.hsaco",
                              *s->c->isa_name ? s->c->isa_name : NULL, &err);
    if (rc == 0)
        rc = replay_plan_make(&s->plan, s->c, &err);
    if (rc != 0)
        return replay_fail_as(f, REPLAY_CAPTURE, &err);
    note_regions(s);
    return contents ? check_launch(s->c, f) : 0;
}

/* How many bytes capture_verify reads. */
static uint64_t bytes_to_check(const struct capture *c)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < c->nregions; i++)
        bytes += c->regions[i].size *
                 ((c->regions[i].before.file != NULL) + (c->regions[i].after.file != NULL));
    for (size_t i = 0; i < c->nvariables; i++)
        bytes += c->variables[i].blob.file ? c->variables[i].size : 0;
    return bytes;
}

/* Holds the addresses before threads start and files are read, because these take addresses too. */
int replay_session_hold(struct replay_session *s, char (*failed)[REPLAY_WHY_BYTES],
                        struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    if (replay_hold(&s->hold, &s->plan, failed, f) != 0) {
        replay_event_stage(&s->events, REPLAY_STAGE_HOLD);
        return -1;
    }
    s->check_bytes = bytes_to_check(s->c);
    if (s->captured && capture_verify(s->c, tell_check, s, &err) != 0)
        return replay_fail_as(f, REPLAY_CAPTURE, &err);
    replay_event_stage(&s->events, REPLAY_STAGE_HOLD);
    return 0;
}

/* --- the stages that need the runtime --- */

static int open_session_code(struct replay_session *s, struct replay_failure *f)
{
    s->code = xcalloc(s->q->ncode, sizeof *s->code);
    if (*s->c->isa_name && replay_device_runs(&s->device, s->c->isa_name, "the capture", f) != 0)
        return -1;
    for (size_t i = 0; i < s->q->ncode; i++)
        if (replay_code_open(&s->code[i], &s->device, s->c, s->q->code[i], f) != 0)
            return -1;
    return 0;
}

static int check_host_memory(const struct replay_session *s, struct replay_failure *f)
{
    struct sysinfo info;
    if (sysinfo(&info) != 0 || s->plan.host_bytes < (uint64_t)info.totalram * info.mem_unit)
        return 0;
    return replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory",
                       "the capture needs %.1f MiB of it, there are %.1f MiB",
                       (double)s->plan.host_bytes / 1048576,
                       (double)info.totalram * info.mem_unit / 1048576);
}

static int take_session_memory(struct replay_session *s, struct replay_failure *f)
{
    replay_event_stage(&s->events, REPLAY_STAGE_RESERVE);
    if (replay_memory_fits(&s->device, &s->plan, f) != 0 || check_host_memory(s, f) != 0)
        return -1;
    replay_memory_init(&s->memory, &s->device, &s->plan);
    for (size_t i = 0; i < s->plan.n; i++) {
        if (replay_memory_take(&s->memory, &s->hold, i, f) != 0)
            return -1;
        const struct replay_range *r = &s->plan.ranges[i];
        replay_event_progress(&s->events, r->first + r->n, s->c->nregions);
    }
    return 0;
}

static void tell_restore(void *ctx, uint64_t done, uint64_t total)
{
    struct replay_session *s = ctx;
    if (strcmp(s->events.stage, "restore") == 0)
        replay_event_progress(&s->events, done, total);
    else /* a later restore during the run: shows that we are alive */
        replay_event_progress(&s->events, s->events.done, s->events.total);
}

static int load_code(struct replay_session *s, struct replay_failure *f)
{
    replay_event_stage(&s->events, REPLAY_STAGE_LOAD);
    for (size_t i = 0; i < s->q->ncode; i++)
        if (replay_code_load(&s->code[i], s->captured, &s->notes, f) != 0)
            return -1;
    if (replay_queue_open(&s->queue, &s->device, f) != 0)
        return -1;
    for (size_t i = 0; i < s->q->ncode; i++)
        if (replay_code_bind(&s->code[i], s->captured, s->queue.queue, &s->notes, f) != 0)
            return -1;
    return 0;
}

static long count_launches(const struct replay_task *q)
{
    return q->warmup + q->iterations + q->verify + (long)q->ncode - 1;
}

int replay_session_open(struct replay_session *s, struct replay_failure *f)
{
    replay_event_stage(&s->events, REPLAY_STAGE_INITIALISE);
    if (replay_device_open(&s->device, s->q->agent, s->plan.device_bytes > 0, f) != 0 ||
        open_session_code(s, f) != 0 || take_session_memory(s, f) != 0)
        return -1;
    replay_event_stage(&s->events, REPLAY_STAGE_RESTORE);
    s->workers = replay_workers_start(0);
    const bool repeatedly = s->q->recopy && count_launches(s->q) > 1;
    if (replay_restore_open(&s->restore, s->c, s->workers, repeatedly, f) != 0 ||
        replay_session_restore(s, NULL, f) != 0)
        return -1;
    return load_code(s, f);
}

static void note_time(struct replay_clock *t, double seconds)
{
    if (t->count++ == 0) {
        t->first_s = seconds;
        return;
    }
    LIST_ROOM(t->rest_s, t->count - 2, t->cap);
    t->rest_s[t->count - 2] = seconds;
}

int replay_session_restore(struct replay_session *s, struct replay_code *k,
                           struct replay_failure *f)
{
    const uint64_t begin = env_now_ns();
    if (replay_restore_run(s->restore, tell_restore, s, f) != 0 ||
        (k && replay_code_restore(k, f) != 0))
        return -1;
    note_time(&s->restored, (double)(env_now_ns() - begin) / 1e9);
    return 0;
}

void replay_session_close(struct replay_session *s)
{
    replay_queue_close(&s->queue); /* first, because a dispatch may still run */
    for (size_t i = s->code ? s->q->ncode : 0; i-- > 0;)
        replay_code_free(&s->code[i]);
    free(s->code);
    replay_restore_close(s->restore);
    replay_workers_stop(s->workers);
    replay_memory_free(&s->memory);
    replay_device_close(&s->device);
    replay_hold_free(&s->hold);
    replay_plan_free(&s->plan);
    if (s->captured)
        code_object_free(s->captured);
    capture_free(s->c);
    free(s->restored.rest_s);
}

/* --- locating a fault --- */

/* Bytes between the address and r; 0: inside. */
static uint64_t distance_to_region(const struct capture_region *r, uint64_t address)
{
    if (address < r->base)
        return r->base - address;
    return address - r->base < r->size ? 0 : address - (r->base + r->size) + 1;
}

static const struct capture_region *find_nearest_region(const struct capture *c, uint64_t address)
{
    const struct capture_region *best = NULL;
    for (size_t i = 0; i < c->nregions; i++)
        if (!best ||
            distance_to_region(&c->regions[i], address) < distance_to_region(best, address))
            best = &c->regions[i];
    return best;
}

void replay_session_explain(const struct replay_session *s, struct replay_failure *f)
{
    if (f->kind != REPLAY_FAULT || !f->has_address || !s->c)
        return;
    const struct capture *c = s->c;
    const struct capture_region *r = find_nearest_region(c, f->address);
    char where[192];
    if (!r)
        return;
    const unsigned long long base = r->base, size = r->size, address = f->address;
    if (address < NULL_PAGES) {
        snprintf(where, sizeof where, "; a pointer that is 0 leads there");
    } else if (distance_to_region(r, f->address) == 0) {
        f->region = r->base;
        snprintf(where, sizeof where, "; it is in region 0x%llx, at offset %llu", base,
                 address - base);
    } else if (c->code_size && address >= c->code_base && address - c->code_base < c->code_size) {
        snprintf(where, sizeof where,
                 "; it is in the captured code object, which is loaded elsewhere now");
    } else if (address < base) {
        snprintf(where, sizeof where, "; it is %llu bytes before region 0x%llx", base - address,
                 base);
    } else {
        f->region = r->base;
        snprintf(where, sizeof where,
                 "; it is %llu bytes behind the end of region 0x%llx (%llu "
                 "bytes), the nearest",
                 address - base - size, base, size);
    }
    const size_t n = strlen(f->err.why);
    snprintf(f->err.why + n, sizeof f->err.why - n, "%s", where);
}
