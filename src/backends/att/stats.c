/*
 * Reads stats_NAME.csv: the same rows without line numbers. It is the only file if JSON output was
 * not requested.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "backends/att/att_impl.h"
#include "base/watch.h"

enum field {
    F_NONE,
    F_CODEOBJ,
    F_VADDR,
    F_ISA,
    F_HITS,
    F_LATENCY,
    F_STALL,
    F_IDLE,
    F_SERVICE,
    F_ISSUED,
    F_STALLED,
    F_SOURCE,
    FIELDS
};
enum { FIELDS_MAX = 32 };
static const char *const names[FIELDS] = {
    [F_CODEOBJ] = "CodeObj", [F_VADDR] = "Vaddr",         [F_ISA] = "Instruction",
    [F_HITS] = "Hitcount",   [F_LATENCY] = "Latency",     [F_STALL] = "Stall",
    [F_IDLE] = "Idle",       [F_SERVICE] = "ServiceType", [F_ISSUED] = "Issued",
    [F_STALLED] = "Stalled", [F_SOURCE] = "Source",
};

struct stats_csv {
    const char *file, *at, *end;
    unsigned long line;
    struct error *err;
    int rc;
    bool done; /* the row has ended */
};

static void fail_stats(struct stats_csv *c, const char *why, const char *what)
{
    if (c->rc == 0)
        c->rc = error_set(c->err, ERROR_INPUT, EINVAL, NULL, c->file, "line %lu: %s%s", c->line,
                          why, what);
}

/* Reads the next field of a row without its quotes (RFC 4180), into memory. */
static const char *read_stats_field(struct stats_csv *c, struct arena *memory)
{
    bool quoted = c->at < c->end && *c->at == '"';
    const char *begin = c->at += quoted;
    while (c->at < c->end && (quoted ? *c->at != '"' || (c->at + 1 < c->end && c->at[1] == '"')
                                     : *c->at != ',' && *c->at != '\n' && *c->at != '\r')) {
        c->line += *c->at == '\n';
        c->at += 1 + (quoted && *c->at == '"');
    }
    char *out = arena_strndup(memory, begin, (size_t)(c->at - begin)), *to = out;
    for (const char *from = out; quoted && *from; from++) {
        *to++ = *from;
        from += from[0] == '"' && from[1] == '"';
    }
    if (quoted)
        *to = '\0';
    if (quoted && c->at == c->end)
        fail_stats(c, "a quote that does not end", "");
    c->at += quoted && c->at < c->end;
    if (c->at < c->end && *c->at == '\r')
        c->at++;
    c->done = c->at == c->end || *c->at == '\n';
    if (!c->done && *c->at != ',')
        fail_stats(c, "a field goes on behind its quote", "");
    c->at += c->at < c->end;
    return out;
}

static uint64_t field_number(struct stats_csv *c, const char *text, enum field f)
{
    uint64_t v = 0;
    if (!isdigit((unsigned char)*text))
        fail_stats(c, "no number as ", names[f]);
    for (; isdigit((unsigned char)*text); text++) {
        v = v * 10 + (uint64_t)(*text - '0');
        if (v > (uint64_t)JSON_INTEGER_MAX) {
            fail_stats(c, "too large: ", names[f]);
            return 0;
        }
    }
    if (*text)
        fail_stats(c, "no whole number as ", names[f]);
    return v;
}

/* Reads the header: the meaning of each field. Returns -1 if the file is another table. */
static int read_stats_head(struct stats_csv *c, uint8_t column[FIELDS_MAX])
{
    struct arena memory = {0};
    unsigned seen = 0;
    int n = 0;
    for (c->done = false; c->rc == 0 && !c->done; n++) {
        const char *text = read_stats_field(c, &memory);
        for (int f = 1; f < FIELDS && n < FIELDS_MAX; f++)
            if (strcasecmp(text, names[f]) == 0) {
                column[n] = (uint8_t)f;
                seen |= 1U << f;
            }
    }
    arena_free(&memory);
    if (!(seen & 1U << F_ISA) || !(seen & 1U << F_HITS) || !(seen & 1U << F_LATENCY))
        fail_stats(c, "the head names no Instruction, Hitcount and Latency", "");
    if (n > FIELDS_MAX)
        fail_stats(c, "more columns than are known", "");
    return n;
}

static void set_att_row_field(struct stats_csv *c, struct att_row *r, enum field f,
                              const char *text)
{
    uint64_t *const numbers[FIELDS] = {
        [F_CODEOBJ] = &r->codeobj, [F_VADDR] = &r->vaddr,     [F_HITS] = &r->hits,
        [F_LATENCY] = &r->latency, [F_STALL] = &r->stall,     [F_IDLE] = &r->idle,
        [F_ISSUED] = &r->issued,   [F_STALLED] = &r->stalled,
    };
    if (f == F_ISA)
        r->isa = text;
    else if (f == F_SOURCE)
        r->source = text;
    else if (f == F_SERVICE)
        r->service = (uint8_t)field_number(c, text, f);
    else if (numbers[f])
        *numbers[f] = field_number(c, text, f);
}

static void read_stats_row(struct stats_csv *c, struct att *a, const uint8_t *column, int columns)
{
    int n = 0;
    a->rows = att_grow(a->rows, a->nrows, sizeof *a->rows);
    struct att_row *r = &a->rows[a->nrows];
    *r = (struct att_row){.isa = "", .source = "", .line = ATT_UNKNOWN, .reasons = ATT_UNKNOWN};
    for (c->done = false; c->rc == 0 && !c->done; n++) {
        const char *text = read_stats_field(c, &a->memory);
        if (n < columns)
            set_att_row_field(c, r, column[n], text);
    }
    if (n != columns)
        fail_stats(c, "not as many fields as the head has", "");
    if (c->rc == 0)
        att_row_complete(a, a->nrows++);
}

int att_parse_stats(struct att *a, const char *file, const char *text, size_t size,
                    struct error *err)
{
    struct stats_csv c = {.file = file, .at = text, .end = text + size, .line = 1, .err = err};
    uint8_t column[FIELDS_MAX] = {0};
    if (memchr(text, '\0', size))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, file, "no text: it has NULs");
    int columns = read_stats_head(&c, column);
    while (c.rc == 0 && c.at < c.end && a->nrows < ATT_ROWS_MAX) {
        if (watch_stops(c.line++) && (c.rc = watch_check(file, err)) != 0)
            break;
        if (*c.at == '\n') /* an empty line */
            c.at++;
        else
            read_stats_row(&c, a, column, columns);
    }
    if (c.rc == 0 && c.at < c.end)
        att_note(a, "%s: rows beyond the first %d were left out", file, ATT_ROWS_MAX);
    return c.rc;
}
