/* Finds which process launched the work of each device, if several may have. */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/ids.h"

enum {
    MOST_PROCESSES = 512,
    MOST_SPANS = 256, /* of one id */
    NEAR_NS = 3000,   /* clocks differ by at most this */
    FEW = 8,          /* one in so many ids must have several processes */
    EARLY = 3,        /* weight of work that began before a call */
    ARROW = 1 << 20   /* weight of an arrow */
};

struct fits {
    uint32_t n;             /* processes */
    uint32_t alone, shared; /* ids with calls of one process, and of several */
    uint64_t *seen;         /* for each device's process: number of work so far */
    bool *calls;            /* for each host's process: whether it had a call */
    int64_t *of;            /* [device's process][host's process]: 0 if all work fits, else less */
};

static uint32_t span_lane_process(const struct chrome_store *s, const struct chrome_span *span)
{
    return s->lanes.at[span->lane].process;
}

/* Notes a call. Work before the first call of a process was launched before the profile began. */
static void note_call(struct fits *f, uint32_t host)
{
    if (f->calls[host])
        return;
    f->calls[host] = true;
    for (uint32_t d = 0; d < f->n; d++)
        f->of[(size_t)d * f->n + host] = (int64_t)f->seen[d];
}

/* Compares the begins of calls and work of one id: a call did not launch work that began before it.
 */
static void compare_group(const struct chrome_store *s, const uint32_t *spans, uint32_t n,
                          struct fits *f)
{
    uint32_t calls = 0, processes = 0, last = CHROME_NONE;
    while (calls < n && !chrome_on_device(s, &s->spans.at[spans[calls]])) {
        uint32_t p = span_lane_process(s, &s->spans.at[spans[calls++]]);
        processes += p != last;
        last = p;
        note_call(f, p);
    }
    *(processes > 1 ? &f->shared : &f->alone) += calls > 0 && calls < n;
    for (uint32_t i = calls; n <= MOST_SPANS && i < n; i++) {
        const struct chrome_span *work = &s->spans.at[spans[i]];
        uint32_t device = span_lane_process(s, work);
        f->seen[device]++;
        last = CHROME_NONE;
        for (uint32_t k = 0; k < calls; k++) {
            const struct chrome_span *call = &s->spans.at[spans[k]];
            uint32_t host = span_lane_process(s, call);
            int64_t *fit = &f->of[(size_t)device * f->n + host];
            *fit += host != last;
            *fit -= work->start - call->start > -NEAR_NS ? 0 : EARLY;
            last = host;
        }
    }
}

/* Uses arrows from a host to a device. Arrows whose ids begin anew too tell nothing, and neither do
 * those to work that began before its call: another rank launched it, before the profile began. */
static void follow_arrows(const struct chrome_store *s, struct fits *f)
{
    struct ids begins = {0}; /* of an id the arrow that begins; s->flows.n: several do */
    for (int ends = 0; ends < 2; ends++)
        for (uint32_t i = 0; i < s->flows.n; i++) {
            const struct chrome_flow *flow = &s->flows.at[i];
            if (flow->own || flow->node || (ends ? flow->phase != 'f' : flow->phase != 's'))
                continue;
            const struct chrome_lane *lane = &s->lanes.at[flow->lane];
            uint32_t begin = ids_get(&begins, flow->key);
            if (!ends)
                ids_set(&begins, flow->key, begin == IDS_NONE && !lane->queue ? i : s->flows.n);
            else if (lane->queue && begin < s->flows.n &&
                     flow->ts - s->flows.at[begin].ts > -NEAR_NS)
                f->of[(size_t)lane->process * f->n +
                      s->lanes.at[s->flows.at[begin].lane].process] += ARROW;
        }
    ids_free(&begins);
}

/* Whether the texts of both are the same up to a number: "[TP01] 0" and "[TP01] 4711". */
static bool are_of_one_text(const struct chrome_id *a, const struct chrome_id *b)
{
    size_t n, m;
    chrome_id_number(a, &n);
    chrome_id_number(b, &m);
    return n && n == m && a->text[n] && b->text[n] && memcmp(a->text, b->text, n) == 0;
}

/* Tools that merge files put the rank before the number of each of its processes. Returns whether
 * that is so. */
static bool follow_texts(const struct chrome_store *s, struct fits *f)
{
    bool follows = false;
    for (uint32_t d = 0; d < f->n; d++)
        for (uint32_t h = 0; h < f->n && s->processes.at[d].id.text[0]; h++)
            if (f->seen[d] && f->calls[h] &&
                are_of_one_text(&s->processes.at[d].id, &s->processes.at[h].id)) {
                f->of[(size_t)d * f->n + h] += ARROW;
                follows = true;
            }
    return follows;
}

static int compare_chrome_ids(const void *a, const void *b)
{
    const struct chrome_process *x = *(const struct chrome_process *const *)a,
                                *y = *(const struct chrome_process *const *)b;
    return (x->id.number > y->id.number) - (x->id.number < y->id.number);
}

/* Exchanges the processes of two devices if that fits better. */
static void swap_owners(const struct fits *f, uint32_t *owners)
{
    enum { ROUNDS = 16 };
    bool better = true;
    for (int round = 0; better && round < ROUNDS; round++) {
        better = false;
        for (uint32_t a = 0; a < f->n; a++)
            for (uint32_t b = 0; b < a && owners[a] != a; b++) {
                const int64_t *of_a = f->of + (size_t)a * f->n, *of_b = f->of + (size_t)b * f->n;
                uint32_t x = owners[a], y = owners[b];
                if (y == b || of_a[y] + of_b[x] <= of_a[x] + of_b[y])
                    continue;
                owners[a] = y;
                owners[b] = x;
                better = true;
            }
    }
}

/* Gives each device the process that fits best. Without arrows, only a process that has no device
 * yet; among equals the lowest number, because ranks and devices mostly have the same numbers. */
static uint32_t *choose_owners(const struct chrome_store *s, const struct fits *f)
{
    uint32_t n = f->n, *owners = xcalloc(n, sizeof *owners);
    const struct chrome_process **order = xcalloc(n, sizeof *order);
    bool *taken = xcalloc(n, sizeof *taken);
    for (uint32_t i = 0; i < n; i++)
        order[i] = &s->processes.at[i];
    qsort(order, n, sizeof *order, compare_chrome_ids);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = (uint32_t)(order[i] - s->processes.at), best = d;
        const int64_t *fit = f->of + (size_t)d * n;
        for (uint32_t k = 0; k < n && f->seen[d]; k++) {
            uint32_t h = (uint32_t)(order[k] - s->processes.at);
            bool may = f->calls[h] && (!taken[h] || fit[h] >= ARROW / 2);
            if (may && (best == d || fit[h] > fit[best]))
                best = h;
        }
        owners[d] = best;
        taken[best] |= best != d;
    }
    swap_owners(f, owners);
    free(order);
    free(taken);
    return owners;
}

uint32_t *chrome_find_owners(const struct chrome_store *s, const uint32_t *order, uint32_t n)
{
    struct fits f = {.n = s->processes.n};
    uint32_t *owners = NULL;
    if (f.n > MOST_PROCESSES)
        return NULL;
    f.seen = xcalloc(f.n + 1u, sizeof *f.seen);
    f.calls = xcalloc(f.n + 1u, sizeof *f.calls);
    f.of = xcalloc((size_t)f.n * f.n + 1, sizeof *f.of);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint64_t id = s->spans.at[order[i]].id;
        for (end = i + 1; end < n && s->spans.at[order[end]].id == id;)
            end++;
        compare_group(s, order + i, end - i, &f);
    }
    for (uint32_t d = 0; d < f.n; d++)
        for (uint32_t h = 0; h < f.n; h++)
            f.of[(size_t)d * f.n + h] -= (int64_t)f.seen[d];
    const bool follows = f.shared && follow_texts(s, &f);
    if (follows || f.shared > f.alone / FEW) {
        follow_arrows(s, &f);
        owners = choose_owners(s, &f);
    }
    free(f.seen);
    free(f.calls);
    free(f.of);
    return owners;
}
