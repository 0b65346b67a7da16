#include "backends/replay/device/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

#define ADDRESS_END (1ull << 57) /* five levels of page tables */

static uint64_t round_down_to(uint64_t x, uint64_t unit)
{
    return x / unit * unit;
}
static uint64_t round_up_to(uint64_t x, uint64_t unit)
{
    return round_down_to(x + unit - 1, unit);
}

static bool on_host(const struct capture_region *r)
{
    return r->segment != CAPTURE_DEVICE;
}

static int refuse_region(const struct capture *c, const struct capture_region *r, const char *why,
                         struct error *err)
{
    char what[96];
    (void)c;
    snprintf(what, sizeof what, "region 0x%llx of %llu bytes", (unsigned long long)r->base,
             (unsigned long long)r->size);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", why);
}

/* Computes the pages of a region, extended to blocks as far as the other kind of memory allows. */
static int plan_region_range(const struct capture *c, size_t i, struct replay_range *out,
                             struct error *err)
{
    const struct capture_region *r = &c->regions[i];
    if (r->base >= ADDRESS_END || r->size > ADDRESS_END - r->base || r->base < REPLAY_PAGE)
        return refuse_region(c, r, "no process has memory there", err);
    const uint64_t unit = on_host(r) ? REPLAY_PAGE : REPLAY_BLOCK;
    const uint64_t page = round_down_to(r->base, REPLAY_PAGE),
                   page_end = round_up_to(r->base + r->size, REPLAY_PAGE);
    uint64_t begin = round_down_to(r->base, unit), end = round_up_to(r->base + r->size, unit);
    const struct capture_region *before = i ? r - 1 : NULL;
    const struct capture_region *after = i + 1 < c->nregions ? r + 1 : NULL;
    if (before && on_host(before) != on_host(r)) {
        const uint64_t taken = round_up_to(before->base + before->size, REPLAY_PAGE);
        begin = begin < taken ? taken : begin;
    }
    if (after && on_host(after) != on_host(r)) {
        const uint64_t taken = round_down_to(after->base, REPLAY_PAGE);
        end = end > taken ? taken : end;
    }
    if (begin > page || end < page_end)
        return refuse_region(c, r, "memory of the device and of the host lie in one page", err);
    if (begin == 0) /* page 0 is never used */
        begin = page;
    *out = (struct replay_range){begin, end - begin, on_host(r), i, 1};
    return 0;
}

int replay_plan_make(struct replay_plan *out, const struct capture *c, struct error *err)
{
    *out =
        (struct replay_plan){.ranges = xcalloc(c->nregions ? c->nregions : 1, sizeof *out->ranges)};
    for (size_t i = 0; i < c->nregions; i++) {
        struct replay_range next = {0}, *last = out->n ? &out->ranges[out->n - 1] : NULL;
        if (c->regions[i].size == 0)
            continue;
        if (plan_region_range(c, i, &next, err) != 0) {
            replay_plan_free(out);
            return -EINVAL;
        }
        if (last && last->host == next.host && next.base < last->base + last->size) {
            const uint64_t end = next.base + next.size, old = last->base + last->size;
            last->size = (end > old ? end : old) - last->base;
            last->n = i + 1 - last->first;
        } else {
            out->ranges[out->n++] = next;
        }
    }
    for (size_t i = 0; i < out->n; i++)
        *(out->ranges[i].host ? &out->host_bytes : &out->device_bytes) += out->ranges[i].size;
    return 0;
}

void replay_plan_free(struct replay_plan *p)
{
    free(p->ranges);
    *p = (struct replay_plan){0};
}
