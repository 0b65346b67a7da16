#include "symbols/source/source_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/list.h"

enum { TAB = 8 };

struct source_text_owned {
    struct source_text t; /* first member: the caller frees it */
    const char **lines;
    size_t cap;
    struct arena arena;
};

static const char *clean_source_line(struct arena *a, const char *line, size_t len)
{
    char out[SOURCE_COLUMNS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < sizeof out; i++) {
        unsigned char c = (unsigned char)line[i];
        if (c == '\t') {
            do
                out[n++] = ' ';
            while (n % TAB && n + 1 < sizeof out);
        } else if (c >= ' ' && c != 0x7f) {
            out[n++] = (char)c;
        }
    }
    /* A multi-byte character is not cut in two. */
    if (n + 1 == sizeof out) {
        while (n && ((unsigned char)out[n - 1] & 0xc0) == 0x80)
            n--;
        if (n && (unsigned char)out[n - 1] >= 0xc0)
            n--;
    }
    return arena_strndup(a, out, n);
}

static void add_source_line(struct source_text_owned *t, const char *line, size_t len)
{
    LIST_ADD(t->lines, t->t.n, t->cap, clean_source_line(&t->arena, line, len));
}

static int open_source_text(const char *path, struct stat *state, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    int code = fd < 0 ? errno : 0;
    const char *why = fd < 0 ? strerror(code) : NULL;
    if (fd >= 0 && fstat(fd, state) != 0) {
        code = errno;
        why = strerror(code);
    } else if (fd >= 0 && !S_ISREG(state->st_mode)) {
        code = EINVAL;
        why = "not a plain file";
    } else if (fd >= 0 && state->st_size > SOURCE_BYTES_MAX) {
        code = EFBIG;
        why = "longer than 32 MiB";
    }
    if (code == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return error_set(err, code == EACCES ? ERROR_PERMISSION : ERROR_INPUT, code,
                     code == ENOENT ? "open the source where it was compiled" : NULL, path, "%s",
                     why);
}

int source_text_read(const char *path, const char *program, int first, int last,
                     struct source_text **out, struct error *err)
{
    struct stat state = {0}, built;
    char *line = NULL;
    size_t room = 0;
    *out = NULL;
    int fd = open_source_text(path, &state, err);
    if (fd < 0)
        return fd;
    FILE *f = fdopen(fd, "r");
    if (!f) {
        close(fd);
        return error_set(err, ERROR_INPUT, errno, NULL, path, "cannot be read");
    }
    struct source_text_owned *t = xcalloc(1, sizeof *t);
    t->t.first = first > 1 ? first : 1;
    for (int number = 1; number <= last && t->t.n < SOURCE_LINES_MAX; number++) {
        ssize_t n = getline(&line, &room, f);
        if (n < 0)
            break;
        if (number >= t->t.first)
            add_source_line(t, line, (size_t)n);
    }
    free(line);
    fclose(f);
    t->t.newer = program && stat(program, &built) == 0 && state.st_mtime > built.st_mtime;
    t->t.lines = t->lines;
    *out = &t->t;
    if (t->t.n)
        return 0;
    source_text_free(&t->t);
    *out = NULL;
    return error_set(err, ERROR_INPUT, ENODATA, NULL, path, "it has no line %d", first);
}

void source_text_free(struct source_text *s)
{
    struct source_text_owned *t = (struct source_text_owned *)s;
    if (!t)
        return;
    arena_free(&t->arena);
    free(t->lines);
    free(t);
}
