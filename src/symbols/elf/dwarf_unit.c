#include "symbols/elf/elf_impl.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/search.h"

enum { DEPTH_MAX = 512, SCOPES_MAX = 1 << 24 };

struct scope_range {
    uint64_t from, to;
    uint32_t scope;
};

struct unit_walk {
    struct dwarf_unit *unit;
    const struct dwarf_sections *sections;
    struct dwarf_reader reader;
    struct dwarf_kinds kinds;
    struct scope_range *ranges;
    size_t nranges, cap_ranges, cap_scopes;
    uint32_t around[DEPTH_MAX]; /* for each depth the innermost scope around its entries */
    size_t depth;
};

/* The code of an entry. */
struct dwarf_extent {
    uint64_t low, high;
    bool has_low, has_high, high_is_length;
    bool elsewhere; /* it has ranges, or addresses that only libdw can find */
    uint64_t origin;
    uint64_t call_file, call_line;
};

static bool spend_dwarf_budget(const struct dwarf_sections *s, size_t n)
{
    bool enough = *s->budget >= n;
    *s->budget -= enough ? n : *s->budget;
    return enough;
}

static void add_scope_range(struct unit_walk *w, uint64_t from, uint64_t to, uint32_t scope)
{
    const struct dwarf_sections *s = w->sections;
    if (from >= to || from < s->code_from || from >= s->code_to || to > s->code_to)
        return;
    LIST_ADD(w->ranges, w->nranges, w->cap_ranges, (struct scope_range){from, to, scope});
}

/* --- an entry --- */

static bool read_indexed_address(const struct unit_walk *w, uint64_t index, uint64_t *out)
{
    const struct dwarf_sections *s = w->sections;
    size_t size = w->unit->address_size;
    uint64_t base = w->unit->addr_base;
    if (!w->unit->addr_known || !s->addr || size == 0 || base > s->addr_size ||
        index >= (s->addr_size - base) / size)
        return false;
    struct dwarf_reader r = {.p = s->addr + base + index * size, .end = s->addr + s->addr_size};
    *out = dwarf_read(&r, size);
    return !r.bad;
}

static bool is_indexed(unsigned form)
{
    return form == DW_FORM_addrx || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4) ||
           form == DW_FORM_GNU_addr_index;
}

static bool is_reference_form(unsigned form)
{
    return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
           form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

static void take_attribute(struct unit_walk *w, const struct dwarf_attribute *a,
                           struct dwarf_extent *c)
{
    bool known;
    uint64_t value = dwarf_form_value(&w->reader, a->form, a->implicit, &known);
    switch (a->name) {
    case DW_AT_low_pc:
        c->has_low = a->form == DW_FORM_addr;
        c->low = value;
        if (is_indexed(a->form))
            c->has_low = read_indexed_address(w, value, &c->low);
        c->elsewhere |= !c->has_low;
        break;
    case DW_AT_high_pc:
        c->has_high = known && !is_indexed(a->form);
        c->high_is_length = a->form != DW_FORM_addr;
        c->high = value;
        c->elsewhere |= !c->has_high;
        break;
    case DW_AT_ranges:
        c->elsewhere = true;
        break;
    case DW_AT_abstract_origin:
        c->origin = a->form == DW_FORM_ref_addr ? value : 0;
        if (is_reference_form(a->form))
            c->origin = w->unit->header + value;
        break;
    case DW_AT_call_file:
        c->call_file = value;
        break;
    case DW_AT_call_line:
        c->call_line = value;
        break;
    default:
        break;
    }
}

static uint32_t add_scope(struct unit_walk *w, uint64_t entry, const struct dwarf_extent *c,
                          bool inlined)
{
    struct dwarf_unit *u = w->unit;
    LIST_ROOM(u->scopes, u->nscopes, w->cap_scopes);
    struct dwarf_scope *s = &u->scopes[u->nscopes];
    *s = (struct dwarf_scope){.entry = (uint32_t)entry, .parent = NO_SCOPE};
    s->origin = c->origin && c->origin < UINT32_MAX ? (uint32_t)c->origin : s->entry;
    s->call_file = c->call_file < UINT32_MAX ? (uint32_t)c->call_file : 0;
    s->call_line = c->call_line < INT32_MAX ? (uint32_t)c->call_line : 0;
    if (inlined)
        s->parent = w->around[w->depth];
    return u->nscopes++;
}

/* Adds ranges and addresses in forms that only libdw reads. */
static void add_elsewhere(struct unit_walk *w, uint64_t entry, uint32_t scope)
{
    Dwarf_Die die;
    Dwarf_Addr base, from, to;
    ptrdiff_t at = 0;
    if (!dwarf_offdie(w->unit->dwarf, entry, &die))
        return;
    while (spend_dwarf_budget(w->sections, 1) &&
           (at = dwarf_ranges(&die, at, &base, &from, &to)) > 0)
        add_scope_range(w, from, to, scope);
}

/* Adds the scope of a function or inlined function. Returns it, or the enclosing scope if it has no
 * code. */
static uint32_t add_function_scope(struct unit_walk *w, const struct dwarf_kind *kind,
                                   uint64_t entry)
{
    struct dwarf_extent c = {0};
    bool inlined = kind->tag != DW_TAG_subprogram;
    for (uint32_t i = 0; i < kind->n; i++)
        take_attribute(w, &w->kinds.attributes[kind->first + i], &c);
    uint32_t around = inlined ? w->around[w->depth] : NO_SCOPE;
    /* Inlined code belongs to a function; without one the debug information is damaged. */
    if (w->reader.bad || w->unit->nscopes >= SCOPES_MAX || (inlined && around == NO_SCOPE) ||
        !(c.elsewhere || (c.has_low && c.has_high)))
        return around;
    uint32_t scope = add_scope(w, entry, &c, inlined);
    if (c.elsewhere)
        add_elsewhere(w, entry, scope);
    else
        add_scope_range(w, c.low, c.high_is_length ? c.low + c.high : c.high, scope);
    return scope;
}

static void skip_entry(struct unit_walk *w, const struct dwarf_kind *kind)
{
    struct dwarf_reader *r = &w->reader;
    if (kind->fixed >= 0 && r->end - r->p >= kind->fixed) {
        r->p += kind->fixed;
        return;
    }
    for (uint32_t i = 0; i < kind->n; i++)
        dwarf_form_skip(r, w->kinds.attributes[kind->first + i].form);
}

static void walk_entries(struct unit_walk *w)
{
    struct dwarf_reader *r = &w->reader;
    const uint8_t *info = w->sections->info;
    w->around[0] = NO_SCOPE;
    while (r->p < r->end && !r->bad) {
        uint64_t entry = (uint64_t)(r->p - info), code = dwarf_uleb(r);
        if (code == 0) {
            if (w->depth == 0)
                continue; /* padding */
            w->depth--;
            continue;
        }
        const struct dwarf_kind *kind = code <= w->kinds.n ? &w->kinds.rows[code - 1] : NULL;
        if (!kind || !kind->used)
            return;
        uint32_t inside = w->around[w->depth];
        if (kind->tag == DW_TAG_subprogram || kind->tag == DW_TAG_inlined_subroutine)
            inside = add_function_scope(w, kind, entry);
        else
            skip_entry(w, kind);
        if (!kind->children)
            continue;
        if (w->depth + 1 == DEPTH_MAX)
            return;
        w->around[++w->depth] = inside;
    }
}

/* --- from ranges to segments --- */

/* Orders an outer range before the ranges inside it. */
static int by_from(const void *a, const void *b)
{
    const struct scope_range *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to > y->to ? -1 : 1;
    return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static void put_dwarf_segment(struct dwarf_unit *u, uint64_t at, uint32_t scope)
{
    if (!u->segments || at - u->base > UINT32_MAX)
        return;
    struct dwarf_segment *last = u->nsegments ? &u->segments[u->nsegments - 1] : NULL;
    if (last && last->at == at - u->base)
        last->scope = scope;
    else if (!last || last->scope != scope)
        u->segments[u->nsegments++] = (struct dwarf_segment){(uint32_t)(at - u->base), scope};
}

/* Closes the open ranges that end at or before `until`; the enclosing range continues. */
static size_t close_ranges(struct dwarf_unit *u, const struct scope_range **open, size_t n,
                           uint64_t until)
{
    while (n && open[n - 1]->to <= until) {
        uint64_t to = open[n - 1]->to;
        while (n && open[n - 1]->to <= to)
            n--;
        put_dwarf_segment(u, to, n ? open[n - 1]->scope : NO_SCOPE);
    }
    return n;
}

static void make_segments(struct unit_walk *w)
{
    struct dwarf_unit *u = w->unit;
    size_t n = 0;
    if (w->nranges == 0)
        return;
    qsort(w->ranges, w->nranges, sizeof *w->ranges, by_from);
    u->base = w->ranges[0].from;
    u->segments = xcalloc(w->nranges * 2, sizeof *u->segments);
    const struct scope_range **open = xcalloc(w->nranges, sizeof(struct scope_range *));
    for (size_t i = 0; i < w->nranges; i++) {
        n = close_ranges(u, open, n, w->ranges[i].from);
        open[n++] = &w->ranges[i];
        put_dwarf_segment(u, w->ranges[i].from, w->ranges[i].scope);
    }
    close_ranges(u, open, n, UINT64_MAX);
    free(open);
    u->segments = xrealloc(u->segments, u->nsegments, sizeof *u->segments);
}

void dwarf_unit_walk(struct dwarf_unit *u, const struct dwarf_sections *s)
{
    u->walked = true;
    if (u->abbreviations >= s->abbrev_size || u->entry >= u->end || u->end > s->info_size ||
        s->info_size >= UINT32_MAX)
        return;
    struct unit_walk *w = xcalloc(1, sizeof *w);
    w->unit = u;
    w->sections = s;
    w->reader = (struct dwarf_reader){.p = s->abbrev + u->abbreviations,
                                      .end = s->abbrev + s->abbrev_size,
                                      .version = u->version,
                                      .address_size = u->address_size,
                                      .offset_size = u->offset_size};
    dwarf_kinds_read(&w->kinds, &w->reader);
    bool go_on =
        spend_dwarf_budget(s, w->kinds.nattributes / 16); /* attributes are cheap to read */
    w->reader.bad = false;
    w->reader.p = s->info + u->entry;
    w->reader.end = s->info + u->end;
    if (go_on)
        walk_entries(w);
    make_segments(w);
    if (u->nscopes)
        u->scopes = xrealloc(u->scopes, u->nscopes, sizeof *u->scopes);
    dwarf_kinds_free(&w->kinds);
    free(w->ranges);
    free(w);
}

uint32_t dwarf_unit_find(const struct dwarf_unit *u, uint64_t address)
{
    uint32_t low = 0;
    if (address < u->base || address - u->base > UINT32_MAX)
        return NO_SCOPE;
    uint32_t at = (uint32_t)(address - u->base);
    SEARCH_FIRST(low, u->nsegments, u->segments[low].at <= at);
    return low ? u->segments[low - 1].scope : NO_SCOPE;
}

size_t dwarf_unit_memory(const struct dwarf_unit *u)
{
    return u->nscopes * sizeof *u->scopes + u->nsegments * sizeof *u->segments +
           u->nfiles * sizeof(char *);
}

void dwarf_unit_free(struct dwarf_unit *u)
{
    free(u->scopes);
    free(u->segments);
    free(u->files);
}
