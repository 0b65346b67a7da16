/*
 * Reads the source files that the tool kept in the folder: snapshots.json lists them, and their
 * lines are added to the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/att/att_impl.h"
#include "base/watch.h"

enum { DEPTH_MAX = 64, KEPT_MAX = 4096, FILE_MAX = 8 << 20, LINE_CUT = 240, PATH_ROOM = 4096 };

/* --- snapshots.json: folders as objects, files as texts --- */

struct path {
    char text[PATH_ROOM];
    size_t end[DEPTH_MAX]; /* length of the path before each level */
    size_t depth, len;
};

static void append_att_path(struct path *p, const char *key)
{
    bool slash = p->len && p->text[p->len - 1] != '/';
    size_t n = strlen(key), room = sizeof p->text - p->len;
    if (n + slash + 1 > room)
        n = 0; /* longer than any path: it matches nothing */
    if (slash && n)
        p->text[p->len++] = '/';
    memcpy(p->text + p->len, key, n);
    p->text[p->len += n] = '\0';
}

static void keep_att_file(struct att *a, struct json *j, const struct path *p,
                          struct att_kept **out, uint32_t *n)
{
    size_t at = json_at(j);
    const char *file = json_text(j, "a file's name", &a->memory);
    if (j->rc == 0 && (!*file || strchr(file, '/') || strcmp(file, "..") == 0))
        json_fail(j, at, "\"%.60s\" is no name of a file in this folder", file);
    if (j->rc != 0 || *n == KEPT_MAX)
        return;
    *out = att_grow(*out, *n, sizeof **out);
    (*out)[(*n)++] = (struct att_kept){arena_strdup(&a->memory, p->text), file};
}

int att_parse_snapshots(struct att *a, struct json *j, struct att_kept **out, uint32_t *n)
{
    struct path *p = xcalloc(1, sizeof *p);
    char key[1024];
    bool more = json_object(j);
    while (more) {
        if (!json_key(j, key, sizeof key)) {
            if (j->rc != 0 || p->depth == 0)
                break;
            p->text[p->len = p->end[--p->depth]] = '\0';
            continue;
        }
        size_t before = p->len;
        append_att_path(p, key);
        if (json_type(j) != '{') {
            keep_att_file(a, j, p, out, n);
            p->text[p->len = before] = '\0';
        } else if (p->depth == DEPTH_MAX) {
            json_fail(j, json_at(j), "folders more than %d deep", DEPTH_MAX);
        } else if (json_object(j)) {
            p->end[p->depth++] = before;
        }
    }
    json_end(j);
    free(p);
    return j->rc;
}

/* --- lines --- */

/* Whether two paths name the same file: the compiler and the tool may know a shorter or longer part
 * of the path. */
static bool is_same_source_file(const char *a, const char *b)
{
    size_t x = strlen(a), y = strlen(b);
    const char *longer = x > y ? a : b;
    const char *shorter = x > y ? b : a;
    size_t more = x > y ? x - y : y - x;
    return *shorter && strcmp(longer + more, shorter) == 0 &&
           (more == 0 || longer[more - 1] == '/' || *shorter == '/');
}

struct att_lines {
    const char **text;
    uint32_t n;
};

static void split_lines(struct att_lines *l, const char *text, size_t size)
{
    for (const char *s = text, *end = text + size; s < end;) {
        const char *stop = memchr(s, '\n', (size_t)(end - s));
        l->text = att_grow(l->text, l->n, sizeof *l->text);
        l->text[l->n++] = s;
        s = stop ? stop + 1 : end;
    }
}

static const char *trim_source_line(struct arena *memory, const char *s, const char *end)
{
    const char *stop = memchr(s, '\n', (size_t)(end - s));
    stop = stop ? stop : end;
    while (s < stop && (*s == ' ' || *s == '\t'))
        s++;
    while (s < stop && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
        stop--;
    return arena_strndup(memory, s, (size_t)(stop - s) < LINE_CUT ? (size_t)(stop - s) : LINE_CUT);
}

static void give_lines(struct att *a, const char *path, const char *text, size_t size)
{
    struct att_lines l = {0};
    const char *last = NULL; /* consecutive rows of one file share its name */
    bool same = false;
    split_lines(&l, text, size);
    const char **made = xcalloc(l.n + 1u, sizeof *made);
    for (uint32_t i = 0; i < a->nrows; i++) {
        struct att_row *r = &a->rows[i];
        if (r->file != last)
            same = is_same_source_file(last = r->file, path);
        if (!same || r->text || r->source_line == 0 || r->source_line > l.n)
            continue;
        uint32_t k = r->source_line - 1;
        if (!made[k])
            made[k] = trim_source_line(&a->memory, l.text[k], text + size);
        r->text = made[k];
    }
    free(made);
    free(l.text);
}

void att_read_source(struct att *a, const char *dir, const struct att_kept *kept, uint32_t n)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < n && !watch_given_up(); i++) {
        struct att_text t;
        struct error why = ERROR_INIT;
        int rc = att_text_read(&t, dir, kept[i].file, FILE_MAX, &why);
        if (rc != 0) {
            missing++;
            if (missing == 1)
                att_note(a, "%s: %s", kept[i].file, why.why);
            continue;
        }
        give_lines(a, kept[i].path, t.text, t.size);
        att_text_free(&t);
    }
    if (missing > 1)
        att_note(a, "%u source files in all could not be read", missing);
}
