#include "engine/optimize/diff.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* A line without its newline; whole: it had one. */
struct line {
    const char *at;
    size_t n;
    bool whole;
};

struct lines {
    const char *at, *end;
    size_t number; /* of the line taken last, from 1 */
};

struct applying {
    const char *path;
    struct lines from, diff; /* the text, the diff */
    char *out;
    size_t n, most;
    struct error *err;
};

struct hunk {
    size_t from, n_from, to, n_to;
};

static bool take_diff_line(struct lines *l, struct line *out)
{
    if (l->at == l->end)
        return false;
    const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
    *out = (struct line){l->at, (size_t)((end ? end : l->end) - l->at), end != NULL};
    l->at = end ? end + 1 : l->end;
    l->number++;
    return true;
}

static bool line_begins_with(const struct line *l, const char *with)
{
    const size_t n = strlen(with);
    return l->n >= n && memcmp(l->at, with, n) == 0;
}

static int refuse_diff(const struct applying *a, const char *why)
{
    char where[64];
    snprintf(where, sizeof where, "diff, line %zu", a->diff.number);
    return error_set(a->err, ERROR_INPUT, EINVAL, NULL, where, "%s", why);
}

bool diff_is(const char *text, size_t n)
{
    const struct line l = {text, n, false};
    return line_begins_with(&l, "--- ") || line_begins_with(&l, "diff --git ");
}

/* --- the head --- */

/* "--- a/src/x.c 2026-01-01": the text after a tabulator does not belong to the name. */
static bool names_source(const struct applying *a, const struct line *l, char side)
{
    const char *at = l->at + 4, *last = strrchr(a->path, '/');
    const char *tab = memchr(at, '\t', l->n - 4);
    size_t n = tab ? (size_t)(tab - at) : l->n - 4;
    const char prefix[] = {side, '/'};
    if (n > 2 && memcmp(at, prefix, sizeof prefix) == 0) {
        at += 2;
        n -= 2;
    }
    last = last ? last + 1 : a->path;
    return (strlen(a->path) == n && memcmp(at, a->path, n) == 0) ||
           (strlen(last) == n && memcmp(at, last, n) == 0);
}

static int read_diff_head(struct applying *a)
{
    struct line l;
    bool more = take_diff_line(&a->diff, &l);
    if (more && line_begins_with(&l, "diff --git "))
        more = take_diff_line(&a->diff, &l);
    if (more && line_begins_with(&l, "index "))
        more = take_diff_line(&a->diff, &l);
    if (!more || !line_begins_with(&l, "--- "))
        return refuse_diff(a, "'--- FILE' is missing");
    if (!names_source(a, &l, 'a'))
        return refuse_diff(a, "it names another file than the source");
    if (!take_diff_line(&a->diff, &l) || !line_begins_with(&l, "+++ "))
        return refuse_diff(a, "'+++ FILE' is missing");
    if (!names_source(a, &l, 'b'))
        return refuse_diff(a, "it names another file than the source");
    return 0;
}

/* A whole number of at most nine digits. */
static bool read_hunk_number(const char **at, const char *end, size_t *out)
{
    const char *begin = *at;
    *out = 0;
    while (*at < end && isdigit((unsigned char)**at) && *at - begin < 9)
        *out = *out * 10 + (size_t)(*(*at)++ - '0');
    return *at > begin && !(*at < end && isdigit((unsigned char)**at));
}

/* "12,3", or "12", which is "12,1". */
static bool read_hunk_range(const char **at, const char *end, size_t *first, size_t *n)
{
    *n = 1;
    if (!read_hunk_number(at, end, first))
        return false;
    if (*at == end || **at != ',')
        return true;
    ++*at;
    return read_hunk_number(at, end, n);
}

static bool read_diff_word(const char **at, const char *end, const char *text)
{
    const size_t n = strlen(text);
    if ((size_t)(end - *at) < n || memcmp(*at, text, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool read_hunk(const struct line *l, struct hunk *h)
{
    const char *at = l->at, *end = l->at + l->n;
    return read_diff_word(&at, end, "@@ -") && read_hunk_range(&at, end, &h->from, &h->n_from) &&
           read_diff_word(&at, end, " +") && read_hunk_range(&at, end, &h->to, &h->n_to) &&
           read_diff_word(&at, end, " @@") && (at == end || *at == ' ');
}

/* --- the body --- */

static int put_source_line(struct applying *a, const struct line *l)
{
    if (l->n + 1 > a->most - a->n)
        return error_set(a->err, ERROR_INPUT, EFBIG, NULL, a->path,
                         "the diff makes it larger than %zu bytes", a->most);
    memcpy(a->out + a->n, l->at, l->n);
    a->n += l->n;
    if (l->whole)
        a->out[a->n++] = '\n';
    return 0;
}

/* Copies the text's lines up to the one with this number, which is not taken. */
static int copy_before(struct applying *a, size_t number)
{
    struct line l;
    while (a->from.number + 1 < number) {
        if (!take_diff_line(&a->from, &l))
            return refuse_diff(a, "the hunk begins behind the end of the source");
        const int rc = put_source_line(a, &l);
        if (rc)
            return rc;
    }
    return 0;
}

/* A line of the hunk without its mark; "\ No newline at end of file" after it removes its
 * newline. */
static char take_body(struct applying *a, struct line *l)
{
    struct lines next;
    struct line note;
    if (!take_diff_line(&a->diff, l))
        return '\0';
    const char mark = l->n ? *l->at : ' '; /* many programs drop the last space of a line */
    if (l->n) {
        l->at++;
        l->n--;
    }
    l->whole = true;
    next = a->diff;
    if (take_diff_line(&next, &note) && line_begins_with(&note, "\\ ")) {
        l->whole = false;
        a->diff = next;
    }
    return mark;
}

/* Takes the text's next line, which must be this one. */
static int expect_source_line(struct applying *a, const struct line *wanted)
{
    struct line l;
    if (!take_diff_line(&a->from, &l) || l.n != wanted->n || memcmp(l.at, wanted->at, l.n) != 0)
        return refuse_diff(a, "the source has another line there");
    return l.whole == wanted->whole ? 0 : refuse_diff(a, "the end of the source is another one");
}

static int apply_hunk(struct applying *a, struct hunk h)
{
    struct line l;
    while (h.n_from || h.n_to) {
        const char mark = take_body(a, &l);
        const bool old = mark == ' ' || mark == '-', new = mark == ' ' || mark == '+';
        if (!old && !new)
            return refuse_diff(a, mark ? "no line of a hunk begins so" : "the hunk is cut off");
        if ((old && h.n_from == 0) || (new &&h.n_to == 0))
            return refuse_diff(a, "the hunk has more lines than its head says");
        int rc = old ? expect_source_line(a, &l) : 0;
        if (rc == 0 && new)
            rc = put_source_line(a, &l);
        if (rc)
            return rc;
        h.n_from -= old;
        h.n_to -= new;
    }
    return 0;
}

static int apply_all(struct applying *a)
{
    struct line l;
    struct hunk h;
    size_t lines_out = 0; /* lines that were added by the hunks so far, less those removed */
    int rc = read_diff_head(a);
    if (rc == 0 && a->diff.at == a->diff.end)
        return refuse_diff(a, "there is no hunk");
    while (rc == 0 && take_diff_line(&a->diff, &l)) {
        if (!read_hunk(&l, &h))
            return refuse_diff(a, "'@@ -LINE,LINES +LINE,LINES @@' is expected");
        /* A range of no lines is named by the line before it. */
        const size_t first = h.from + (h.n_from == 0), first_to = h.to + (h.n_to == 0);
        if (first == 0 || first_to == 0 || first <= a->from.number)
            return refuse_diff(a, "hunks stand in ascending order, from line 1");
        if (first_to != first + lines_out)
            return refuse_diff(a,
                               "the hunk's line in the new file does not follow from the others");
        rc = copy_before(a, first);
        if (rc == 0)
            rc = apply_hunk(a, h);
        lines_out += h.n_to - h.n_from;
    }
    while (rc == 0 && take_diff_line(&a->from, &l))
        rc = put_source_line(a, &l);
    return rc;
}

int diff_apply(const char *path, const char *text, size_t n, const char *diff, size_t n_diff,
               size_t most, char **out, size_t *n_out, struct error *err)
{
    struct applying a = {.path = path,
                         .from = {.at = text, .end = text + n},
                         .diff = {.at = diff, .end = diff + n_diff},
                         .most = n + n_diff + 2 < most ? n + n_diff + 2 : most,
                         .err = err};
    *out = NULL;
    if ((n && memchr(text, '\0', n)) || (n_diff && memchr(diff, '\0', n_diff)))
        return error_set(err, ERROR_INPUT, EINVAL, NULL, path, "there is a 0 in the text");
    a.out = xcalloc(1, a.most + 1);
    const int rc = apply_all(&a);
    if (rc != 0) {
        free(a.out);
        return rc;
    }
    *out = a.out;
    *n_out = a.n;
    return 0;
}
