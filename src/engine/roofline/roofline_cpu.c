#include "engine/roofline/roofline_cpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_table.h"

enum { CEILINGS = CPU_LEVELS + CPU_WIDTHS + 1 + CPU_UNITS_MAX };
/* A point less than this above a level is still of that level: roofs are no more precise. */
static const double close_least = 0.02, close_most = 0.1;

/* --- which code is a CPU's --- */

struct roofline_surroundings roofline_surroundings(const struct graph *g)
{
    struct roofline_surroundings s = {.backend = xcalloc(g->nnodes + 1u, sizeof *s.backend),
                                      .starts = xcalloc(g->nnodes + 1u, sizeof *s.starts)};
    for (uint32_t i = 0; i < g->nnodes; i++) {
        uint32_t up = g->parent[i];
        if (g->kind[i] == NODE_BACKEND)
            s.backend[i] = i;
        else
            s.backend[i] = up == GRAPH_NONE ? GRAPH_NONE : s.backend[up];
    }
    for (uint32_t i = g->nnodes; i-- > 0;)
        if (g->parent[i] != GRAPH_NONE &&
            (s.starts[i] || g->kind[i] == NODE_KERNEL || g->kind[i] == NODE_TRANSFER ||
             g->kind[i] == NODE_BACKEND))
            s.starts[g->parent[i]] = true;
    return s;
}

void roofline_surroundings_free(struct roofline_surroundings *s)
{
    free(s->backend);
    free(s->starts);
    *s = (struct roofline_surroundings){.backend = NULL};
}

const char *roofline_cpu_name(const struct graph *g, const struct roofline_surroundings *s,
                              uint32_t node)
{
    if (s->backend[node] == GRAPH_NONE)
        return g->kind[node] == NODE_BRICK && !s->starts[node] ? "this CPU" : NULL;
    const char *name = graph_name(g, s->backend[node]);
    return cpu_width_of(name) == CPU_WIDTHS ? NULL : name;
}

bool roofline_cpu_unplaced(const struct roof *r)
{
    return r->nceilings == 0 && r->flops <= 0 && r->bytes <= 0;
}

/* --- a roof --- */

struct making {
    struct roof *roof;
    struct ceiling *list;
    const struct cpu_roofs *cpu;
    struct arena *memory;
};

static void add_cpu_ceiling(struct making *m, const struct cpu_peak *peak, struct ceiling c)
{
    c.peak = cpu_peak_of(peak, m->roof->threads, m->cpu->cpus);
    c.spread = cpu_peak_spread(peak, m->roof->threads);
    if (c.peak > 0)
        m->list[m->roof->nceilings++] = c;
}

/* The widest vectors up to a width that were measured on this CPU; CPU_SCALAR if none were. */
static enum cpu_width widest_measured(const struct cpu_roofs *cpu, enum cpu_width most)
{
    for (int width = (int)most; width > (int)CPU_SCALAR; width--)
        if (cpu->flops[width][CPU_F32].one > 0)
            return (enum cpu_width)width;
    return CPU_SCALAR;
}

static void add_widths(struct making *m, enum cpu_width own)
{
    const char *name[CPU_WIDTHS];
    for (int w = 0; w < CPU_WIDTHS; w++)
        name[w] = arena_printf(m->memory, "%s f32", cpu_width_name((enum cpu_width)w));
    uint32_t at = m->roof->nceilings;
    add_cpu_ceiling(m, &m->cpu->flops[own][CPU_F32], (struct ceiling){.name = name[own]});
    for (int w = own - 1; w >= CPU_SCALAR; w--)
        add_cpu_ceiling(m, &m->cpu->flops[w][CPU_F32],
                        (struct ceiling){.name = name[w], .extra = true});
    add_cpu_ceiling(m, &m->cpu->flops[own][CPU_F64],
                    (struct ceiling){.name = arena_printf(m->memory, "%s f64", cpu_width_name(own)),
                                     .extra = true});
    if (m->roof->nceilings > at && !m->list[at].extra) {
        m->roof->flops = m->list[at].peak;
        m->roof->flops_spread = m->list[at].spread;
    }
}

/* Whether another unit of the same name and this width has a higher peak. */
static bool has_better_unit(const struct cpu_roofs *cpu, uint32_t i, unsigned most)
{
    for (uint32_t k = 0; k < cpu->nunits; k++)
        if (k != i && strcmp(cpu->units[k].name, cpu->units[i].name) == 0 &&
            cpu->units[k].width <= most && cpu->units[k].peak.one > cpu->units[i].peak.one)
            return true;
    return false;
}

/* Other types and units never bind, because declared FLOPs do not name their type. */
static void add_cpu_unit_ceilings(struct making *m, enum cpu_width own)
{
    unsigned most = own == CPU_512 ? UINT32_MAX : cpu_width_bits(own);
    for (uint32_t i = 0; i < m->cpu->nunits; i++)
        if (own != CPU_SCALAR && m->cpu->units[i].width <= most &&
            !has_better_unit(m->cpu, i, most))
            add_cpu_ceiling(m, &m->cpu->units[i].peak,
                            (struct ceiling){.name = m->cpu->units[i].name, .extra = true});
}

/* name: with the number of threads; backend: without. */
static void make_cpu_roof(struct roof *r, struct arena *memory, const struct cpu_roofs *cpu,
                          const char *name, const char *backend, uint32_t threads)
{
    struct making m = {r, arena_alloc(memory, CEILINGS * sizeof *m.list), cpu, memory};
    bool between = threads > 1 && threads < cpu->cpus;
    enum cpu_width most = cpu_width_of(backend);
    *r = (struct roof){.name = name,
                       .how = between ? arena_printf(memory, "%s; %u times one core, at most all",
                                                     cpu->how, threads)
                                      : cpu->how,
                       .ceilings = m.list,
                       .threads = threads,
                       .flops_spread = NAN,
                       .bytes_spread = NAN};
    for (int l = 0; l < CPU_LEVELS; l++)
        add_cpu_ceiling(&m, &cpu->bytes[l],
                        (struct ceiling){.name = cpu_level_name((enum cpu_level)l),
                                         .memory = true,
                                         .level = (uint8_t)l});
    if (r->nceilings) {
        r->bytes = m.list[0].peak;
        r->bytes_spread = m.list[0].spread;
    }
    most = widest_measured(cpu, most < CPU_WIDTHS ? most : CPU_512);
    add_widths(&m, most);
    add_cpu_unit_ceilings(&m, most);
}

const struct cpu_host *roofline_cpu_host(struct arena *memory, const struct cpu_roofs *cpu)
{
    struct cpu_host *h = arena_alloc(memory, sizeof *h);
    h->cpu = cpu_roofs_copy(memory, cpu);
    if (cpu->cpus)
        make_cpu_roof(&h->roof, memory, &h->cpu,
                      cpu->cpus == 1 ? "this CPU" : arena_printf(memory, "this CPU x%u", cpu->cpus),
                      "this CPU", cpu->cpus);
    return h;
}

/* --- points --- */

double roofline_cpu_use(const struct ceiling *c, const struct roof_point *p)
{
    return (c->memory ? p->bytes : p->flops) / c->peak;
}

/* Puts the point under the slowest level of memory that is as fast as it; else the fastest. */
static void place_bytes(struct roof_point *p, const struct roof *r)
{
    double peak = 0;
    p->memory_bound = true;
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        if (!c->memory || c->peak < peak)
            continue;
        peak = c->peak;
        p->limit = i;
        if (p->bytes <= peak * (1 + fmin(fmax(c->spread, close_least), close_most)))
            break;
    }
    p->distance = peak > 0 ? 1 - p->bytes / peak : NAN;
}

static void place_point(struct roof_point *p, const struct roof *r)
{
    p->bound = 0;
    if (isnan(p->flops)) {
        place_bytes(p, r);
        return;
    }
    for (uint32_t i = 0; i < r->nceilings; i++) {
        const struct ceiling *c = &r->ceilings[i];
        if (!c->memory || isnan(p->intensity))
            continue;
        double slope = p->intensity * c->peak;
        bool memory = r->flops <= 0 || slope < r->flops;
        double bound = memory ? slope : r->flops;
        double close = fmin(fmax(c->spread, close_least), close_most);
        if (bound < p->bound)
            continue; /* a level that was measured slower than the next farther one */
        p->bound = bound;
        p->memory_bound = memory;
        p->limit = i;
        if (p->flops <= bound * (1 + close))
            break;
    }
    for (uint32_t i = 0; i < r->nceilings && (!p->memory_bound || p->bound <= 0); i++)
        if (!r->ceilings[i].memory && !r->ceilings[i].extra) {
            p->limit = i;
            p->bound = r->flops;
        }
    p->distance = p->bound > 0 ? 1 - p->flops / p->bound : NAN;
}

/* The threads of a brick include those of the points inside it. */
static void find_threads_of_points(struct roofline *r, const struct graph *g, const uint32_t *point)
{
    uint32_t *inside = xcalloc(g->nnodes + 1u, sizeof *inside);
    uint32_t *most = xcalloc(r->npoints + 1u, sizeof *most);
    for (uint32_t i = g->nnodes; i-- > 0;) {
        uint32_t up = g->parent[i], p = point[i];
        if (p != GRAPH_NONE) {
            uint32_t own = r->points[p].threads;
            inside[i] = own > inside[i] ? own : inside[i];
            most[p] = inside[i] > most[p] ? inside[i] : most[p];
        }
        if (up != GRAPH_NONE && inside[i] > inside[up])
            inside[up] = inside[i];
    }
    for (uint32_t i = 0; i < r->npoints; i++)
        if (most[i] > r->points[i].threads)
            r->points[i].threads = most[i];
    free(inside);
    free(most);
}

/* The index of the roof of a backend for a number of threads; it is made if it is new. */
static uint32_t find_roof(struct roofline *r, struct arena *memory, const struct cpu_roofs *cpu,
                          const char *backend, uint32_t threads, struct hash_table *known)
{
    uint32_t n = threads < cpu->cpus ? threads : cpu->cpus;
    const char *name = n == 1 ? backend : arena_printf(memory, "%s x%u", backend, n);
    uint64_t hash = hash_text(n, name);
    HASH_EACH (known, hash, i)
        if (r->roofs[i].threads == n && strcmp(r->roofs[i].name, name) == 0)
            return i;
    hash_table_add(known, hash, r->nroofs);
    make_cpu_roof(&r->roofs[r->nroofs], memory, cpu, name, backend, n);
    return r->nroofs++;
}

void roofline_cpu_place(struct roofline *r, struct arena *memory, const struct graph *sums,
                        const struct cpu_roofs *cpu, const uint32_t *point)
{
    const struct roof *before = r->roofs;
    const uint32_t nbefore = r->nroofs;
    uint32_t *moved = arena_alloc(memory, (nbefore + 1u) * sizeof *moved);
    r->roofs = arena_alloc(memory, (nbefore + r->npoints + 1u) * sizeof *r->roofs);
    r->nroofs = 0;
    for (uint32_t i = 0; i < nbefore; i++) {
        moved[i] = r->nroofs;
        if (!roofline_cpu_unplaced(&before[i]))
            r->roofs[r->nroofs++] = before[i];
    }
    struct hash_table known = {.slots = NULL};
    find_threads_of_points(r, sums, point);
    for (uint32_t i = 0; i < r->npoints; i++) {
        struct roof_point *p = &r->points[i];
        if (p->roof == GRAPH_NONE)
            continue;
        if (!roofline_cpu_unplaced(&before[p->roof])) {
            p->roof = moved[p->roof];
            continue;
        }
        p->roof = find_roof(r, memory, cpu, before[p->roof].name, p->threads, &known);
        place_point(p, &r->roofs[p->roof]);
    }
    hash_table_free(&known);
}
