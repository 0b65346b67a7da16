/* Parses the value of one option and checks its type, range and choices. */
#include "cli/options/command.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "tui/model/view.h"

enum { BYTES_LEAST = 1 << 20 };

static int refuse_value(struct error *err, const char *where, const char *help, const char *why,
                        const char *text)
{
    return error_set(err, ERROR_USAGE, EINVAL, help, where, why, text);
}

static bool parse_flag(const char *text, bool *out)
{
    static const char *const yes[] = {"true", "1", "yes", "on"};
    static const char *const no[] = {"false", "0", "no", "off"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
            *out = strcasecmp(text, yes[i]) == 0;
            return true;
        }
    }
    return false;
}

static int set_flag(bool *out, const char *text, const char *where, struct error *err)
{
    if (parse_flag(text, out))
        return 0;
    return refuse_value(err, where, "give true or false", "'%s' is neither true nor false", text);
}

static int out_of_range(const struct option_def *d, const char *text, const char *where,
                        struct error *err)
{
    char help[80];
    snprintf(help, sizeof help, "give a value from %g to %.10g", d->min, d->max);
    return refuse_value(err, where, help, "'%s' is out of range", text);
}

static int set_int(const struct option_def *d, long *out, const char *text, const char *where,
                   struct error *err)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    if (end == text || *end)
        return refuse_value(err, where, "give a whole number", "'%s' is not a whole number", text);
    if (errno || (double)v < d->min || (double)v > d->max)
        return out_of_range(d, text, where, err);
    *out = v;
    return 0;
}

static int set_seconds(const struct option_def *d, double *out, const char *text, const char *where,
                       struct error *err)
{
    char *end;
    double v = strtod(text, &end);
    const char *help = "give seconds, as in 0.5, 2s or 500ms";
    if (end == text || strpbrk(text, "xXnN")) /* strtod would also take hexadecimal, nan and inf */
        return refuse_value(err, where, help, "'%s' is not a time", text);
    if (strcmp(end, "ms") == 0)
        v /= 1000;
    else if (*end && strcmp(end, "s") != 0)
        return refuse_value(err, where, help, "'%s' is not a time", text);
    if (!(v >= d->min && v <= d->max))
        return out_of_range(d, text, where, err);
    *out = v;
    return 0;
}

/* Sets two adjacent ints from WxH. */
static int set_size(const struct option_def *d, int *out, const char *text, const char *where,
                    struct error *err)
{
    char *end, *end2;
    errno = 0;
    long w = strtol(text, &end, 10);
    bool cross = *end == 'x' || *end == 'X';
    long h = cross ? strtol(end + 1, &end2, 10) : 0;
    if (end == text || !cross || end2 == end + 1 || *end2)
        return refuse_value(err, where, "give columns and rows, as in 120x40", "'%s' is not WxH",
                            text);
    if (errno || (double)w < d->min || (double)w > d->max || (double)h < d->min ||
        (double)h > d->max)
        return out_of_range(d, text, where, err);
    out[0] = (int)w;
    out[1] = (int)h;
    return 0;
}

bool options_brief(const struct options *o)
{
    return o->brief || (o->format && strcmp(o->format, "markdown") == 0);
}

const char *options_brief_format(const struct options *o)
{
    const struct command *c = command_named(o->command);
    if (o->answer)
        return o->answer;
    return o->format && !c->converts ? o->format : "text";
}

const char *option_choice(const struct option_def *d, size_t i, char *buf, size_t size)
{
    if (strcmp(d->name, "view") == 0)
        return view_typed_name(i);
    if (d->sorts) {
        const struct list_field *f = list_fields_sort(d->sorts, (int)i);
        return f ? list_field_sort_name(f) : NULL;
    }
    const char *p = d->choices;
    while (p && i-- > 0) {
        p = strchr(p, '|');
        p = p ? p + 1 : NULL;
    }
    if (!p)
        return NULL;
    snprintf(buf, size, "%.*s", (int)strcspn(p, "|"), p);
    return buf;
}

static int set_option_choice(struct options *o, const struct option_def *d, const char **out,
                             const char *text, const char *where, struct error *err)
{
    char buf[32], list[256] = "", help[320];
    const char *name;
    size_t len = 0;
    struct nearest nearest;
    nearest_start(&nearest, text);
    for (size_t i = 0; (name = option_choice(d, i, buf, sizeof buf)); i++) {
        if (strcmp(name, text) == 0) {
            *out = arena_strdup(&o->storage, text);
            return 0;
        }
        nearest_offer(&nearest, name);
        if (len < sizeof list)
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", name);
    }
    const char *near = nearest_found(&nearest);
    if (near)
        snprintf(help, sizeof help, "did you mean '%.40s'? (one of %s)", near, list);
    else
        snprintf(help, sizeof help, "give one of %s", list);
    return refuse_value(err, where, help, "unknown value '%s'", text);
}

void *option_value(const struct options *o, const struct option_def *d)
{
    return (char *)(d->own ? o->own : (void *)o) + d->offset;
}

int option_set(struct options *o, const struct option_def *d, const char *text, const char *where,
               struct error *err)
{
    void *at = option_value(o, d);
    switch (d->type) {
    case OPTION_FLAG:
        return set_flag(at, text, where, err);
    case OPTION_INT:
        return set_int(d, at, text, where, err);
    case OPTION_SECONDS:
        return set_seconds(d, at, text, where, err);
    case OPTION_SIZE:
        return set_size(d, at, text, where, err);
    case OPTION_CHOICE:
        return set_option_choice(o, d, at, text, where, err);
    case OPTION_STRING:
    case OPTION_LIST:
        break;
    }
    if (!*text && !d->alone && strcmp(d->name, "filter") != 0)
        return refuse_value(err, where, "give a value", "the value is empty%s", text);
    const char **value = at;
    if (d->type == OPTION_LIST && *value) {
        size_t size = strlen(*value) + strlen(text) + 2;
        char *both = arena_alloc(&o->storage, size);
        snprintf(both, size, "%s\n%s", *value, text);
        *value = both;
    } else {
        *value = arena_strdup(&o->storage, text);
    }
    return 0;
}

int options_bytes(const char *option, const char *text, uint64_t *bytes, struct error *err)
{
    static const char units[] = "KMGT";
    char *end;
    double v = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end & ~0x20) : NULL;
    if (unit && *unit)
        v *= pow(1024, (double)(unit - units + 1));
    if (end == text || (*end && !unit) ||
        (unit && end[1] && strcmp(end + 1, "B") != 0 && strcmp(end + 1, "iB") != 0) ||
        !(v >= BYTES_LEAST && v < 1e18))
        return error_set(err, ERROR_USAGE, EINVAL, "64M, 2G; at least 1M", option,
                         "'%.40s' is no size", text);
    *bytes = (uint64_t)v;
    return 0;
}
