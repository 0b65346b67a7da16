/* What devices did, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/kernels/device_use.h"
#include "engine/value/value.h"

static double percent_of_use(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *device_use_name(const struct device_use *r, char *out, size_t size)
{
    if (*r->rank || *r->device)
        snprintf(out, size, "%s%s%s", r->rank, *r->rank && *r->device ? ", " : "", r->device);
    else
        snprintf(out, size, "all devices");
    return out;
}

static size_t append_idle_part(char *out, size_t size, size_t n, uint64_t part, uint64_t idle,
                               const char *what)
{
    if (part == 0 || n >= size)
        return n;
    int more = snprintf(out + n, size - n, "%s%.1f %% %s", n ? ", " : "",
                        percent_of_use(part, idle), what);
    return more > 0 ? n + (size_t)more : n;
}

const char *device_use_idle_text(const struct device_use *r, char *out, size_t size)
{
    size_t n = 0;
    *out = '\0';
    n = append_idle_part(out, size, n, r->late, r->idle, "before the host launched");
    n = append_idle_part(out, size, n, r->launching, r->idle, "from launch to start");
    n = append_idle_part(out, size, n, r->waiting, r->idle, "launched, but waiting");
    n = append_idle_part(out, size, n, r->drained, r->idle, "after its last work");
    append_idle_part(out, size, n, r->unknown, r->idle, "before work whose launch is not known");
    return out;
}

static bool has_communications(const struct device_uses *u)
{
    for (uint32_t i = 0; i < u->n; i++)
        if (u->rows[i].ncommunications)
            return true;
    return false;
}

static const char *last_name(const struct device_uses *u, uint32_t row, char out[200])
{
    return device_use_name(&u->rows[row], out, 200);
}

/* Counts the rows that were last as often as the one named first; *other is one of them. */
static uint32_t equals_of_latest(const struct device_uses *u, uint32_t *other)
{
    const struct arrivals *a = &u->arrivals;
    uint32_t n = 0;
    for (uint32_t i = 0; i < u->n; i++) {
        if (i == a->latest || !u->rows[i].device[0] || a->of[i].times != a->of[a->latest].times)
            continue;
        *other = n++ ? *other : i;
    }
    return n;
}

/* "GPU 0 and GPU 1", "GPU 0 and 3 others". */
static void say_tie(const struct device_uses *u, uint32_t equals, uint32_t other, char *out,
                    size_t size)
{
    const struct arrivals *a = &u->arrivals;
    char name[200], second[200], text[VALUE_TEXT_MAX];
    last_name(u, a->latest, name);
    last_name(u, other, second);
    if (equals > 1)
        snprintf(second, sizeof second, "%u others", equals);
    snprintf(out, size,
             "%s and %s come last equally often: each to %" PRIu64 " of %" PRIu64
             " collectives; the others wait %s for the first",
             name, second, a->of[a->latest].times, a->together,
             value_time((double)a->of[a->latest].caused, true, text));
}

static bool device_arrivals_text(const struct device_uses *u, char *out, size_t size)
{
    const struct arrivals *a = &u->arrivals;
    char name[200], text[VALUE_TEXT_MAX];
    uint32_t other = 0, equals = 0;
    if (u->ndevices < 2 || !has_communications(u))
        return false;
    if (!a->why_not && a->latest != TRACE_UNKNOWN)
        equals = equals_of_latest(u, &other);
    if (a->why_not)
        snprintf(out, size, "who comes last to collectives: n/a, %s", a->why_not);
    else if (a->latest == TRACE_UNKNOWN)
        snprintf(out, size,
                 "no device comes last to the %" PRIu64
                 " collectives, within the clocks' uncertainty (%s)",
                 a->together, value_time((double)a->uncertainty_ns, true, text));
    else if (equals)
        say_tie(u, equals, other, out, size);
    else
        snprintf(out, size,
                 "%s comes last most often: to %" PRIu64 " of %" PRIu64
                 " collectives; the others wait %s for it",
                 last_name(u, a->latest, name), a->of[a->latest].times, a->together,
                 value_time((double)a->of[a->latest].caused, true, text));
    return true;
}

int device_uses_say(const struct device_uses *u, char lines[DEVICE_USE_LINES][256])
{
    char name[200];
    int n = 0;
    if (u->slowest != TRACE_UNKNOWN && u->imbalance >= 0.0005) /* less would show as 0.0 % */
        snprintf(lines[n++], 256,
                 "%s computes longest: %.1f %% longer than the mean of the ranks%s",
                 u->rows[u->slowest].rank, 100 * u->imbalance,
                 u->waited_for ? "; it communicates least, the others wait for it" : "");
    if (u->idlest != TRACE_UNKNOWN && u->spread >= 0.0005)
        snprintf(lines[n++], 256,
                 "%s is idle longest: %.1f %% of the time, %.1f points more than the busiest",
                 last_name(u, u->idlest, name),
                 percent_of_use(u->rows[u->idlest].idle, u->rows[u->idlest].wall), 100 * u->spread);
    if (device_arrivals_text(u, lines[n], 256))
        n++;
    return n;
}

const char *device_use_memory_text(const struct device_use *r, bool ascii, char *out, size_t size)
{
    char allocated[VALUE_TEXT_MAX], reserved[VALUE_TEXT_MAX], has[VALUE_TEXT_MAX];
    struct value a = value_ok((double)r->allocated, UNIT_BYTES);
    struct value b = value_ok((double)r->reserved, UNIT_BYTES);
    struct value c = value_ok((double)r->memory, UNIT_BYTES);
    *out = '\0';
    if (r->allocated == GRAPH_UNKNOWN)
        return out;
    int n = snprintf(out, size, "at most %s allocated", value_format(&a, ascii, allocated));
    if (r->reserved != GRAPH_UNKNOWN && n > 0 && (size_t)n < size)
        n +=
            snprintf(out + n, size - (size_t)n, ", %s reserved", value_format(&b, ascii, reserved));
    if (r->memory && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", of %s", value_format(&c, ascii, has));
    return out;
}

/* Whether the row is not a sum of other rows. */
static bool is_single_device(const struct device_uses *u, uint32_t i)
{
    const bool sum =
        i + 1 < u->n && !*u->rows[i].device && strcmp(u->rows[i].rank, u->rows[i + 1].rank) == 0;
    return !sum;
}

static void add_device(struct device_use *all, const struct device_use *r)
{
    all->wall += r->wall;
    all->busy += r->busy;
    all->kernels += r->kernels;
    all->compute += r->compute;
    all->communication += r->communication;
    all->both += r->both;
    all->copying += r->copying;
    all->outside += r->outside;
    all->idle += r->idle;
    all->late += r->late;
    all->launching += r->launching;
    all->waiting += r->waiting;
    all->unknown += r->unknown;
    all->drained += r->drained;
    all->nkernels += r->nkernels;
    all->ncopies += r->ncopies;
    all->ncommunications += r->ncommunications;
    if (r->allocated != GRAPH_UNKNOWN)
        all->allocated =
            all->allocated == GRAPH_UNKNOWN ? r->allocated : all->allocated + r->allocated;
}

struct device_use device_uses_sum(const struct device_uses *u, uint32_t from, uint32_t to,
                                  uint32_t *ndevices)
{
    uint32_t n = 0;
    struct device_use all = {
        .agent = TRACE_UNKNOWN, .allocated = GRAPH_UNKNOWN, .reserved = GRAPH_UNKNOWN};
    for (uint32_t i = from; i < to; i++)
        if (is_single_device(u, i)) {
            add_device(&all, &u->rows[i]);
            n++;
        }
    if (ndevices)
        *ndevices = n;
    return all;
}
