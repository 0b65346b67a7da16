/* Parses the text of -e: "a,{b,c},d". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/encoding.h"
#include "base/arena.h"

enum { LIST_MAX = 256, TEXT_MAX = 65536 };

struct encoding_list {
    struct event_request *rows;
    size_t n;
    int set, next_set; /* set: of the open brace, -1 outside */
    struct error *err;
};

static int refuse_list_syntax(struct encoding_list *l, const char *list, const char *at,
                              const char *why)
{
    char what[64];
    snprintf(what, sizeof what, "event list, column %d", (int)(at - list) + 1);
    return error_set(l->err, ERROR_USAGE, EINVAL, "write events as a,{b,c},d", what, "%s", why);
}

/* Copies the name= term of the PMU form, else the spec without its modifiers. */
static void request_name(const char *spec, char *out, size_t size)
{
    const char *slash = strchr(spec, '/'), *end = strrchr(spec, '/');
    const char *given = slash ? strstr(slash, "name=") : NULL;
    if (given && given < end && (given[-1] == '/' || given[-1] == ',')) {
        snprintf(out, size, "%.*s", (int)strcspn(given + 5, ",/"), given + 5);
        if (*out)
            return;
    }
    size_t len = slash ? (size_t)(end + 1 - spec) : strlen(spec);
    const char *colon = slash ? NULL : strrchr(spec, ':');
    if (colon && colon != spec && strspn(colon + 1, "ukhpP") == strlen(colon + 1) && colon[1])
        len = (size_t)(colon - spec);
    snprintf(out, size, "%.*s", (int)(len < size ? len : size - 1), spec);
}

static int add_listed_event(struct encoding_list *l, const char *list, const char *from, size_t len)
{
    char spec[160];
    struct perf_encoding *enc;
    size_t n;
    while (len && strchr(" \t\r\n", *from))
        from++, len--;
    while (len && strchr(" \t\r\n", from[len - 1]))
        len--;
    if (!len)
        return refuse_list_syntax(l, list, from, "an event is missing here");
    if (len >= sizeof spec)
        return refuse_list_syntax(l, list, from, "an event's name is at most 159 characters");
    snprintf(spec, sizeof spec, "%.*s", (int)len, from);
    int rc = event_resolve_all(spec, &enc, &n, l->err);
    if (rc)
        return rc;
    if (l->n + n > LIST_MAX) {
        free(enc);
        return refuse_list_syntax(l, list, from, "more than 256 events");
    }
    l->rows = xrealloc(l->rows, l->n + n, sizeof *l->rows);
    for (size_t i = 0; i < n; i++) {
        struct event_request *r = &l->rows[l->n++];
        *r = (struct event_request){.set = l->set, .enc = enc[i]};
        request_name(spec, r->name, sizeof r->name);
        snprintf(r->spec, sizeof r->spec, "%s", spec);
    }
    free(enc);
    return 0;
}

/* Where the event that starts at p ends: at a comma or brace that is not between slashes. */
static const char *event_end(const char *p)
{
    for (bool terms = false; *p; p++) {
        if (*p == '/')
            terms = !terms;
        else if (!terms && strchr(",{}", *p))
            break;
    }
    return p;
}

static int parse_events(struct encoding_list *l, const char *list)
{
    const char *p = list;
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (*p == '{') {
            if (l->set >= 0)
                return refuse_list_syntax(l, list, p, "groups do not nest");
            l->set = l->next_set++;
            p++;
            continue;
        }
        const char *end = event_end(p);
        int rc = add_listed_event(l, list, p, (size_t)(end - p));
        if (rc)
            return rc;
        p = end;
        if (*p == '}') {
            if (l->set < 0)
                return refuse_list_syntax(l, list, p, "this '}' closes nothing");
            l->set = -1;
            p++;
            p += strspn(p, " \t\r\n");
        }
        if (!*p)
            return l->set < 0 ? 0 : refuse_list_syntax(l, list, p, "a '}' is missing");
        if (*p == '}')
            return refuse_list_syntax(l, list, p, "this '}' closes nothing");
        if (*p != ',')
            return refuse_list_syntax(l, list, p, "a comma should be here");
        p++;
    }
}

int event_list_parse(const char *list, struct event_request **out, size_t *n, struct error *err)
{
    struct encoding_list l = {.set = -1, .err = err};
    *out = NULL;
    *n = 0;
    int rc = strlen(list) > TEXT_MAX ? refuse_list_syntax(&l, list, list, "the list is too long")
                                     : parse_events(&l, list);
    if (rc) {
        free(l.rows);
        return rc;
    }
    *out = l.rows;
    *n = l.n;
    return 0;
}
