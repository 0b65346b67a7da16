/* Code of kernels that a file of a trace keeps. */
#include <errno.h>
#include <stdlib.h>

#include "engine/trace/trace.h"

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

int trace_codes(struct trace_code_row **out, uint32_t *n, const char *path, struct error *err)
{
    const struct reader_ops *r = trace_reader(path, err);
    *out = NULL;
    *n = 0;
    if (!r)
        return -EINVAL;
    if (!r->codes)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
                         "programs keep it with rooftop_code: docs/BRICKS.md", path,
                         "such files hold no code");
    return r->codes(out, n, path, err);
}

void trace_code_free(struct trace_code *c)
{
    free(c->bytes);
    *c = (struct trace_code){.kind = ""};
}
