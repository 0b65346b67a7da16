#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tui/code.h"

void code_free(struct code *c)
{
    if (!c)
        return;
    free(c->lines);
    arena_free(&c->arena);
    free(c);
}

static bool cancelled(const bool *cancel)
{
    return __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

static bool add_line(struct code *c, size_t *cap, struct code_line line)
{
    if (c->n >= CODE_LINES_MAX)
        return false;
    if (c->n == *cap) {
        *cap = *cap ? *cap * 2 : 512;
        c->lines = xrealloc(c->lines, *cap, sizeof *c->lines);
    }
    c->lines[c->n++] = line;
    return true;
}

/* Tabs become spaces, to every fourth column: what the screen draws has no tabs. */
static const char *expand(struct arena *a, const char *s, size_t n)
{
    enum { TAB = 4, LONGEST = 1000 };
    char out[LONGEST + TAB + 1];
    size_t o = 0;
    for (size_t i = 0; i < n && o < LONGEST; i++) {
        if (s[i] != '\t') {
            out[o++] = s[i];
            continue;
        }
        do
            out[o++] = ' ';
        while (o % TAB);
    }
    out[o] = '\0';
    return arena_strdup(a, out);
}

static void split_lines(struct code *c, const char *text, size_t n)
{
    size_t cap = 0;
    for (size_t at = 0, line = 1; at < n; line++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t len = end ? (size_t)(end - text) - at : n - at;
        size_t shown = len && text[at + len - 1] == '\r' ? len - 1 : len;
        if (!add_line(c, &cap,
                      (struct code_line){.at = line, .text = expand(&c->arena, text + at, shown)}))
            return;
        at += len + 1;
    }
    if (c->n == 0)
        snprintf(c->why, sizeof c->why, "the file is empty");
}

/* A plain file, or why not. *text is malloc'ed. */
static int read_file(const char *path, char **text, size_t *len, const bool *cancel)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would keep us */
    if (fd < 0)
        return -errno;
    int rc = fstat(fd, &st) != 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
    if (rc == 0 && st.st_size > CODE_BYTES_MAX)
        rc = -EFBIG;
    size_t size = rc == 0 ? (size_t)st.st_size : 0;
    *text = xcalloc(size + 1, 1);
    *len = 0;
    while (rc == 0 && *len < size && !cancelled(cancel)) {
        ssize_t n = read(fd, *text + *len, size - *len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = -errno;
        if (n <= 0)
            break;
        *len += (size_t)n;
    }
    close(fd);
    return rc;
}

static void load_source(struct code *c, const struct code_request *r, const bool *cancel)
{
    char *text = NULL;
    size_t len = 0;
    if (!r->file[0]) {
        snprintf(c->why, sizeof c->why, "no debug information tells its source; compile with -g");
        return;
    }
    int rc = read_file(r->file, &text, &len, cancel);
    if (rc == 0)
        split_lines(c, text, len);
    else
        snprintf(c->why, sizeof c->why, "%.300s: %s", r->file,
                 rc == -EFBIG    ? "too large to show"
                 : rc == -EINVAL ? "not a plain file"
                 : rc == -ENOENT && r->file[0] != '/'
                     ? "not found from where rooftop runs; start it where the program was compiled"
                 : rc == -ENOENT ? "not on this machine"
                                 : strerror(-rc));
    free(text);
}

void code_load(struct code *out, const struct code_request *r, const bool *cancel)
{
    if (r->assembly)
        snprintf(out->why, sizeof out->why, "no disassembler is built in");
    else
        load_source(out, r, cancel);
}
