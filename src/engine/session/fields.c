#include "engine/session/session_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/metric.h"

/* --- struct value: a byte with a bit for each member that changed, then those members --- */

enum { V_NUMBER = 1, V_WHY = 2, V_RUNNING = 4, V_UNIT = 8, V_VALIDITY = 16, V_FLAGS = 32 };

static bool is_same_field_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Compares bits: -0 and 0 differ. */
static bool same_double(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

static unsigned value_changes(const struct value *a, const struct value *b)
{
    unsigned changed = 0;
    changed |= same_double(a->v, b->v) ? 0 : V_NUMBER;
    changed |= is_same_field_text(a->why, b->why) ? 0 : V_WHY;
    changed |= same_double((double)a->running, (double)b->running) ? 0 : V_RUNNING;
    changed |= a->unit == b->unit ? 0 : V_UNIT;
    changed |= a->validity == b->validity ? 0 : V_VALIDITY;
    changed |= a->flags == b->flags ? 0 : V_FLAGS;
    return changed;
}

static void put_field_text(struct coder *c, const char *text)
{
    dictionary_put(c->text, c->out, text, text ? strlen(text) : 0);
}

static const char *get_field_text(struct coder *c)
{
    size_t n, number;
    return dictionary_get(c->text, c->in, &n, &number);
}

static void put_changed_value(struct coder *c, const struct value *now, const struct value *prev)
{
    unsigned changed = value_changes(now, prev);
    bytes_put_byte(c->out, (uint8_t)changed);
    if (changed & V_NUMBER)
        bytes_put_double(c->out, now->v, prev->v);
    if (changed & V_WHY)
        put_field_text(c, now->why);
    if (changed & V_RUNNING)
        bytes_put(c->out, &now->running, sizeof now->running);
    if (changed & V_UNIT)
        bytes_put_byte(c->out, now->unit);
    if (changed & V_VALIDITY)
        bytes_put_byte(c->out, now->validity);
    if (changed & V_FLAGS)
        bytes_put_byte(c->out, now->flags);
}

/* Accepts only what a live source could have written: a damaged file must not lead to units or
 * states that do not exist. */
static void get_value(struct coder *c, struct value *now, const struct value *prev)
{
    unsigned changed = bytes_get_byte(c->in);
    *now = *prev;
    if (changed & V_NUMBER)
        now->v = bytes_get_double(c->in, prev->v);
    if (changed & V_WHY)
        now->why = get_field_text(c);
    if (changed & V_RUNNING) {
        const uint8_t *p = bytes_get(c->in, sizeof now->running);
        if (p)
            memcpy(&now->running, p, sizeof now->running);
    }
    if (changed & V_UNIT)
        now->unit = bytes_get_byte(c->in);
    if (changed & V_VALIDITY)
        now->validity = bytes_get_byte(c->in);
    if (changed & V_FLAGS)
        now->flags = bytes_get_byte(c->in);
    if (now->unit >= UNIT_COUNT_OF || now->validity > VALUE_OK || !(now->running >= 0) ||
        now->running > 1e6f || !isfinite(now->v)) {
        c->in->bad = true;
        *now = value_missing("a damaged recording", UNIT_NONE);
    }
}

/* --- values of each CPU --- */

static const struct value no_value;

static bool same_percpu(const struct coder *c, const struct value *a, const struct value *b)
{
    if (!a || !b)
        return a == b;
    for (size_t i = 0; i < c->ncpus; i++)
        if (value_changes(&a[i], &b[i]))
            return false;
    return true;
}

static void put_percpu(struct coder *c, const struct value *now, const struct value *prev)
{
    bytes_put_byte(c->out, now != NULL);
    for (size_t i = 0; now && i < c->ncpus; i++)
        put_changed_value(c, &now[i], prev ? &prev[i] : &no_value);
}

static struct value *get_percpu(struct coder *c, const struct value *prev)
{
    if (bytes_get_byte(c->in) == 0)
        return NULL;
    struct value *now = snapshot_alloc(c->s, c->ncpus * sizeof *now);
    for (size_t i = 0; i < c->ncpus && !c->in->bad; i++)
        get_value(c, &now[i], prev ? &prev[i] : &no_value);
    return now;
}

static struct value *copy_percpu(struct coder *c, const struct value *prev)
{
    if (!prev)
        return NULL;
    struct value *now = snapshot_alloc(c->s, c->ncpus * sizeof *now);
    memcpy(now, prev, c->ncpus * sizeof *now);
    return now;
}

/* --- definitions of metrics: stored once each, as a blob of texts and numbers --- */

static const char *const *def_texts(const struct metric_def *d, const char *out[8])
{
    const char *all[8] = {d->id,   d->label, d->set,       d->formula,
                          d->cpus, d->what,  d->reference, d->parent};
    memcpy(out, all, sizeof all);
    return out;
}

static void put_def(struct coder *c, const struct metric_def *d)
{
    const char *text[8];
    struct bytes b = {0};
    def_texts(d, text);
    for (size_t i = 0; i < 8; i++)
        bytes_put(&b, text[i] ? text[i] : "", text[i] ? strlen(text[i]) + 1 : 1);
    bytes_put_byte(&b, d->parent != NULL);
    bytes_put_byte(&b, (uint8_t)d->unit);
    bytes_put_byte(&b, (uint8_t)d->group);
    bytes_put_byte(&b, (uint8_t)d->level);
    bytes_put_byte(&b, d->optional);
    bytes_put_double(&b, d->warn_above, 0);
    dictionary_put(c->defs, c->out, b.p, b.n);
    free(b.p);
}

static const struct metric_def *parse_def(struct coder *c, const char *blob, size_t n)
{
    struct metric_def *d = arena_alloc(c->keep, sizeof *d);
    const char **text[8] = {&d->id,   &d->label, &d->set,       &d->formula,
                            &d->cpus, &d->what,  &d->reference, &d->parent};
    struct byte_reader r = {(const uint8_t *)blob, (const uint8_t *)blob + n, false};
    for (size_t i = 0; i < 8; i++) {
        *text[i] = (const char *)r.p;
        const uint8_t *nul = r.p < r.end ? memchr(r.p, 0, (size_t)(r.end - r.p)) : NULL;
        if (!nul)
            r.bad = true;
        else
            r.p = nul + 1;
    }
    if (!bytes_get_byte(&r))
        d->parent = NULL;
    d->unit = bytes_get_byte(&r);
    d->group = bytes_get_byte(&r);
    d->level = bytes_get_byte(&r);
    d->optional = bytes_get_byte(&r);
    d->warn_above = bytes_get_double(&r, 0);
    if (r.bad || (unsigned)d->unit >= UNIT_COUNT_OF || (unsigned)d->group >= METRIC_GROUP_COUNT)
        return NULL;
    return d;
}

static const struct metric_def *get_def(struct coder *c)
{
    size_t n, number;
    const char *blob = dictionary_get(c->defs, c->in, &n, &number);
    if (!blob) {
        c->in->bad = true; /* a metric without a definition could not be shown */
        return NULL;
    }
    if (number > c->ndef) {
        c->def = xrealloc(c->def, number * 2, sizeof *c->def);
        memset(c->def + c->ndef, 0, (number * 2 - c->ndef) * sizeof *c->def);
        c->ndef = number * 2;
    }
    if (!c->def[number - 1])
        c->def[number - 1] = parse_def(c, blob, n);
    if (!c->def[number - 1])
        c->in->bad = true;
    return c->def[number - 1];
}

/* --- one field --- */

#define AT(type, base, f) ((type *)(void *)((char *)(base) + (f)->offset))
#define IN(type, base, f) ((const type *)(const void *)((const char *)(base) + (f)->offset))

static bool same_field(struct coder *c, const struct field *f, const void *now, const void *prev)
{
    switch ((enum field_type)f->type) {
    case FIELD_BYTE:
    case FIELD_BOOL:
        return *IN(uint8_t, now, f) == *IN(uint8_t, prev, f);
    case FIELD_INT:
    case FIELD_U32:
        return *IN(int32_t, now, f) == *IN(int32_t, prev, f);
    case FIELD_U64:
        return *IN(uint64_t, now, f) == *IN(uint64_t, prev, f);
    case FIELD_DOUBLE:
        return same_double(*IN(double, now, f), *IN(double, prev, f));
    case FIELD_TEXT:
    case FIELD_MAYBE:
        return is_same_field_text(*IN(char *, now, f), *IN(char *, prev, f));
    case FIELD_CHARS:
        return strcmp(IN(char, now, f), IN(char, prev, f)) == 0;
    case FIELD_VALUE:
        return value_changes(IN(struct value, now, f), IN(struct value, prev, f)) == 0;
    case FIELD_PERCPU:
        return same_percpu(c, *IN(struct value *, now, f), *IN(struct value *, prev, f));
    case FIELD_DEF:
        return *IN(struct metric_def *, now, f) == *IN(struct metric_def *, prev, f);
    }
    return true;
}

static void put_field(struct coder *c, const struct field *f, const void *now, const void *prev)
{
    switch ((enum field_type)f->type) {
    case FIELD_BYTE:
    case FIELD_BOOL:
        bytes_put_byte(c->out, *IN(uint8_t, now, f));
        break;
    case FIELD_INT:
    case FIELD_U32:
        bytes_put_delta(c->out, (uint64_t)*IN(int32_t, now, f), (uint64_t)*IN(int32_t, prev, f));
        break;
    case FIELD_U64:
        bytes_put_delta(c->out, *IN(uint64_t, now, f), *IN(uint64_t, prev, f));
        break;
    case FIELD_DOUBLE:
        bytes_put_double(c->out, *IN(double, now, f), *IN(double, prev, f));
        break;
    case FIELD_TEXT:
    case FIELD_MAYBE:
        put_field_text(c, *IN(char *, now, f));
        break;
    case FIELD_CHARS:
        put_field_text(c, IN(char, now, f));
        break;
    case FIELD_VALUE:
        put_changed_value(c, IN(struct value, now, f), IN(struct value, prev, f));
        break;
    case FIELD_PERCPU:
        put_percpu(c, *IN(struct value *, now, f), *IN(struct value *, prev, f));
        break;
    case FIELD_DEF:
        put_def(c, *IN(struct metric_def *, now, f));
        break;
    }
}

static void get_chars(struct coder *c, const struct field *f, void *now)
{
    const char *text = get_field_text(c);
    size_t n = text ? strlen(text) : 0;
    n = n < f->size ? n : (size_t)f->size - 1;
    if (text)
        memcpy(AT(char, now, f), text, n);
    AT(char, now, f)[n] = '\0';
}

static void get_field(struct coder *c, const struct field *f, void *now, const void *prev)
{
    switch ((enum field_type)f->type) {
    case FIELD_BYTE:
        *AT(uint8_t, now, f) = bytes_get_byte(c->in);
        break;
    case FIELD_BOOL:
        *AT(bool, now, f) = bytes_get_byte(c->in) != 0;
        break;
    case FIELD_INT:
    case FIELD_U32:
        *AT(int32_t, now, f) = (int32_t)bytes_get_delta(c->in, (uint64_t)*IN(int32_t, prev, f));
        break;
    case FIELD_U64:
        *AT(uint64_t, now, f) = bytes_get_delta(c->in, *IN(uint64_t, prev, f));
        break;
    case FIELD_DOUBLE:
        *AT(double, now, f) = bytes_get_double(c->in, *IN(double, prev, f));
        break;
    case FIELD_TEXT:
    case FIELD_MAYBE:
        *AT(const char *, now, f) = get_field_text(c);
        break;
    case FIELD_CHARS:
        get_chars(c, f, now);
        break;
    case FIELD_VALUE:
        get_value(c, AT(struct value, now, f), IN(struct value, prev, f));
        break;
    case FIELD_PERCPU:
        *AT(struct value *, now, f) = get_percpu(c, *IN(struct value *, prev, f));
        break;
    case FIELD_DEF:
        *AT(const struct metric_def *, now, f) = get_def(c);
        break;
    }
}

void fields_copy(struct fields f, void *to, const void *from)
{
    for (size_t i = 0; i < f.n; i++)
        memcpy(AT(char, to, &f.field[i]), IN(char, from, &f.field[i]), f.field[i].size);
}

/* --- a structure: a bit for each field that differs, then these fields --- */

bool fields_same(struct coder *c, struct fields f, const void *now, const void *prev)
{
    for (size_t i = 0; i < f.n; i++)
        if (!same_field(c, &f.field[i], now, prev))
            return false;
    return true;
}

static void write_changed_fields(struct coder *c, struct fields f, const void *now,
                                 const void *prev)
{
    uint64_t changed = 0;
    for (size_t i = 0; i < f.n; i++)
        changed |= (uint64_t)!same_field(c, &f.field[i], now, prev) << i;
    bytes_put_u64(c->out, changed);
    for (size_t i = 0; i < f.n; i++)
        if (changed >> i & 1)
            put_field(c, &f.field[i], now, prev);
}

static void read_changed_fields(struct coder *c, struct fields f, void *now, const void *prev)
{
    uint64_t changed = bytes_get_u64(c->in);
    if (f.n < 64 && changed >> f.n) /* fields that this version does not know have an unknown length
                                       and cannot be skipped */
        c->in->bad = true;
    memcpy(now, prev, f.size);
    for (size_t i = 0; i < f.n; i++) {
        const struct field *d = &f.field[i];
        if (changed >> i & 1)
            get_field(c, d, now, prev);
        else if (d->type == FIELD_PERCPU)
            *AT(struct value *, now, d) = copy_percpu(c, *IN(struct value *, prev, d));
        /* fields that every live source fills in are set even if a file does not have them */
        if (d->type == FIELD_TEXT && !*AT(const char *, now, d))
            *AT(const char *, now, d) = "";
        if (d->type == FIELD_DEF && !*AT(const void *, now, d))
            c->in->bad = true;
    }
}

void fields_code(struct coder *c, struct fields f, void *now, const void *prev)
{
    if (c->out)
        write_changed_fields(c, f, now, prev);
    else
        read_changed_fields(c, f, now, prev);
}

/* --- arrays: how many rows are as before, then one changed, new or removed row, and so on --- */

enum row_op { ROWS_END, ROW_CHANGED, ROW_NEW, ROW_GONE };
enum { ROW_MAX = 1024 }; /* bytes of the largest structure */
static const char zero_row[ROW_MAX];

static int compare_row_keys(const void *a, const void *b)
{
    int32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

void fields_write_rows(struct coder *c, struct fields f, bool ordered, const void *now, size_t n,
                       const void *prev, size_t nprev)
{
    /* an array of 0 rows may be NULL */
    const char *a = now ? now : zero_row;
    const char *b = prev ? prev : zero_row;
    size_t i = 0, j = 0, same = 0;
    bytes_put_u64(c->out, n);
    while (i < n || j < nprev) {
        int cmp = 0;
        if (i == n)
            cmp = 1;
        else if (j == nprev)
            cmp = -1;
        else if (ordered)
            cmp = compare_row_keys(a + i * f.size, b + j * f.size);
        if (cmp == 0 && fields_same(c, f, a + i * f.size, b + j * f.size)) {
            same++, i++, j++;
            continue;
        }
        bytes_put_u64(c->out, same);
        same = 0;
        if (cmp < 0)
            bytes_put_byte(c->out, ROW_NEW);
        else
            bytes_put_byte(c->out, cmp == 0 ? ROW_CHANGED : ROW_GONE);
        if (cmp <= 0)
            write_changed_fields(c, f, a + i++ * f.size, cmp == 0 ? b + j * f.size : zero_row);
        j += cmp >= 0;
    }
    bytes_put_u64(c->out, same);
    bytes_put_byte(c->out, ROWS_END);
}

/* Copies n unchanged rows. */
static bool copy_rows(struct coder *c, struct fields f, char *now, const char *prev, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        memcpy(now + k * f.size, prev + k * f.size, f.size);
        for (size_t i = 0; i < f.n; i++)
            if (f.field[i].type == FIELD_PERCPU)
                *AT(struct value *, now + k * f.size, &f.field[i]) =
                    copy_percpu(c, *IN(struct value *, prev + k * f.size, &f.field[i]));
    }
    return true;
}

void *fields_read_rows(struct coder *c, struct fields f, bool ordered, size_t *count,
                       const void *prev, size_t nprev)
{
    size_t i = 0, j = 0, n = (size_t)bytes_get_u64(c->in);
    (void)ordered;
    *count = 0;
    /* each row either equals a previous one or takes at least one byte: a larger number is
     * damage */
    if (c->in->bad || n > nprev + (size_t)(c->in->end - c->in->p)) {
        c->in->bad = true;
        return NULL;
    }
    char *now = snapshot_alloc(c->s, n * f.size);
    const char *b = prev ? prev : zero_row;
    while (!c->in->bad) {
        size_t same = (size_t)bytes_get_u64(c->in);
        if (same > n - i || same > nprev - j)
            break;
        copy_rows(c, f, now + i * f.size, b + j * f.size, same);
        i += same;
        j += same;
        uint8_t op = bytes_get_byte(c->in);
        if (op == ROWS_END) {
            if (i != n)
                break;
            *count = n;
            return now;
        }
        if ((op != ROW_GONE && i >= n) || (op != ROW_NEW && j >= nprev) || op > ROW_GONE)
            break;
        if (op != ROW_GONE)
            read_changed_fields(c, f, now + i++ * f.size,
                                op == ROW_CHANGED ? b + j * f.size : zero_row);
        j += op != ROW_NEW;
    }
    c->in->bad = true;
    return NULL;
}
