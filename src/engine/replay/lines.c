#include "engine/replay/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/list.h"

enum { CHUNK = 1 << 14 };

void lines_open(struct lines *l, int fd, size_t most)
{
    *l = (struct lines){.fd = fd, .most = most};
}

static void keep_text(struct lines *l, const char *p, size_t n)
{
    if (l->skip)
        return;
    if (l->n + n > l->most) {
        l->skip = true;
        l->over++;
        l->n = 0;
        return;
    }
    LIST_FIT(l->text, l->n + n, l->cap);
    memcpy(l->text + l->n, p, n);
    l->n += n;
}

static void take_text(struct lines *l, const char *p, size_t n, lines_fn *fn, void *ctx)
{
    while (n > 0) {
        const char *end = memchr(p, '\n', n);
        size_t part = end ? (size_t)(end - p) : n;
        keep_text(l, p, part);
        if (!end)
            return;
        if (!l->skip)
            fn(ctx, l->n ? l->text : "", l->n);
        l->skip = false;
        l->n = 0;
        p += part + 1;
        n -= part + 1;
    }
}

void lines_read(struct lines *l, size_t at_once, lines_fn *fn, void *ctx)
{
    char chunk[CHUNK];
    for (size_t got = 0; got < at_once && l->fd >= 0;) {
        ssize_t n = read(l->fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            l->closed = n == 0 || errno != EAGAIN;
            return;
        }
        got += (size_t)n;
        l->bytes += (size_t)n;
        take_text(l, chunk, (size_t)n, fn, ctx);
    }
}

void lines_rest(struct lines *l, lines_fn *fn, void *ctx)
{
    if (l->n && !l->skip)
        fn(ctx, l->text, l->n);
    l->n = 0;
}

void lines_close(struct lines *l)
{
    if (l->fd >= 0)
        close(l->fd);
    free(l->text);
    *l = (struct lines){.fd = -1};
}
