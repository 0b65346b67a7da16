/*
 * Reads code.json: the instructions and their cost. Its header names the columns and comes after
 * them.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "backends/att/att_impl.h"

enum column {
    COL_NONE,
    COL_ISA,
    COL_LINE,
    COL_SOURCE,
    COL_CODEOBJ,
    COL_VADDR,
    COL_HIT,
    COL_LATENCY,
    COL_STALL,
    COL_IDLE,
    COL_SERVICE,
    COL_ISSUED,
    COL_STALLED,
    COL_REASONS,
    COLUMNS
};
enum { COLUMNS_MAX = 32, NAME_MAX_ = 32 };

static const struct {
    const char *name;
    uint8_t column;
} names[] = {
    {"ISA", COL_ISA},
    {"LineNumber", COL_LINE},
    {"Source", COL_SOURCE},
    {"Codeobj", COL_CODEOBJ},
    {"Vaddr", COL_VADDR},
    {"Hit", COL_HIT},
    {"Latency", COL_LATENCY},
    {"Stall", COL_STALL},
    {"Idle", COL_IDLE},
    {"Issued", COL_ISSUED},
    {"ServiceType", COL_SERVICE},
    {"Stalled", COL_STALLED},
    {"PC_Issued", COL_ISSUED},
    {"NotIssuedReasons", COL_REASONS},
    {"PC_Stalled", COL_STALLED},
    {"Stall_Reasons", COL_REASONS},
};

struct code_columns {
    uint8_t column[COLUMNS_MAX]; /* enum column */
    unsigned n, needed;
    bool none_first; /* the first stall reason is "none" */
};

/* The columns of all versions so far; rows may end after the first 10. */
static const struct code_columns usual = {
    .column = {COL_ISA, COL_NONE, COL_LINE, COL_SOURCE, COL_CODEOBJ, COL_VADDR, COL_HIT,
               COL_LATENCY, COL_STALL, COL_IDLE, COL_SERVICE, COL_ISSUED, COL_STALLED, COL_REASONS},
    .n = 14,
    .needed = 10};

static void add_code_column(struct code_columns *l, const char *name, size_t n)
{
    while (n && isspace((unsigned char)*name))
        name++, n--;
    while (n && isspace((unsigned char)name[n - 1]))
        n--;
    if (l->n == COLUMNS_MAX)
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == n && strncasecmp(names[i].name, name, n) == 0)
            l->column[l->n] = names[i].column;
    /* AMD's viewer wrote this name, for rows that begin with the SDK's "none"; the SDK leaves it
     * out */
    if (n == 13 && strncasecmp(name, "Stall_Reasons", n) == 0)
        l->none_first = true;
    if (l->column[l->n] >= COL_ISA && l->column[l->n] <= COL_IDLE)
        l->needed = l->n + 1;
    l->n++;
}

/* Reads the header: a text with commas, or an array of names. */
static void read_code_columns(struct att *a, struct json *j, struct code_columns *l)
{
    char name[NAME_MAX_];
    unsigned seen = 0;
    size_t at = json_at(j);
    *l = (struct code_columns){.n = 0};
    if (json_type(j) == '[' && json_array(j)) {
        while (json_item(j)) {
            json_copy(j, "a column's name", name, sizeof name);
            add_code_column(l, name, strlen(name));
        }
    } else {
        const char *s = json_text(j, "header", &a->memory);
        for (size_t n = strcspn(s, ","); *s; n = strcspn(s, ",")) {
            add_code_column(l, s, n);
            s += n + (s[n] == ',');
        }
    }
    for (unsigned i = 0; i < l->n; i++)
        seen |= 1U << l->column[i];
    if (l->n == 0)
        *l = usual;
    else if (!(seen & 1U << COL_ISA) || !(seen & 1U << COL_LATENCY) || !(seen & 1U << COL_HIT))
        json_fail(j, at, "the header names no ISA, Hit and Latency");
}

/* Reads the header first, because the rows come before it. */
static void find_header(struct att *a, struct json *j, struct code_columns *l)
{
    struct json ahead;
    char key[NAME_MAX_];
    json_open(&ahead, j->file, j->in.text, (size_t)(j->in.end - j->in.text), j->err);
    ahead.help = j->help;
    *l = usual;
    for (bool any = json_object(&ahead); any && json_key(&ahead, key, sizeof key);)
        if (strcmp(key, "header") == 0)
            read_code_columns(a, &ahead, l);
        else
            json_skip(&ahead);
    json_end(&ahead);
    json_close(&ahead);
    j->rc = ahead.rc;
}

static void read_reasons(struct att *a, struct json *j, struct att_row *r, bool none_first)
{
    uint64_t v[ATT_REASONS_MAX] = {0};
    uint32_t n = 0;
    bool any = false;
    if (!json_array(j))
        return;
    for (; json_item(j); n++) {
        size_t at = json_at(j);
        uint64_t one = json_u64(j, "a reason");
        if (none_first && n == 0)
            continue;
        if (n - none_first < ATT_REASONS_MAX)
            v[n - none_first] = one;
        else if (one)
            json_fail(j, at, "more than %d reasons", ATT_REASONS_MAX);
        any = any || one;
    }
    if (j->rc != 0 || !any)
        return;
    a->reasons = att_grow(a->reasons, a->nreasons, sizeof *a->reasons);
    memcpy(a->reasons[a->nreasons], v, sizeof v);
    r->reasons = a->nreasons++;
    n -= none_first;
    a->reasons_used = n > a->reasons_used ? n : a->reasons_used;
    if (a->reasons_used > ATT_REASONS_MAX)
        a->reasons_used = ATT_REASONS_MAX;
}

static void read_line_number(struct json *j, struct att_row *r)
{
    int64_t v = json_i64(j, "LineNumber"); /* -1 if only PCs were sampled */
    r->line = v < 0 || v >= UINT32_MAX ? ATT_UNKNOWN : (uint32_t)v;
}

static void read_column(struct att *a, struct json *j, struct att_row *r,
                        const struct code_columns *l, unsigned n)
{
    switch (n < l->n ? (enum column)l->column[n] : COL_NONE) {
    case COL_ISA:
        r->isa = json_text(j, "ISA", &a->memory);
        break;
    case COL_SOURCE:
        r->source = json_text(j, "Source", &a->memory);
        break;
    case COL_LINE:
        read_line_number(j, r);
        break;
    case COL_CODEOBJ:
        r->codeobj = json_u64(j, "Codeobj");
        break;
    case COL_VADDR:
        r->vaddr = json_u64(j, "Vaddr");
        break;
    case COL_HIT:
        r->hits = json_u64(j, "Hit");
        break;
    case COL_LATENCY:
        r->latency = json_u64(j, "Latency");
        break;
    case COL_STALL:
        r->stall = json_u64(j, "Stall");
        break;
    case COL_IDLE:
        r->idle = json_u64(j, "Idle");
        break;
    case COL_SERVICE:
        r->service = (uint8_t)json_u64(j, "ServiceType");
        break;
    case COL_ISSUED:
        r->issued = json_u64(j, "Issued");
        break;
    case COL_STALLED:
        r->stalled = json_u64(j, "Stalled");
        break;
    case COL_REASONS:
        read_reasons(a, j, r, l->none_first);
        break;
    default:
        json_skip(j);
    }
}

static void read_code_row(struct att *a, struct json *j, const struct code_columns *l)
{
    unsigned n = 0;
    size_t begin = json_at(j);
    a->rows = att_grow(a->rows, a->nrows, sizeof *a->rows);
    struct att_row *r = &a->rows[a->nrows];
    *r = (struct att_row){.isa = "", .source = "", .line = ATT_UNKNOWN, .reasons = ATT_UNKNOWN};
    if (json_type(j) != '[')
        json_fail(j, begin, "a row should be an array");
    if (json_array(j))
        for (; json_item(j); n++)
            read_column(a, j, r, l, n);
    if (n < l->needed)
        json_fail(j, begin, "row %u has %u columns, %u are needed", a->nrows + 1, n, l->needed);
    if (j->rc == 0)
        att_row_complete(a, a->nrows++);
}

static void read_code_rows(struct att *a, struct json *j, const struct code_columns *l)
{
    uint32_t left_out = 0;
    if (!json_array(j))
        return;
    while (json_item(j))
        if (a->nrows < ATT_ROWS_MAX)
            read_code_row(a, j, l);
        else
            json_skip(j), left_out++;
    if (left_out)
        att_note(a, "%s: %u rows beyond the first %d were left out", j->file, left_out,
                 ATT_ROWS_MAX);
}

int att_parse_code(struct att *a, struct json *j)
{
    struct code_columns l;
    char key[NAME_MAX_];
    find_header(a, j, &l);
    for (bool any = json_object(j); any && json_key(j, key, sizeof key);)
        if (strcmp(key, "code") == 0)
            read_code_rows(a, j, &l);
        else
            json_skip(j);
    json_end(j);
    return j->rc;
}
