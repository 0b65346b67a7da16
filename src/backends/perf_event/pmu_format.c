/* Parses the terms of the sysfs event form: "event=0x3c,umask=1", "energy-pkg". */
#include "backends/perf_event/pmu_sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"

enum { NAME_MAX_ = 64 };

struct term_context {
    const struct pmu *pmu;
    struct perf_encoding *enc;
    struct error *err;
    bool alias; /* in an events/ file, where further aliases are not allowed */
};

static int bad_term(struct term_context *c, const char *help, const char *what, const char *why)
{
    char text[160];
    snprintf(text, sizeof text, "event term '%.80s' of PMU '%s'", what, c->pmu->name);
    return error_set(c->err, ERROR_USAGE, EINVAL, help, text, "%s", why);
}

static int read_sysfs(const struct term_context *c, const char *dir, const char *name,
                      const char *tail, char *out, size_t size)
{
    char path[PATH_MAX];
    if (!*name || *name == '.' || strchr(name, '/') || strlen(name) >= NAME_MAX_)
        return -ENOENT;
    env_path(path, sizeof path, "/sys/bus/event_source/devices/%s/%s/%s%s", c->pmu->name, dir, name,
             tail);
    return pmu_read_file(path, out, size);
}

static void offer_dir(const struct term_context *c, const char *dir, struct nearest *n)
{
    char path[PATH_MAX];
    env_path(path, sizeof path, "/sys/bus/event_source/devices/%s/%s", c->pmu->name, dir);
    DIR *d = opendir(path);
    int left = 4096;
    for (struct dirent *e; d && left-- > 0 && (e = readdir(d));)
        if (*e->d_name != '.' && !strstr(e->d_name, ".scale") && !strstr(e->d_name, ".unit"))
            nearest_offer(n, e->d_name);
    if (d)
        closedir(d);
}

static int unknown_term(struct term_context *c, const char *name)
{
    char help[160];
    struct nearest n;
    nearest_start(&n, name);
    offer_dir(c, "format", &n);
    offer_dir(c, "events", &n);
    snprintf(help, sizeof help, "did you mean '%s'?", n.best[0]);
    if (!nearest_found(&n))
        snprintf(help, sizeof help, "see /sys/bus/event_source/devices/%s/{format,events}",
                 c->pmu->name);
    return bad_term(c, help, name, "this PMU has no such field or event");
}

/* Spreads value over the bits of a format such as "config:0-7,32-35"; false if it is malformed. */
static bool spread_field(const char *format, struct perf_encoding *enc, uint64_t *value)
{
    uint64_t *word;
    if (strncmp(format, "config1:", 8) == 0)
        word = &enc->config1;
    else if (strncmp(format, "config2:", 8) == 0)
        word = &enc->config2;
    else if (strncmp(format, "config:", 7) == 0)
        word = &enc->config;
    else
        return false;
    const char *p = strchr(format, ':') + 1;
    for (;;) {
        char *end;
        unsigned long low = strtoul(p, &end, 10), high = low;
        if (end == p)
            return false;
        if (*end == '-') {
            p = end + 1;
            high = strtoul(p, &end, 10);
            if (end == p)
                return false;
        }
        if (high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, *value >>= 1) {
            *word &= ~(UINT64_C(1) << bit);
            *word |= (*value & 1) << bit;
        }
        if (*end != ',')
            return *end == 0;
        p = end + 1;
    }
}

static int set_format_field(struct term_context *c, const char *name, uint64_t value)
{
    char format[128];
    if (strcmp(name, "config") == 0 || strcmp(name, "config1") == 0 ||
        strcmp(name, "config2") == 0) {
        uint64_t *word = &c->enc->config;
        if (name[6])
            word = name[6] == '1' ? &c->enc->config1 : &c->enc->config2;
        *word = value;
        return 0;
    }
    if (read_sysfs(c, "format", name, "", format, sizeof format))
        return unknown_term(c, name);
    if (!spread_field(format, c->enc, &value))
        return bad_term(c, NULL, name, "its format in sysfs is not one we know (config3 or newer)");
    return value ? bad_term(c, "give a smaller value", name, "the value does not fit its field")
                 : 0;
}

static int apply_terms(struct term_context *c, const char *terms);

/* Converts MiB from the kernel's files to bytes, so that formulas need not know about it. */
static void read_scale(struct term_context *c, const char *name)
{
    char text[64], *end;
    if (read_sysfs(c, "events", name, ".scale", text, sizeof text) == 0) {
        /* "2.3283064365386962890625e-10" has a point in every locale */
        locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        double v = c_locale ? strtod_l(text, &end, c_locale) : 0;
        if (c_locale)
            freelocale(c_locale);
        if (v > 0 && v < 1e300)
            c->enc->scale = v;
    }
    if (read_sysfs(c, "events", name, ".unit", text, sizeof text) == 0) {
        bool mib = strcmp(text, "MiB") == 0;
        c->enc->scale *= mib ? 1048576 : 1;
        snprintf(c->enc->unit, sizeof c->enc->unit, "%.15s", mib ? "B" : text);
        text[8] = 0;
        if (strcmp(text, "C") == 0 || strcmp(text, "Celsius") == 0)
            c->enc->gauge = true;
    }
}

/* Applies a term without '=': an event of the PMU by name, or a one-bit field. */
static int apply_word(struct term_context *c, const char *name)
{
    char terms[512];
    if (!c->alias && read_sysfs(c, "events", name, "", terms, sizeof terms) == 0) {
        c->alias = true;
        int rc = apply_terms(c, terms);
        c->alias = false;
        if (rc == 0)
            read_scale(c, name);
        return rc;
    }
    return set_format_field(c, name, 1);
}

static int apply_term(struct term_context *c, char *term)
{
    char *value = strchr(term, '=');
    if (!value)
        return apply_word(c, term);
    *value++ = 0;
    if (strcmp(term, "name") == 0)
        return 0; /* name= is for people; event_list_parse reads it */
    if (strcmp(value, "?") == 0)
        return bad_term(c, "add the field with a number", term, "this event needs a value for it");
    char *end;
    errno = 0;
    unsigned long long v = strtoull(value, &end, 0);
    if (end == value || *end || errno || *value == '-')
        return bad_term(c, "write it in decimal or as 0x…", term, "its value is not a number");
    return set_format_field(c, term, v);
}

static int apply_terms(struct term_context *c, const char *terms)
{
    char copy[512], *rest = copy;
    if (strlen(terms) >= sizeof copy)
        return bad_term(c, NULL, "…", "the list of terms is too long");
    snprintf(copy, sizeof copy, "%s", terms);
    for (char *term; (term = strsep(&rest, ","));) {
        term += strspn(term, " \t");
        term[strcspn(term, " \t\n")] = 0;
        int rc = *term ? apply_term(c, term) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

int pmu_encode(const struct pmu *pmu, const char *terms, struct perf_encoding *enc,
               struct error *err)
{
    struct term_context c = {.pmu = pmu, .enc = enc, .err = err};
    *enc = (struct perf_encoding){.type = pmu->type, .scale = 1};
    enc->scope = pmu->uncore ? EVENT_UNCORE : EVENT_CORE;
    enc->counters = pmu->core || pmu->uncore ? 1 : 0;
    snprintf(enc->pmu, sizeof enc->pmu, "%s", pmu->name);
    snprintf(enc->cpumask, sizeof enc->cpumask, "%s", pmu->cpus);
    return apply_terms(&c, terms);
}
