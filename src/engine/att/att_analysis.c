#include "engine/att/att_analysis.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_row_to_att_sum(struct att_sum *s, const struct att_row *r)
{
    s->rows++;
    s->executed += r->hits || r->issued || r->stalled;
    att_add(&s->hits, r->hits);
    att_add(&s->latency, r->latency);
    att_add(&s->stall, r->stall);
    att_add(&s->idle, r->idle);
    att_add(&s->issued, r->issued);
    att_add(&s->stalled, r->stalled);
}

void att_totals(const struct att *a, struct att_totals *out)
{
    *out = (struct att_totals){0};
    for (uint32_t i = 0; i < a->nrows; i++) {
        const struct att_row *r = &a->rows[i];
        if (r->marker)
            continue;
        add_row_to_att_sum(&out->all, r);
        add_row_to_att_sum(&out->category[r->category < ATT_CATEGORIES ? r->category : ATT_OTHER],
                           r);
        for (unsigned k = 0; r->reasons != ATT_UNKNOWN && k < ATT_REASONS_MAX; k++)
            att_add(&out->reasons[k], a->reasons[r->reasons][k]);
    }
}

bool att_sampled_only(const struct att_totals *t)
{
    return t->all.latency == 0 && (t->all.issued || t->all.stalled);
}

struct att_weight att_sum_weight(const struct att_totals *t, const struct att_sum *s)
{
    if (!att_sampled_only(t))
        return (struct att_weight){s->latency, s->stall};
    return (struct att_weight){s->issued + s->stalled, s->stalled};
}

struct att_weight att_row_weight(const struct att_totals *t, const struct att_row *r)
{
    struct att_sum s = {0};
    add_row_to_att_sum(&s, r);
    return att_sum_weight(t, &s);
}

double att_share(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

double att_per_hit(const struct att_row *r)
{
    return att_share(r->latency, r->hits);
}

/* --- hottest --- */

struct row_place {
    const struct att_row *r;
    uint32_t row;
};

static int by_heat(const void *x, const void *y)
{
    const struct row_place *a = x, *b = y;
    uint64_t one[] = {a->r->latency, a->r->issued + a->r->stalled, a->r->hits};
    uint64_t two[] = {b->r->latency, b->r->issued + b->r->stalled, b->r->hits};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++)
        if (one[i] != two[i])
            return one[i] > two[i] ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

uint32_t *att_hottest(const struct att *a, uint32_t *n)
{
    struct row_place *p = xcalloc(a->nrows + 1u, sizeof *p);
    uint32_t *out = xcalloc(a->nrows + 1u, sizeof *out);
    *n = 0;
    for (uint32_t i = 0; i < a->nrows; i++)
        if (!a->rows[i].marker)
            p[(*n)++] = (struct row_place){&a->rows[i], i};
    qsort(p, *n, sizeof *p, by_heat);
    for (uint32_t i = 0; i < *n; i++)
        out[i] = p[i].row;
    free(p);
    return out;
}

/* --- basic blocks --- */

struct address {
    uint64_t codeobj, vaddr;
    uint32_t row;
};

static int address_order(const void *x, const void *y)
{
    const struct address *a = x, *b = y;
    if (a->codeobj != b->codeobj)
        return a->codeobj < b->codeobj ? -1 : 1;
    return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

/* Finds where the branch in a row leads. Returns false if the target is written as a label,
 * because rows have no names. */
static bool read_att_branch(const struct att_row *r, struct address *out)
{
    const char *s = r->isa + strcspn(r->isa, " ");
    char *end;
    if (strncmp(r->isa, "s_branch", 8) != 0 && strncmp(r->isa, "s_cbranch_", 10) != 0)
        return false;
    s += strspn(s, " ");
    if (!isdigit((unsigned char)*s))
        return false;
    unsigned long v = strtoul(s, &end, 0);
    if (v > UINT16_MAX || (*end && *end != ' '))
        return false;
    int64_t words = v < 0x8000 ? (int64_t)v : (int64_t)v - 0x10000;
    *out = (struct address){.codeobj = r->codeobj, .vaddr = r->vaddr + 4 + (uint64_t)(4 * words)};
    return true;
}

static void mark_targets(const struct att *a, bool *leader)
{
    struct address *all = xcalloc(a->nrows + 1u, sizeof *all), to;
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->nrows; i++)
        if (!a->rows[i].marker)
            all[n++] = (struct address){a->rows[i].codeobj, a->rows[i].vaddr, i};
    qsort(all, n, sizeof *all, address_order);
    for (uint32_t i = 0; i < a->nrows; i++)
        if (a->rows[i].category == ATT_JUMP && read_att_branch(&a->rows[i], &to)) {
            const struct address *found = bsearch(&to, all, n, sizeof *all, address_order);
            if (found)
                leader[found->row] = true;
        }
    free(all);
}

static bool does_row_end_block(const struct att_row *r)
{
    return r->category == ATT_JUMP || strncmp(r->isa, "s_endpgm", 8) == 0;
}

static void find_leaders(const struct att *a, bool *leader)
{
    bool next = true;
    mark_targets(a, leader);
    for (uint32_t i = 0; i < a->nrows; i++) {
        const struct att_row *r = &a->rows[i];
        if (i > 0 && (a->rows[i - 1].codeobj != r->codeobj || a->rows[i - 1].vaddr > r->vaddr ||
                      r->vaddr - a->rows[i - 1].vaddr >
                          32)) /* a larger distance is a gap: no instruction is that long */
            next = true;
        leader[i] = leader[i] || next;
        next = r->marker || does_row_end_block(r);
    }
}

static int block_order(const void *x, const void *y)
{
    const struct att_block *a = x, *b = y;
    if (a->sum.latency != b->sum.latency)
        return a->sum.latency > b->sum.latency ? -1 : 1;
    uint64_t x_samples = a->sum.issued + a->sum.stalled, y_samples = b->sum.issued + b->sum.stalled;
    if (x_samples != y_samples)
        return x_samples > y_samples ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

struct att_block *att_blocks(const struct att *a, uint32_t *n)
{
    bool *leader = xcalloc(a->nrows + 1u, sizeof *leader);
    struct att_block *out = xcalloc(a->nrows + 1u, sizeof *out);
    *n = 0;
    find_leaders(a, leader);
    for (uint32_t i = 0; i < a->nrows; i++) {
        if (a->rows[i].marker)
            continue;
        if (leader[i] || *n == 0)
            out[(*n)++] = (struct att_block){.first = i, .entered = a->rows[i].hits};
        out[*n - 1].nrows++;
        add_row_to_att_sum(&out[*n - 1].sum, &a->rows[i]);
    }
    qsort(out, *n, sizeof *out, block_order);
    free(leader);
    return out;
}

/* --- instructions per cycle --- */

struct unit {
    uint32_t se, cu;
    int64_t first, last;
};

static int unit_order(const void *x, const void *y)
{
    const struct unit *a = x, *b = y;
    if (a->se != b->se)
        return a->se < b->se ? -1 : 1;
    return (a->cu > b->cu) - (a->cu < b->cu);
}

static void add_unit_cycles(struct unit *u, uint32_t n, struct att_ipc *out)
{
    uint32_t k = 0;
    qsort(u, n, sizeof *u, unit_order);
    for (uint32_t i = 0; i < n; i++)
        if (k && unit_order(&u[k - 1], &u[i]) == 0) {
            u[k - 1].first = u[i].first < u[k - 1].first ? u[i].first : u[k - 1].first;
            u[k - 1].last = u[i].last > u[k - 1].last ? u[i].last : u[k - 1].last;
        } else {
            u[k++] = u[i];
        }
    out->cus = k;
    for (uint32_t i = 0; i < k; i++)
        att_add(&out->cu_cycles, (uint64_t)(u[i].last - u[i].first));
}

void att_ipc(const struct att *a, struct att_ipc *out)
{
    struct unit *units = xcalloc(a->nwaves + 1u, sizeof *units);
    *out = (struct att_ipc){.per_wave = NAN, .per_cu = NAN};
    for (uint32_t i = 0; i < a->nwaves; i++) {
        const struct att_wave *w = &a->waves[i];
        if (!w->read || w->ninstructions == 0)
            continue;
        for (uint32_t k = 0; k < w->ninstructions; k++) {
            const struct att_instruction *in = &a->instructions[w->first_instruction + k];
            struct att_sum *s =
                &out->category[in->category < ATT_CATEGORIES ? in->category : ATT_OTHER];
            s->hits++;
            s->latency += in->duration;
            s->stall += in->stall;
        }
        out->instructions += w->ninstructions;
        att_add(&out->wave_cycles, (uint64_t)(w->end - w->begin));
        units[out->waves++] = (struct unit){w->se, w->cu, w->begin, w->end};
    }
    add_unit_cycles(units, out->waves, out);
    out->per_wave = att_share(out->instructions, out->wave_cycles);
    if (a->waves_read == a->nwaves)
        out->per_cu = att_share(out->instructions, out->cu_cycles);
    free(units);
}

/* --- counters, clocks --- */

void att_counter(const struct att *a, uint32_t i, struct att_counter *out)
{
    double sum = 0;
    *out = (struct att_counter){.mean = NAN, .max = NAN};
    for (uint32_t k = 0; k < a->nsamples; k++) {
        if (a->samples[k].bank != i / 4)
            continue;
        double v = a->samples[k].value[i % 4];
        sum += v;
        out->max = out->samples == 0 || v > out->max ? v : out->max;
        out->samples++;
    }
    if (out->samples)
        out->mean = sum / (double)out->samples;
}

double att_clock_hz(const struct att *a)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0, k; i < a->nclocks;
         i = k) { /* the clocks of one shader engine are neighbours */
        for (k = i; k < a->nclocks && a->clocks[k].se == a->clocks[i].se;)
            k++;
        const struct att_clock *first = &a->clocks[i], *last = &a->clocks[k - 1];
        if (last->real <= first->real || last->shader <= first->shader)
            continue;
        sum += (double)(last->shader - first->shader) / (double)(last->real - first->real);
        n++;
    }
    return n && a->frequency > 0 ? sum / n * a->frequency : NAN;
}
