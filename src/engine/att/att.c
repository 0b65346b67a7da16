#include "engine/att/att.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

static const char *const category_names[ATT_CATEGORIES] = {
    [ATT_NONE] = "none",       [ATT_SMEM] = "SMEM",       [ATT_SALU] = "SALU",
    [ATT_VMEM] = "VMEM",       [ATT_FLAT] = "FLAT",       [ATT_LDS] = "LDS",
    [ATT_VALU] = "VALU",       [ATT_JUMP] = "BRANCH",     [ATT_NEXT] = "BRANCH NOT TAKEN",
    [ATT_IMMED] = "IMMEDIATE", [ATT_CONTEXT] = "CONTEXT", [ATT_MESSAGE] = "MESSAGE",
    [ATT_BVH] = "BVH",         [ATT_WAIT] = "WAIT",       [ATT_BARRIER] = "BARRIER",
    [ATT_MATRIX] = "MATRIX",   [ATT_OTHER] = "OTHER",
};
static const char *const state_names[ATT_STATES] = {"empty", "idle",  "exec",
                                                    "wait",  "stall", "other"};
static const char *const reason_names[] = {
    "no instruction available", "ALU dependency", "waitcnt",
    "internal instruction",     "barrier",        "arbiter not won",
    "execution stall",          "other wait",     "sleep"};

const char *att_category_name(enum att_category c)
{
    return (unsigned)c < ATT_CATEGORIES ? category_names[c] : category_names[ATT_OTHER];
}

const char *att_state_name(enum att_state s)
{
    return (unsigned)s < ATT_STATES ? state_names[s] : state_names[ATT_STATE_OTHER];
}

const char *att_reason_name(unsigned i)
{
    return i < sizeof reason_names / sizeof *reason_names ? reason_names[i] : "";
}

/* Categories of instructions by the beginning of the mnemonic. A longer beginning stands before a
 * shorter one that it contains. Source: AMD's ISA documents of CDNA 3 and RDNA 3. */
static const struct {
    const char *begin;
    uint8_t category;
} mnemonics[] = {
    {"v_mfma_", ATT_MATRIX},
    {"v_smfmac_", ATT_MATRIX},
    {"v_wmma_", ATT_MATRIX},
    {"v_swmmac_", ATT_MATRIX},
    {"v_", ATT_VALU},
    {"s_load_", ATT_SMEM},
    {"s_store_", ATT_SMEM},
    {"s_buffer_", ATT_SMEM},
    {"s_scratch_", ATT_SMEM},
    {"s_atomic_", ATT_SMEM},
    {"s_atc_", ATT_SMEM},
    {"s_dcache_", ATT_SMEM},
    {"s_gl1_", ATT_SMEM},
    {"s_prefetch_", ATT_SMEM},
    {"s_memtime", ATT_SMEM},
    {"s_memrealtime", ATT_SMEM},
    {"s_branch", ATT_JUMP},
    {"s_cbranch", ATT_JUMP},
    {"s_setpc", ATT_JUMP},
    {"s_swappc", ATT_JUMP},
    {"s_call", ATT_JUMP},
    {"s_rfe", ATT_JUMP},
    {"s_subvector_loop", ATT_JUMP},
    {"s_sendmsg", ATT_MESSAGE},
    {"s_wait", ATT_WAIT},
    {"s_nop", ATT_IMMED},
    {"s_sleep", ATT_IMMED},
    {"s_barrier", ATT_BARRIER},
    {"s_endpgm", ATT_IMMED},
    {"s_clause", ATT_IMMED},
    {"s_delay_alu", ATT_IMMED},
    {"s_set_inst_prefetch", ATT_IMMED},
    {"s_inst_prefetch", ATT_IMMED},
    {"s_icache_inv", ATT_IMMED},
    {"s_sethalt", ATT_IMMED},
    {"s_setkill", ATT_IMMED},
    {"s_setprio", ATT_IMMED},
    {"s_trap", ATT_IMMED},
    {"s_ttracedata", ATT_IMMED},
    {"s_code_end", ATT_IMMED},
    {"s_", ATT_SALU},
    {"image_bvh", ATT_BVH},
    {"image_", ATT_VMEM},
    {"buffer_", ATT_VMEM},
    {"tbuffer_", ATT_VMEM},
    {"global_", ATT_VMEM},
    {"scratch_", ATT_VMEM},
    {"flat_", ATT_FLAT},
    {"ds_bvh", ATT_BVH},
    {"ds_", ATT_LDS},
    {"lds_", ATT_LDS},
};

enum att_category att_category_of(const char *isa)
{
    while (*isa == ' ' || *isa == '\t')
        isa++;
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (strncmp(isa, mnemonics[i].begin, strlen(mnemonics[i].begin)) == 0)
            return mnemonics[i].category;
    return ATT_OTHER;
}

void *att_grow(void *list, uint32_t n, size_t size)
{
    if (n & (n - 1)) /* n is no power of two, so the array has room */
        return list;
    return xrealloc(list, n ? (size_t)n * 2 : 1, size);
}

void att_note(struct att *a, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    a->notes = att_grow(a->notes, a->nnotes, sizeof *a->notes);
    a->notes[a->nnotes++] = arena_strdup(&a->memory, text);
}

void att_free(struct att *a)
{
    void *lists[] = {a->rows,   a->reasons, a->waves,   a->instructions, a->periods,
                     a->events, a->kernels, a->samples, a->levels,       a->clocks,
                     a->waits,  a->notes,   a->counters};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    arena_free(&a->memory);
    *a = (struct att){0};
}

void att_places_free(struct att_places *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        free(p->list[i].name);
        free(p->list[i].dir);
        free(p->list[i].stats);
    }
    free(p->list);
    *p = (struct att_places){0};
}

/* --- rows --- */

/* Takes file and line from "a.h:3 -> a.cpp:9", whose first part is the innermost inlined place.
 * The line follows the last colon, because paths may contain colons. */
static void find_source_place(struct att *a, uint32_t row)
{
    struct att_row *r = &a->rows[row];
    const char *end = strstr(r->source, " -> ");
    size_t n = end ? (size_t)(end - r->source) : strlen(r->source), digits = 0;
    uint64_t line = 0;
    while (digits < n && isdigit((unsigned char)r->source[n - digits - 1]))
        digits++;
    r->file = "";
    r->source_line = 0;
    if (digits == 0 || digits > 9 || digits + 1 >= n || r->source[n - digits - 1] != ':')
        return;
    for (size_t i = n - digits; i < n; i++)
        line = line * 10 + (uint64_t)(r->source[i] - '0');
    r->source_line = (uint32_t)line;
    /* Neighbouring rows are often of the same file: then they share the string. */
    const char *before = row ? a->rows[row - 1].file : "";
    size_t len = n - digits - 1;
    r->file = strlen(before) == len && strncmp(before, r->source, len) == 0
                  ? before
                  : arena_strndup(&a->memory, r->source, len);
}

void att_row_complete(struct att *a, uint32_t row)
{
    struct att_row *r = &a->rows[row];
    r->marker = r->isa[0] == ';';
    if (r->marker) { /* the text is "; name.kd", and the demangled name stands in the source column
                      */
        const char *name = r->isa + 1 + strspn(r->isa + 1, " ");
        r->isa = *r->source ? r->source : name;
        r->source = r->file = "";
        r->source_line = 0;
        r->category = ATT_NONE;
        return;
    }
    r->category = (uint8_t)att_category_of(r->isa);
    find_source_place(a, row);
}

uint32_t att_row_of_line(const struct att *a, uint32_t line)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, a->nrows, a->rows[low].line < line);
    for (; low < a->nrows && a->rows[low].line == line; low++)
        if (!a->rows[low].marker)
            return low;
    return ATT_UNKNOWN;
}

const char *att_kernel_name(const struct att *a)
{
    const char *name = "", *first = "";
    for (uint32_t i = 0; i < a->nrows; i++) {
        if (a->rows[i].marker)
            name = a->rows[i].isa;
        if (!*first)
            first = name;
        if (!a->rows[i].marker && (a->rows[i].hits || a->rows[i].issued || a->rows[i].stalled))
            return name;
    }
    return first;
}

/* --- the generation --- */

const char *att_latency_end(const struct att *a)
{
    if (a->gfx == ATT_UNKNOWN && strcmp(a->gfxv, "vega") != 0)
        return strcmp(a->gfxv, "navi") == 0 ? "execution" : NULL;
    return a->gfx == ATT_UNKNOWN || a->gfx <= 9 ? "issue" : "execution";
}

const char *att_gfx_name(const struct att *a, char out[32])
{
    if (a->gfx == ATT_UNKNOWN)
        snprintf(out, 32, "%.20s", *a->gfxv ? a->gfxv : "unknown GPU");
    else if (*a->gfxv)
        snprintf(out, 32, "gfx%u (%.12s)", a->gfx, a->gfxv);
    else
        snprintf(out, 32, "gfx%u", a->gfx);
    return out;
}

/* --- order --- */

static int by_numbers(const uint32_t *one, const uint32_t *two, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (one[i] != two[i])
            return one[i] < two[i] ? -1 : 1;
    return 0;
}

static int compare_att_rows(const void *x, const void *y)
{
    const struct att_row *a = x, *b = y;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->marker != b->marker)
        return a->marker ? -1 : 1;
    if (a->codeobj != b->codeobj)
        return a->codeobj < b->codeobj ? -1 : 1;
    return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static int event_order(const void *x, const void *y)
{
    const struct att_event *a = x, *b = y;
    const uint32_t one[] = {a->cu, a->simd, a->slot, a->start};
    const uint32_t two[] = {b->cu, b->simd, b->slot, b->start};
    if (a->se != b->se)
        return a->se < b->se ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return by_numbers(one, two, sizeof one / sizeof *one);
}

static int wave_order(const void *x, const void *y)
{
    const struct att_wave *a = x, *b = y;
    const uint32_t one[] = {a->se, a->simd, a->slot, a->id};
    const uint32_t two[] = {b->se, b->simd, b->slot, b->id};
    return by_numbers(one, two, sizeof one / sizeof *one);
}

static int level_order(const void *x, const void *y)
{
    const struct att_level *a = x, *b = y;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->waves > b->waves) - (a->waves < b->waves);
}

static int wait_order(const void *x, const void *y)
{
    const struct att_wait *a = x, *b = y;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->on > b->on) - (a->on < b->on);
}

/* Rows are nearly always in order already, which is cheaper to check than to sort. */
static void sort_if_unsorted(void *list, uint32_t n, size_t size,
                             int (*order)(const void *, const void *))
{
    bool sorted = true;
    for (uint32_t i = 1; i < n && sorted; i++)
        sorted = order((char *)list + (i - 1) * size, (char *)list + i * size) <= 0;
    if (!sorted)
        qsort(list, n, size, order);
}

void att_finish(struct att *a)
{
    uint32_t n = 0;
    bool lines = true;
    for (uint32_t i = 0; i < a->nrows && lines; i++)
        lines = a->rows[i].line != ATT_UNKNOWN;
    if (lines) /* the rows of a CSV are already in the order of the code */
        sort_if_unsorted(a->rows, a->nrows, sizeof *a->rows, compare_att_rows);
    sort_if_unsorted(a->events, a->nevents, sizeof *a->events, event_order);
    sort_if_unsorted(a->levels, a->nlevels, sizeof *a->levels, level_order);
    sort_if_unsorted(a->waves, a->nwaves, sizeof *a->waves, wave_order);
    sort_if_unsorted(a->waits, a->nwaits, sizeof *a->waits, wait_order);
    for (uint32_t i = 0; i < a->nwaits; i++)
        if (n == 0 || wait_order(&a->waits[n - 1], &a->waits[i]) != 0)
            a->waits[n++] = a->waits[i];
    a->nwaits = n;
}
