/*
 * Devices and deferred measurement. Without a device, a call has done its work when it returns, and
 * its time is known at its stop. With a device, the sync mode decides when to wait for it. Until
 * then measurements are pending, with the device's own time stamps if it has them.
 */
#include <stdlib.h>
#include <string.h>

#include "brick/internal.h"

rooftop_device brick_device;
bool brick_has_device;
int brick_sync = ROOFTOP_DEFERRED;
static bool disabled;

PUBLIC void rooftop_set_device(const rooftop_device *device)
{
    struct brick_header *h = brick_open();
    pthread_mutex_lock(&brick_lock);
    memset(&brick_device, 0, sizeof brick_device);
    if (device)
        brick_device = *device;
    __atomic_store_n(&brick_has_device, device != NULL, __ATOMIC_RELEASE);
    if (h && device)
        STORE(h->device, 1);
    pthread_mutex_unlock(&brick_lock);
}

/* Sets the one flag that decides whether starts record. */
static void decide_recording(const struct brick_header *h)
{
    STORE(rooftop_on, h && !LOAD(disabled) && LOAD(brick_sync) != ROOFTOP_NONE);
}

PUBLIC void rooftop_set_sync(enum rooftop_sync mode)
{
    if ((unsigned)mode > ROOFTOP_NONE)
        return;
    struct brick_header *h = brick_open();
    STORE(brick_sync, (int)mode);
    if (h)
        STORE(h->sync, (uint32_t)mode);
    decide_recording(h);
}

PUBLIC void rooftop_enable(void)
{
    STORE(disabled, false);
    decide_recording(brick_open());
}

PUBLIC void rooftop_disable(void)
{
    STORE(disabled, true);
    decide_recording(brick_open());
}

PUBLIC int rooftop_enabled(void)
{
    return LOAD(rooftop_on) && brick_open();
}

PUBLIC enum rooftop_sync rooftop_get_sync(void)
{
    return (enum rooftop_sync)LOAD(brick_sync);
}

static void count_failure(void)
{
    ADD(brick_file.header->device_errors, 1);
}

static bool can_stamp(void)
{
    return brick_device.record && brick_device.resolve;
}

/* Whether the device times this kind; other scopes run on the host. */
static bool is_device_kind(uint32_t kind)
{
    return kind == BRICK_KIND_BRICK || kind == BRICK_KIND_LAYER || kind == BRICK_KIND_KERNEL ||
           kind == BRICK_KIND_TRANSFER;
}

static uint32_t make_device_stamp(void)
{
    uint32_t event = 0;
    if (brick_device.record(brick_device.context, &event) == 0 && event != 0)
        return event;
    count_failure();
    return 0;
}

uint32_t brick_device_start(uint32_t id)
{
    return can_stamp() && is_device_kind(brick_desc(id)->kind) ? make_device_stamp() : 0;
}

static bool push_pending(struct recorder *r, const struct pending *p)
{
    if (r->npending == r->pending_cap) {
        uint32_t cap = r->pending_cap ? r->pending_cap * 2 : 64;
        struct pending *more = cap <= PENDING_MAX ? realloc(r->pending, cap * sizeof *more) : NULL;
        if (!more) {
            ADD(brick_file.header->dropped_nodes, 1);
            return false;
        }
        r->pending = more;
        r->pending_cap = cap;
    }
    r->pending[r->npending++] = *p;
    return true;
}

static uint32_t brick_node_kind(const struct recorder *r, uint32_t node)
{
    return brick_desc(brick_place(r, node).key->desc)->kind;
}

/* Handles a stop on the device. Returns true if it is pending or recorded. */
bool brick_device_stop(struct recorder *r, const struct open_brick *s, uint64_t elements,
                       uint64_t bytes, uint64_t flops)
{
    uint32_t kind = brick_node_kind(r, brick_span_node(s->number));
    int mode = LOAD(brick_sync);
    if (!is_device_kind(kind))
        return false;
    struct pending p = {*s, 0, elements, bytes, flops, s->event ? make_device_stamp() : 0};
    bool wait =
        mode == ROOFTOP_IMMEDIATE || (mode == ROOFTOP_PER_LAYER && kind == BRICK_KIND_LAYER);
    if (p.event && push_pending(r, &p)) {
        if (wait)
            rooftop_finalize(0);
        return true;
    }
    if (wait && r->npending)
        rooftop_finalize(0);
    else if (wait && brick_device.synchronize &&
             brick_device.synchronize(brick_device.context) != 0)
        count_failure();
    return false; /* use the host's clock */
}

PUBLIC void rooftop_record_deferred(rooftop_id id, uint64_t start_ns, uint64_t end_ns,
                                    uint64_t elements)
{
    struct recorder *r = LOAD(rooftop_on) ? brick_recorder() : NULL;
    if (!r)
        return;
    uint64_t epoch = LOAD(brick_file.header->epoch_ns);
    struct pending p = {
        .span = brick_begin(r, id), .end_ns = end_ns ? epoch + end_ns : 0, .elements = elements};
    p.span.start = epoch + start_ns;
    if (p.span.number)
        push_pending(r, &p);
}

/* A measurement without an end ends at the begin of the thread's next one without an end. */
static uint64_t find_open_span_end(const struct recorder *r, uint32_t i, uint64_t end)
{
    for (uint32_t k = i + 1; k < r->npending; k++)
        if (!r->pending[k].event && r->pending[k].span.start >= r->pending[i].span.start)
            return r->pending[k].span.start < end ? r->pending[k].span.start : end;
    return end;
}

static bool apply_pending_span(struct recorder *r, uint32_t i, uint64_t end)
{
    struct pending *p = &r->pending[i];
    if (!p->event) {
        brick_record(r, &p->span, p->end_ns ? p->end_ns : find_open_span_end(r, i, end),
                     p->elements, p->bytes, p->flops, false);
        return true;
    }
    uint64_t stop = 0;
    void *c = brick_device.context;
    bool ok = brick_device.resolve && brick_device.resolve(c, p->span.event, &p->span.start) == 0;
    ok = brick_device.resolve && brick_device.resolve(c, p->event, &stop) == 0 && ok;
    if (!ok) {
        count_failure();
        return false;
    }
    brick_record(r, &p->span, stop, p->elements, p->bytes, p->flops, true);
    return true;
}

PUBLIC size_t rooftop_finalize(uint64_t end_ns)
{
    struct recorder *r = brick_file.header ? brick_recorder() : NULL;
    size_t applied = 0;
    if (!r || r->npending == 0)
        return 0;
    if (LOAD(brick_has_device) && brick_device.synchronize &&
        brick_device.synchronize(brick_device.context) != 0)
        count_failure();
    uint64_t end = end_ns ? LOAD(brick_file.header->epoch_ns) + end_ns : clock_ns();
    for (uint32_t i = 0; i < r->npending; i++)
        applied += apply_pending_span(r, i, end);
    r->npending = 0;
    return applied;
}

PUBLIC size_t rooftop_pending(void)
{
    struct recorder *r = brick_file.header ? brick_recorder() : NULL;
    return r ? r->npending : 0;
}
