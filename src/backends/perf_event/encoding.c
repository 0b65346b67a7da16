#include "backends/perf_event/encoding.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/encoding_names.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/arena.h"
#include "base/nearest.h"

enum { SPEC_MAX = 512 };

/* The modes that modifiers such as ":uk" select. */
struct modifiers {
    bool any, user, kernel, hv;
};

static int fail_encoding(struct error *err, enum error_kind kind, int code, const char *help,
                         const char *spec, const char *why)
{
    char what[192];
    snprintf(what, sizeof what, "event '%.150s'", spec);
    return error_set(err, kind, code, help, what, "%s", why);
}

/* Parses perf's modifiers. Precision ('p') matters only for sampling; here events are counted. */
static bool parse_modifiers(const char *text, struct modifiers *m)
{
    *m = (struct modifiers){0};
    if (!*text || strlen(text) > 8 || strspn(text, "ukhpP") != strlen(text))
        return false;
    m->user = strchr(text, 'u') != NULL;
    m->kernel = strchr(text, 'k') != NULL;
    m->hv = strchr(text, 'h') != NULL;
    m->any = m->user || m->kernel || m->hv;
    return true;
}

static int apply_modifiers(struct encodings *set, const struct modifiers *m, const char *spec,
                           struct error *err)
{
    for (size_t i = 0; i < set->n && m->any; i++) {
        struct perf_encoding *e = &set->rows[i];
        if (e->scope == EVENT_UNCORE)
            return fail_encoding(
                err, ERROR_USAGE, EINVAL, "leave the modifier out", spec,
                "this PMU counts for everything at once: it cannot tell user from kernel");
        e->exclude_user = !m->user;
        e->exclude_kernel = !m->kernel;
        e->exclude_hv = !m->hv;
    }
    return 0;
}

/* Resolves "PMU/terms/modifiers". */
static int resolve_sysfs(const char *spec, struct encodings *out, struct error *err)
{
    char name[64], terms[SPEC_MAX], help[192];
    const char *slash = strchr(spec, '/'), *end = strrchr(spec, '/');
    struct modifiers m = {0};
    if (slash == end || slash == spec || (size_t)(slash - spec) >= sizeof name)
        return fail_encoding(err, ERROR_USAGE, EINVAL, "write PMU/field=value,field=value/", spec,
                             "the PMU form needs a name and two slashes");
    const char *tail = end + 1 + (end[1] == ':');
    if (*tail && !parse_modifiers(tail, &m))
        return fail_encoding(err, ERROR_USAGE, EINVAL, "use u, k, h or p", spec,
                             "unknown modifier after '/'");
    snprintf(name, sizeof name, "%.*s", (int)(slash - spec), spec);
    snprintf(terms, sizeof terms, "%.*s", (int)(end - slash - 1), slash + 1);
    struct pmu *family = xcalloc(EVENT_MAX_PMUS, sizeof *family);
    size_t n = pmu_family(name, family, EVENT_MAX_PMUS);
    int rc = 0;
    if (!n) {
        struct nearest near;
        nearest_start(&near, name);
        pmu_offer_names(&near);
        snprintf(help, sizeof help, "did you mean PMU '%s'?", near.best[0]);
        char why[128];
        snprintf(why, sizeof why, "this machine has no PMU '%.60s'", name);
        rc = fail_encoding(err, ERROR_UNSUPPORTED, ENODEV, nearest_found(&near) ? help : NULL, spec,
                           why);
    }
    for (out->n = 0; out->n < n && rc == 0; out->n++)
        rc = pmu_encode(&family[out->n], terms, &out->rows[out->n], err);
    struct pmu cores[CORE_PMUS_MAX];
    for (size_t i = 0; i < out->n && rc == 0; i++) {
        if (!family[i].core)
            continue;
        out->rows[i].counters = counters_taken(PERF_TYPE_RAW, out->rows[i].config);
        out->rows[i].hybrid = pmu_cores(cores) > 1;
        if (!out->rows[i].hybrid)
            out->rows[i].cpumask[0] = 0;
    }
    free(family);
    return rc ? rc : apply_modifiers(out, &m, spec, err);
}

/* Resolves a name without modifiers. */
static int resolve_name(const char *name, struct encodings *out)
{
    int rc = names_generic(name, out);
    return rc == NOT_MINE ? names_raw(name, out) : rc;
}

/* Offers the event's own name, without its PMU and its unit mask. */
static void offer_name(void *nearest, const struct event_about *about)
{
    char name[NEAREST_NAME_MAX];
    const char *own = strstr(about->name, "::");
    own = own ? own + 2 : about->name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(own, ":"), own);
    nearest_offer(nearest, name);
}

static int refuse_unknown_event(const char *spec, struct error *err)
{
    char help[160], head[SPEC_MAX];
    struct nearest n;
    snprintf(head, sizeof head, "%s", spec);
    char *name = strstr(head, "::") ? strstr(head, "::") + 2 : head;
    name[strcspn(name, ":")] = 0;
    nearest_start(&n, name);
    names_generic_list(offer_name, &n);
    names_pfm_list(offer_name, &n);
    snprintf(help, sizeof help, "did you mean '%s'?", n.best[0]);
    return fail_encoding(err, ERROR_USAGE, ENOENT,
                         nearest_found(&n)
                             ? help
                             : "names are perf's (cycles), libpfm4's, raw codes (r1c2), "
                               "PMU/field=value/, or system:tracepoint",
                         spec, "unknown event");
}

static int resolve_plain(const char *spec, struct encodings *out, struct error *err)
{
    struct modifiers m = {0};
    struct error trace = ERROR_INIT;
    char head[SPEC_MAX];
    snprintf(head, sizeof head, "%s", spec);
    char *colon = strrchr(head, ':');
    bool modified = colon && colon != head && parse_modifiers(colon + 1, &m);
    if (modified)
        *colon = 0;
    else
        m = (struct modifiers){0};
    int rc = resolve_name(head, out);
    if (rc == NOT_MINE)
        rc = names_tracepoint(head, out, &trace);
    int trace_rc = rc;
    if (rc != 0)
        rc = names_pfm(spec, out); /* libpfm4 parses the modifiers itself */
    else
        return apply_modifiers(out, &m, spec, err);
    if (rc == 0)
        return 0;
    if (modified && names_pfm(head, out) == 0)
        return apply_modifiers(out, &m, spec, err);
    if (trace_rc < 0) {
        if (err)
            *err = trace;
        return trace_rc;
    }
    return refuse_unknown_event(spec, err);
}

/* Splits the catalog form "NAME=rCODE:modifiers", of which only the code is used. Returns the code
 * or NULL. */
static const char *catalog_code(const char *spec)
{
    const char *eq = strstr(spec, "=r");
    if (!eq || strchr(spec, '/'))
        return NULL;
    size_t digits = strspn(eq + 2, "0123456789abcdef");
    return digits && (!eq[2 + digits] || eq[2 + digits] == ':') ? eq + 1 : NULL;
}

/* Refuses a catalog row of the CPU's family that this CPU's PMU lacks: it would open and read 0. */
static int check_listed(const char *spec, const struct encodings *out, struct error *err)
{
    struct pmu cores[CORE_PMUS_MAX];
    size_t n = pmu_cores(cores);
    for (size_t i = 0; i < n; i++)
        if (pmu_lists_event(&cores[i], out->rows[0].config) == 0)
            return fail_encoding(err, ERROR_UNSUPPORTED, ENOENT, NULL, spec,
                                 "this CPU's PMU does not count it (not in its list of events)");
    return 0;
}

static int resolve_spec(const char *text, struct encodings *out, struct error *err)
{
    char spec[SPEC_MAX];
    text += strspn(text, " \t\r\n");
    size_t len = strlen(text);
    while (len && strchr(" \t\r\n", text[len - 1]))
        len--;
    if (!len || len >= sizeof spec)
        return fail_encoding(err, ERROR_USAGE, EINVAL, NULL, text,
                             len ? "the name is too long" : "the name is empty");
    snprintf(spec, sizeof spec, "%.*s", (int)len, text);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)spec[i] < ' ' || spec[i] == 127)
            return fail_encoding(err, ERROR_USAGE, EINVAL, NULL, "?",
                                 "the name has control characters");
    if (strchr(spec, '/'))
        return resolve_sysfs(spec, out, err);
    const char *code = catalog_code(spec);
    int rc = resolve_plain(code ? code : spec, out, err);
    return rc == 0 && code ? check_listed(spec, out, err) : rc;
}

int event_resolve_all(const char *spec, struct perf_encoding **out, size_t *n, struct error *err)
{
    struct encodings set; /* 24 KiB, not cleared: code that adds a row must fill all of it */
    set.n = 0;
    int rc = resolve_spec(spec, &set, err);
    *out = NULL;
    *n = 0;
    if (rc == 0) {
        *n = set.n;
        *out = xcalloc(set.n, sizeof **out);
        memcpy(*out, set.rows, set.n * sizeof **out);
    }
    return rc;
}

int event_resolve(const char *spec, struct perf_encoding *out, struct error *err)
{
    struct perf_encoding *all;
    size_t n;
    int rc = event_resolve_all(spec, &all, &n, err);
    if (rc == 0)
        *out = all[0];
    free(all);
    return rc;
}
