#include "engine/judge/harness.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/judge/judge_shapes.h"
#include "engine/value/text_file.h"
#include "engine/value/toml.h"

enum { ARRAYS_MOST = 64 << 20 };

const struct judge_type_row judge_types[JUDGE_TYPES] = {
    [JUDGE_VOID] = {"void", 0, false},      [JUDGE_INT8] = {"int8", 1, false},
    [JUDGE_UINT8] = {"uint8", 1, false},    [JUDGE_INT16] = {"int16", 2, false},
    [JUDGE_UINT16] = {"uint16", 2, false},  [JUDGE_INT32] = {"int32", 4, false},
    [JUDGE_UINT32] = {"uint32", 4, false},  [JUDGE_INT64] = {"int64", 8, false},
    [JUDGE_UINT64] = {"uint64", 8, false},  [JUDGE_FLOAT32] = {"float32", 4, true},
    [JUDGE_FLOAT64] = {"float64", 8, true},
};

struct harness_reading {
    struct harness *out;
    const char *path;
    struct error *err;
    bool in_function, in_argument, in_work;
    bool has_value, has_length, has_low, has_high; /* of the table that is open */
    int function_line;
};

static int refuse_harness_at(const struct harness_reading *r, int line, int column,
                             const char *help, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static int refuse_harness_at(const struct harness_reading *r, int line, int column,
                             const char *help, const char *format, ...)
{
    char what[192], why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    snprintf(what, sizeof what, "%.150s:%d:%d", r->path, line, column);
    return error_set(r->err, ERROR_INPUT, EINVAL, help, what, "%s", why);
}

size_t judge_bytes(const struct judge_argument *a)
{
    return a->array ? a->length * judge_types[a->type].size : 0;
}

bool judge_is_varied(const struct judge_argument *a)
{
    return !a->array && a->nvalues > 1 && !a->is_length;
}

/* Which value a scalar has in a call: the turn goes through all of them, from where chance says. */
double judge_value_of(const struct judge_argument *a, size_t argument, uint32_t sample)
{
    uint32_t begin = (sample >> JUDGE_TURN_BITS) * UINT32_C(0x9e3779b1) + (uint32_t)argument;
    begin = (begin ^ begin >> 15) * UINT32_C(0x85ebca77);
    begin ^= begin >> 13;
    const uint32_t turn = sample & ((1u << JUDGE_TURN_BITS) - 1);
    return judge_is_varied(a) ? a->values[(begin % a->nvalues + turn) % a->nvalues] : a->value;
}

void judge_store(enum judge_type type, double v, void *to)
{
    const size_t size = judge_types[type].size;
    if (type == JUDGE_FLOAT64) {
        memcpy(to, &v, size);
    } else if (type == JUDGE_FLOAT32) {
        const float f = (float)v;
        memcpy(to, &f, size);
    } else if (v < 0) {
        const int64_t whole = (int64_t)v;
        memcpy(to, &whole, size); /* the low bytes stand first */
    } else {
        const uint64_t natural = (uint64_t)v;
        memcpy(to, &natural, size);
    }
}

size_t harness_buffers(const struct harness *h)
{
    return h->n + (h->result != JUDGE_VOID);
}

bool judge_is_output(const struct judge_argument *a)
{
    return a->array && a->direction != JUDGE_IN;
}

bool judge_is_input(const struct judge_argument *a)
{
    return a->array && a->direction != JUDGE_OUT;
}

/* "float32", and "float32*" of an array. */
static bool type_named(const char *name, enum judge_type *type, bool *array)
{
    const size_t n = strlen(name);
    *array = n > 0 && name[n - 1] == '*';
    for (int i = 0; i < JUDGE_TYPES; i++)
        if (strlen(judge_types[i].name) == n - *array &&
            strncmp(name, judge_types[i].name, n - *array) == 0) {
            *type = (enum judge_type)i;
            return true;
        }
    return false;
}

static const char tables[] = "[function], [work] and [[argument]]";
static const char type_help[] = "int8 to int64, uint8 to uint64, float32 or float64; with * at its "
                                "end it is an array";

/* --- the end of a table --- */

/* Whether a whole number is one of a type's. 2^63 and 2^64 are numbers of double, their neighbours
 * below are not. */
static bool type_has(enum judge_type type, double v)
{
    switch (type) {
    case JUDGE_INT8:
        return v >= INT8_MIN && v <= INT8_MAX;
    case JUDGE_UINT8:
        return v >= 0 && v <= UINT8_MAX;
    case JUDGE_INT16:
        return v >= INT16_MIN && v <= INT16_MAX;
    case JUDGE_UINT16:
        return v >= 0 && v <= UINT16_MAX;
    case JUDGE_INT32:
        return v >= INT32_MIN && v <= INT32_MAX;
    case JUDGE_UINT32:
        return v >= 0 && v <= UINT32_MAX;
    case JUDGE_INT64:
        return v >= -9223372036854775808.0 && v < 9223372036854775808.0;
    case JUDGE_UINT64:
        return v >= 0 && v < 18446744073709551616.0;
    default:
        return true;
    }
}

static int check_value(const struct harness_reading *r, const struct judge_argument *a)
{
    if (!r->has_value)
        return refuse_harness_at(r, a->line, 1,
                                 "value = NUMBER, or type = \"float32*\" for an array",
                                 "the argument %s has no value", a->name);
    for (size_t i = 0; i < a->nvalues; i++) {
        const double v = a->values[i];
        if (!judge_types[a->type].real && v != nearbyint(v))
            return refuse_harness_at(r, a->line, 1, NULL, "the value of %s is no whole number",
                                     a->name);
        if (!type_has(a->type, v))
            return refuse_harness_at(r, a->line, 1, NULL, "the value of %s is no %s: %g", a->name,
                                     judge_types[a->type].name, v);
    }
    return 0;
}

static int end_argument(struct harness_reading *r)
{
    struct harness *h = r->out;
    if (!r->in_argument)
        return 0;
    r->in_argument = false;
    struct judge_argument *a = &h->arguments[h->n];
    if (*a->name == '\0')
        snprintf(a->name, sizeof a->name, "argument %zu", h->n + 1);
    if (a->type == JUDGE_VOID)
        return refuse_harness_at(r, a->line, 1, type_help, "%s has no type", a->name);
    if (a->array && !r->has_length)
        return refuse_harness_at(r, a->line, 1, "length = NUMBER", "the array %s has no length",
                                 a->name);
    const int rc = a->array ? 0 : check_value(r, a);
    if (rc != 0)
        return rc;
    size_t sum = judge_bytes(a);
    for (size_t i = 0; i < h->n; i++)
        sum += judge_bytes(&h->arguments[i]);
    if (sum > ARRAYS_MOST)
        return refuse_harness_at(r, a->line, 1, NULL, "the arrays have more than %d MiB",
                                 ARRAYS_MOST >> 20);
    if (a->low > a->high)
        return refuse_harness_at(r, a->line, 1, NULL, "low is above high");
    h->n++;
    return 0;
}

static int end_file(struct harness_reading *r)
{
    struct harness *h = r->out;
    int rc = end_argument(r);
    if (rc != 0)
        return rc;
    if (*h->function == '\0')
        return refuse_harness_at(r, r->function_line ? r->function_line : 1, 1,
                                 "[function] with name = \"NAME\"", "no function is named");
    if (h->result != JUDGE_VOID)
        h->arguments[h->n] = (struct judge_argument){.name = "the result",
                                                     .type = h->result,
                                                     .array = true,
                                                     .length = 1,
                                                     .direction = JUDGE_OUT};
    judge_shapes_mark(h);
    bool any_output = false;
    double bytes = 0;
    for (size_t i = 0; i < harness_buffers(h); i++) {
        const struct judge_argument *a = &h->arguments[i];
        const int passes = judge_is_input(a) + judge_is_output(a);
        any_output |= judge_is_output(a);
        bytes += passes * (double)judge_bytes(a);
    }
    if (isnan(h->work_bytes))
        h->work_bytes = bytes;
    if (any_output)
        return 0;
    return refuse_harness_at(r, r->function_line, 1,
                             "direction = \"out\" or \"inout\", or returns = "
                             "\"float64\"",
                             "%s has no output, so nothing can be compared", h->function);
}

/* --- items --- */

static int begin_harness_table(struct harness_reading *r, const struct toml_item *item)
{
    struct harness *h = r->out;
    const int rc = end_argument(r);
    if (rc != 0)
        return rc;
    r->in_function = strcmp(item->table, "function") == 0;
    r->in_argument = strcmp(item->table, "argument") == 0;
    r->in_work = strcmp(item->table, "work") == 0;
    if (r->in_function)
        r->function_line = item->line;
    else if (!r->in_argument && !r->in_work)
        return refuse_harness_at(r, item->line, item->column, tables,
                                 "the table '%.60s' is not known", item->table);
    else if (r->in_argument && h->n >= JUDGE_ARGUMENTS)
        return refuse_harness_at(r, item->line, item->column, NULL,
                                 "there are more than %d arguments", JUDGE_ARGUMENTS);
    if (r->in_argument)
        h->arguments[h->n] = (struct judge_argument){.high = 1, .line = item->line};
    r->has_value = r->has_length = r->has_low = r->has_high = false;
    return 0;
}

static int wrong_type(const struct harness_reading *r, const struct toml_item *item,
                      const char *wanted)
{
    return refuse_harness_at(r, item->line, item->column, NULL, "%.60s is no %s", item->key,
                             wanted);
}

static int take_name(const struct harness_reading *r, const struct toml_item *item, char *out)
{
    if (item->type != TOML_STRING || *item->string == '\0')
        return wrong_type(r, item, "text in quotes");
    if (strlen(item->string) >= JUDGE_NAME)
        return refuse_harness_at(r, item->line, item->column, NULL, "it has more than %d bytes",
                                 JUDGE_NAME - 1);
    snprintf(out, JUDGE_NAME, "%s", item->string);
    return 0;
}

static int take_number(const struct harness_reading *r, const struct toml_item *item, double least,
                       double *out)
{
    if (item->type != TOML_NUMBER || !isfinite(item->number))
        return wrong_type(r, item, "finite number");
    if (item->number < least)
        return refuse_harness_at(r, item->line, item->column, NULL, "%.60s is below %g", item->key,
                                 least);
    *out = item->number;
    return 0;
}

static int take_bool(const struct harness_reading *r, const struct toml_item *item, bool *out)
{
    if (item->type != TOML_BOOL)
        return wrong_type(r, item, "true or false");
    *out = item->number != 0;
    return 0;
}

static int take_function_key(struct harness_reading *r, const struct toml_item *item)
{
    struct harness *h = r->out;
    bool array;
    if (strcmp(item->key, "name") == 0)
        return take_name(r, item, h->function);
    if (strcmp(item->key, "relative") == 0)
        return take_number(r, item, 0, &h->relative);
    if (strcmp(item->key, "absolute") == 0)
        return take_number(r, item, 0, &h->absolute);
    if (strcmp(item->key, "returns") == 0) {
        if (item->type != TOML_STRING)
            return wrong_type(r, item, "text in quotes");
        if (!type_named(item->string, &h->result, &array) || array)
            return refuse_harness_at(r, item->line, item->column, type_help,
                                     "'%.60s' cannot be returned", item->string);
        return 0;
    }
    if (strcmp(item->key, "exact_on_bits") == 0)
        return take_bool(r, item, &h->exact_on_bits);
    if (strcmp(item->key, "special") == 0)
        return take_bool(r, item, &h->special);
    if (strcmp(item->key, "other_lengths") == 0)
        return take_bool(r, item, &h->other_lengths);
    return refuse_harness_at(
        r, item->line, item->column,
        "name, returns, relative, absolute, exact_on_bits, special, other_lengths",
        "'%.60s' is no key of [function]", item->key);
}

/* A key whose value is one of some words. */
static int take_word(const struct harness_reading *r, const struct toml_item *item,
                     const char *const *words, int *out)
{
    if (item->type != TOML_STRING)
        return wrong_type(r, item, "text in quotes");
    for (int i = 0; words[i]; i++)
        if (strcmp(item->string, words[i]) == 0) {
            *out = i;
            return 0;
        }
    return refuse_harness_at(r, item->line, item->column, NULL, "'%.60s' is no %.60s", item->string,
                             item->key);
}

static int take_length(struct harness_reading *r, const struct toml_item *item,
                       struct judge_argument *a)
{
    double n = 0;
    const int rc = take_number(r, item, 1, &n);
    if (rc != 0)
        return rc;
    if (n != nearbyint(n) || n > ARRAYS_MOST)
        return refuse_harness_at(r, item->line, item->column, NULL,
                                 "a length is a whole number up to %d", ARRAYS_MOST);
    a->length = (size_t)n;
    r->has_length = true;
    return 0;
}

/* value = NUMBER, or an element of values = [NUMBER, ...]. */
static int take_value(struct harness_reading *r, const struct toml_item *item,
                      struct judge_argument *a)
{
    if (item->element < 1 && r->has_value)
        return refuse_harness_at(r, item->line, item->column, NULL, "it has value and values");
    if (a->nvalues >= JUDGE_VALUES)
        return refuse_harness_at(r, item->line, item->column, NULL, "there are more than %d values",
                                 JUDGE_VALUES);
    const int rc = take_number(r, item, -INFINITY, &a->values[a->nvalues]);
    if (rc != 0)
        return rc;
    r->has_value = true;
    if (a->nvalues++ == 0)
        a->value = a->values[0];
    return 0;
}

/* align = BYTES. */
static int take_align(const struct harness_reading *r, const struct toml_item *item,
                      struct judge_argument *a)
{
    double n = 0;
    const int rc = take_number(r, item, 1, &n);
    if (rc != 0)
        return rc;
    if (n > JUDGE_ALIGN_MOST || n != nearbyint(n) || ((size_t)n & ((size_t)n - 1)) != 0)
        return refuse_harness_at(r, item->line, item->column, NULL,
                                 "align is a power of 2 up to %d", JUDGE_ALIGN_MOST);
    a->align = (size_t)n;
    return 0;
}

static int take_argument(struct harness_reading *r, const struct toml_item *item)
{
    static const char *const directions[] = {"in", "out", "inout", NULL};
    static const char *const generators[] = {"normal", "uniform", NULL};
    struct judge_argument *a = &r->out->arguments[r->out->n];
    int word = 0, rc;
    if (strcmp(item->key, "name") == 0)
        return take_name(r, item, a->name);
    if (strcmp(item->key, "type") == 0) {
        if (item->type != TOML_STRING)
            return wrong_type(r, item, "text in quotes");
        if (!type_named(item->string, &a->type, &a->array) || a->type == JUDGE_VOID)
            return refuse_harness_at(r, item->line, item->column, type_help, "'%.60s' is no type",
                                     item->string);
        return 0;
    }
    if (strcmp(item->key, "length") == 0)
        return take_length(r, item, a);
    if (strcmp(item->key, "value") == 0 || strcmp(item->key, "values") == 0)
        return take_value(r, item, a);
    if (strcmp(item->key, "align") == 0)
        return take_align(r, item, a);
    if (strcmp(item->key, "low") == 0)
        return take_number(r, item, -INFINITY, &a->low);
    if (strcmp(item->key, "high") == 0)
        return take_number(r, item, -INFINITY, &a->high);
    if (strcmp(item->key, "direction") == 0) {
        rc = take_word(r, item, directions, &word);
        a->direction = (enum judge_direction)word;
        return rc;
    }
    if (strcmp(item->key, "generate") == 0) {
        rc = take_word(r, item, generators, &word);
        a->generator = (enum judge_generator)word;
        return rc;
    }
    return refuse_harness_at(
        r, item->line, item->column,
        "name, type, length, align, value, values, direction, generate, low, high",
        "'%.60s' is no key of [[argument]]", item->key);
}

static int take_work_key(struct harness_reading *r, const struct toml_item *item)
{
    if (strcmp(item->key, "bytes") == 0)
        return take_number(r, item, 0, &r->out->work_bytes);
    if (strcmp(item->key, "flops") == 0)
        return take_number(r, item, 0, &r->out->work_flops);
    if (strcmp(item->key, "instructions") == 0)
        return take_number(r, item, 0, &r->out->work_instructions);
    return refuse_harness_at(r, item->line, item->column, "bytes, flops, instructions",
                             "'%.60s' is no key of [work]", item->key);
}

static int visit_item(void *ctx, const struct toml_item *item)
{
    struct harness_reading *r = ctx;
    if (item->type == TOML_TABLE)
        return begin_harness_table(r, item);
    if ((item->element >= 0) != (strcmp(item->key, "values") == 0))
        return refuse_harness_at(r, item->line, item->column, "values = [1, 2]", "%.60s is %s list",
                                 item->key, item->element >= 0 ? "a" : "no");
    if (r->in_function)
        return take_function_key(r, item);
    if (r->in_argument)
        return take_argument(r, item);
    if (r->in_work)
        return take_work_key(r, item);
    return refuse_harness_at(r, item->line, item->column, tables, "'%.60s' stands in no table",
                             item->key);
}

int harness_parse(struct harness *out, const char *text, size_t n, const char *path,
                  struct error *err)
{
    struct harness_reading r = {.out = out, .path = path, .err = err};
    struct toml_failure failure = {.line = 1, .column = 1};
    *out = (struct harness){
        .exact_on_bits = true, .special = true, .other_lengths = true, .work_bytes = NAN};
    err->kind = ERROR_NONE;
    int rc = toml_walk_deep(text, n, visit_item, &r, &failure);
    if (rc != 0 && err->kind == ERROR_NONE)
        return refuse_harness_at(&r, failure.line, failure.column, NULL, "%s",
                                 rc == -ENOMEM ? "there is no memory" : failure.why);
    return rc == 0 ? end_file(&r) : rc;
}

int harness_read(struct harness *out, const char *path, uint64_t *hash, struct error *err)
{
    char *text = NULL;
    size_t n = 0;
    int rc = text_file_read(&text, &n, path, err);
    if (rc == 0) {
        *hash = hash_bytes(0, text, n);
        rc = harness_parse(out, text, n, path, err);
    }
    free(text);
    return rc;
}
