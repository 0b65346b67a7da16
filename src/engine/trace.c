#include "engine/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 512 };

const struct reader_ops *trace_reader(const char *path, struct error *err)
{
    unsigned char head[HEAD];
    struct stat st;
    char known[256] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t n = -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    else if (fd >= 0)
        n = read(fd, head, sizeof head);
    int code = errno;
    if (fd >= 0)
        close(fd);
    if (n < 0) {
        error_set(err, ERROR_INPUT, code, NULL, path, "%s", strerror(code));
        return NULL;
    }
    for (size_t i = 0; readers[i]; i++) {
        if (readers[i]->recognise(head, (size_t)n))
            return readers[i];
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 readers[i]->summary);
    }
    error_set(err, ERROR_INPUT, EINVAL, NULL, path, "none of the formats it could be: %s", known);
    return NULL;
}

int trace_open(struct trace *out, const char *const *paths, size_t n, struct error *err)
{
    int rc = 0;
    *out = (struct trace){.sums = graph_new(), .calls = graph_new()};
    for (size_t i = 0; i < n && rc == 0; i++) {
        const struct reader_ops *r = trace_reader(paths[i], err);
        rc = r ? r->read(paths[i], out, err) : -EINVAL;
    }
    graph_finish(out->sums);
    graph_finish(out->calls);
    return rc;
}

int trace_code(struct trace_code *out, const char *path, uint64_t hash, struct error *err)
{
    const struct reader_ops *r = trace_reader(path, err);
    *out = (struct trace_code){.kind = ""};
    if (!r)
        return -EINVAL;
    if (!r->code)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, NULL, path, "such files hold no code");
    return r->code(out, path, hash, err);
}

void trace_code_free(struct trace_code *c)
{
    free(c->bytes);
    *c = (struct trace_code){.kind = ""};
}

void trace_free(struct trace *t)
{
    graph_unref(t->sums);
    graph_unref(t->calls);
    *t = (struct trace){0};
}
