#include "engine/fleet/host_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/fleet/fleet.h"
#include "engine/value/text_file.h"

enum { DIGITS = 9, FILE_MAX = 4 << 20, TRIED_MAX = 4 * FLEET_HOSTS_MAX };

static int refuse_host(struct error *err, const char *name, const char *why)
{
    return error_set(err, ERROR_USAGE, EINVAL,
                     "as in: node1,node2  user@node3  node[01-16,20]  2001:db8::1", name, "%s",
                     why);
}

static int refuse_character(struct error *err, const char *name, char c)
{
    char why[64];
    if (c == ' ')
        return refuse_host(err, name, "a comma stands between hosts, not a blank");
    if (isprint((unsigned char)c))
        snprintf(why, sizeof why, "no host's name has a '%c'", c);
    else
        snprintf(why, sizeof why, "no host's name has a byte %#x", (unsigned char)c);
    return refuse_host(err, name, why);
}

static int add_host_name(struct host_list *l, const char *name, struct error *err)
{
    if (!*name)
        return 0;
    if (++l->tried > TRIED_MAX)
        return refuse_host(err, name, "its ranges name too many hosts");
    if (*name == '-')
        return refuse_host(err, name, "ssh would take it for an option");
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("._-:@%+", *p))
            return refuse_character(err, name, *p);
    if (strlen(name) >= FLEET_NAME)
        return refuse_host(err, name, "the name is too long");
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->names[i], name) == 0)
            return 0;
    if (l->n == FLEET_HOSTS_MAX)
        return error_set(err, ERROR_USAGE, E2BIG, "name fewer hosts", name,
                         "more than %d hosts are named", FLEET_HOSTS_MAX);
    LIST_ADD(l->names, l->n, l->cap, xstrdup(name));
    return 0;
}

/* A range of a bracket: "01-16" or "7". */
struct host_range {
    uint64_t from, to;
    int width;
};

static bool read_host_range(const char **at, struct host_range *out)
{
    char *end;
    const char *p = *at;
    if (!isdigit((unsigned char)*p))
        return false;
    out->from = out->to = strtoull(p, &end, 10);
    out->width = (int)(end - p);
    if (*end == '-' && isdigit((unsigned char)end[1])) {
        p = end + 1;
        out->to = strtoull(p, &end, 10);
    }
    *at = end;
    return out->width <= DIGITS && end - p <= DIGITS && out->from <= out->to &&
           out->to - out->from < FLEET_HOSTS_MAX;
}

static int expand_host(struct host_list *l, const char *head, const char *rest, struct error *err);

/* One name for each number of a range, with what stands behind the bracket. */
static int add_host_range(struct host_list *l, const char *head, const struct host_range *r,
                          const char *rest, struct error *err)
{
    char name[FLEET_NAME];
    for (uint64_t i = r->from; i <= r->to; i++) {
        const int n =
            snprintf(name, sizeof name, "%s%0*llu", head, r->width, (unsigned long long)i);
        if (n < 0 || (size_t)n >= sizeof name)
            return refuse_host(err, head, "the name is too long");
        const int rc = expand_host(l, name, rest, err);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* [2001:db8::1]: ssh takes an address without its brackets. */
static int add_bracketed_address(struct host_list *l, const char *text, struct error *err)
{
    char name[FLEET_NAME];
    const size_t n = strcspn(text + 1, "]");
    if (text[1 + n] != ']' || text[2 + n])
        return refuse_host(err, text, "behind an address in brackets nothing may stand");
    if (n >= sizeof name)
        return refuse_host(err, text, "the name is too long");
    memcpy(name, text + 1, n);
    name[n] = '\0';
    return add_host_name(l, name, err);
}

/* Adds the names that head and rest stand for; only rest may have brackets. */
static int expand_host(struct host_list *l, const char *head, const char *rest, struct error *err)
{
    char name[FLEET_NAME];
    struct host_range r;
    const char *open = strchr(rest, '[');
    if (open && !*head && open == rest && strchr(rest, ':'))
        return add_bracketed_address(l, rest, err);
    const int n = snprintf(name, sizeof name, "%s%.*s", head,
                           open ? (int)(open - rest) : (int)strlen(rest), rest);
    if (n < 0 || (size_t)n >= sizeof name)
        return refuse_host(err, rest, "the name is too long");
    if (!open)
        return add_host_name(l, name, err);
    const char *close = strchr(open, ']');
    if (!close)
        return refuse_host(err, rest, "a bracket is not closed");
    for (const char *p = open + 1;; p++) {
        if (!read_host_range(&p, &r) || (*p != ',' && *p != ']'))
            return refuse_host(
                err, rest, "in brackets stand numbers and ranges, as 01-16,20, of 4096 at most");
        const int rc = add_host_range(l, name, &r, close + 1, err);
        if (rc != 0)
            return rc;
        if (*p == ']')
            return 0;
    }
}

/* The length of the first host of a list; a comma in brackets does not end it. */
static size_t measure_host(const char *p)
{
    size_t n = 0;
    for (int depth = 0; p[n] && p[n] != '\n' && (depth || p[n] != ','); n++) {
        depth += p[n] == '[';
        depth -= p[n] == ']' && depth;
    }
    return n;
}

int host_list_add(struct host_list *l, const char *text, struct error *err)
{
    char one[1024];
    while (*text) {
        const size_t n = measure_host(text);
        if (n >= sizeof one)
            return refuse_host(err, "the list of hosts", "one of its names is too long");
        memcpy(one, text, n);
        one[n] = '\0';
        const int rc = expand_host(l, "", one, err);
        if (rc != 0)
            return rc;
        text += n + (text[n] != '\0');
    }
    return 0;
}

/* Says in which line of the file the name stands that was refused. */
static void place_refusal(struct error *err, const char *path, size_t line)
{
    char name[sizeof err->what];
    snprintf(name, sizeof name, "%s", err->what);
    snprintf(err->what, sizeof err->what, "%.100s: line %zu: %.60s", path, line, name);
}

static int read_host_lines(struct host_list *l, char *text, const char *path, struct error *err)
{
    size_t n = 0;
    for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n")) {
        n++;
        line += strspn(line, " \t\r");
        line[strcspn(line, "# \t\r")] = '\0';
        const int rc = host_list_add(l, line, err);
        if (rc != 0) {
            place_refusal(err, path, n);
            return rc;
        }
    }
    if (l->n == 0)
        return error_set(err, ERROR_INPUT, ENOENT, "a name in each line", path, "it names no host");
    return 0;
}

int host_list_read(struct host_list *l, const char *path, struct error *err)
{
    char *text = NULL;
    size_t size;
    int rc = text_file_read_most(&text, &size, path, FILE_MAX, err);
    if (rc == -EFBIG)
        snprintf(err->help, sizeof err->help, "a name or a range in each line; is it this file?");
    if (rc == 0 && memchr(text, '\0', size))
        rc = error_set(err, ERROR_INPUT, EINVAL, "a name in each line", path,
                       "it has zero bytes, so it is no list of hosts");
    if (rc == 0)
        rc = read_host_lines(l, text, path, err);
    free(text);
    return rc;
}

void host_list_free(struct host_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->names[i]);
    free(l->names);
    *l = (struct host_list){.n = 0};
}
