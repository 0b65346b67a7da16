/* The steps of a capture, one call each. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/writer/writer_impl.h"

int writer_fail(struct capture_writer *w, int code, const char *what)
{
    const char *text = strerrordesc_np(code);
    if (w->failed)
        return w->failed;
    if (text)
        snprintf(w->why, sizeof w->why, "%s: %s", what, text);
    else
        snprintf(w->why, sizeof w->why, "%s: error %d", what, code);
    w->failed = code;
    return code;
}

void writer_force(struct capture_writer *w, enum writer_encoding encoding)
{
    w->encoding = encoding;
}

const char *writer_why(const struct capture_writer *w)
{
    return w->why;
}

uint64_t writer_stored(const struct capture_writer *w)
{
    return w->stored;
}

/* --- contents --- */

int writer_code(struct capture_writer *w, const void *kernarg, size_t kernarg_size,
                const void *code, size_t code_size)
{
    struct quiet q;
    quiet_begin(&q);
    w->kernarg_sum = sum_bytes(kernarg, kernarg_size);
    w->code_sum = sum_bytes(code, code_size);
    int rc = folder_file(w, CAPTURE_KERNARG, kernarg, kernarg_size);
    if (rc == 0)
        rc = folder_file(w, CAPTURE_CODE, code, code_size);
    w->has_code = rc == 0;
    quiet_end(&q);
    return rc;
}

static bool regions_in_order(const struct writer_region *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (r[i].size > UINT64_MAX - r[i].base ||
            (i > 0 && r[i].base < r[i - 1].base + r[i - 1].size))
            return false;
    return true;
}

static size_t count_blocks(const struct writer_region *r, size_t n)
{
    size_t blocks = 0;
    for (size_t i = 0; i < n; i++)
        blocks += blob_blocks(r[i].size);
    return blocks;
}

static void stream_of(struct stream *s, const struct writer_region *r, const char *folder,
                      struct writer_blob *blob, char *error)
{
    *s = (struct stream){.address = r->base,
                         .size = r->size,
                         .blob = blob,
                         .error = error,
                         .whole = strcmp(r->segment, "device") == 0};
    snprintf(s->name, sizeof s->name, "%s/region_%llx.bin", folder, (unsigned long long)r->base);
}

static int write_pass_before(struct capture_writer *w, struct writer_region *regions, size_t n,
                             struct writer_pass *p)
{
    size_t at = 0;
    w->nregions = n;
    w->nsums = count_blocks(regions, n);
    w->sums = writer_map(w->nsums * sizeof *w->sums);
    p->streams = writer_map(n * sizeof *p->streams);
    if (!w->sums || !p->streams)
        return writer_fail(w, ENOMEM, CAPTURE_MEMORY);
    for (size_t i = 0; i < n; i++) {
        regions[i].before = regions[i].after = (struct writer_blob){.written = false};
        regions[i].error[0] = '\0';
        stream_of(&p->streams[i], &regions[i], CAPTURE_MEMORY, &regions[i].before,
                  regions[i].error);
        p->streams[i].sums = w->sums + at;
        at += blob_blocks(regions[i].size);
    }
    return blobs_run(w, p);
}

int writer_before(struct capture_writer *w, struct writer_region *regions, size_t n,
                  capture_read read, void *ctx, _Atomic uint64_t *progress)
{
    struct quiet q;
    struct writer_pass p = {.n = n, .read = read, .ctx = ctx, .progress = progress};
    if (w->sums || !regions_in_order(regions, n))
        return writer_fail(w, EINVAL, CAPTURE_REGIONS);
    quiet_begin(&q);
    int rc = write_pass_before(w, regions, n, &p);
    writer_unmap(p.streams, n * sizeof *p.streams);
    quiet_end(&q);
    return rc;
}

/* The first pass finds what changed and writes nothing; the second writes the changes. */
static int write_passes_after(struct capture_writer *w, struct writer_region *regions, size_t n,
                              struct writer_pass *p, uint64_t *sums)
{
    struct writer_pass second = *p;
    second.progress = NULL; /* only the first pass counts progress */
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (regions[i].before.written) {
            struct stream *s = &p->streams[p->n++];
            stream_of(s, &regions[i], CAPTURE_AFTER, NULL, regions[i].error);
            s->before = w->sums + at;
            s->sums = sums + at;
        }
        at += blob_blocks(regions[i].size);
    }
    int rc = blobs_run(w, p);
    for (size_t i = 0, k = 0; rc == 0 && i < n; i++) {
        if (!regions[i].before.written)
            continue;
        const struct stream *s = &p->streams[k++];
        regions[i].after.same = !s->changed && !s->failed;
        if (!s->changed || s->failed)
            continue;
        struct stream *again = &second.streams[second.n++];
        uint64_t *own = s->sums;
        stream_of(again, &regions[i], CAPTURE_AFTER, &regions[i].after, regions[i].error);
        again->sums = own;
    }
    return rc ? rc : blobs_run(w, &second);
}

int writer_after(struct capture_writer *w, struct writer_region *regions, size_t n,
                 capture_read read, void *ctx, _Atomic uint64_t *progress)
{
    struct quiet q;
    struct writer_pass p = {.read = read, .ctx = ctx, .progress = progress};
    if (!w->sums || n != w->nregions || count_blocks(regions, n) != w->nsums)
        return writer_fail(w, EINVAL, CAPTURE_AFTER);
    /* it was removed because it was empty */
    if (w->ended && mkdirat(w->folder, CAPTURE_AFTER, 0700) != 0)
        return writer_fail(w, errno, CAPTURE_AFTER);
    quiet_begin(&q);
    p.streams = writer_map(n * sizeof *p.streams);
    uint64_t *sums = writer_map(w->nsums * sizeof *sums);
    int rc = p.streams && sums ? write_passes_after(w, regions, n, &p, sums)
                               : writer_fail(w, ENOMEM, CAPTURE_AFTER);
    if (rc && w->ended) /* an earlier complete capture stays complete, without parts of this */
        folder_drop(w, CAPTURE_AFTER);
    writer_unmap(p.streams, n * sizeof *p.streams);
    writer_unmap(sums, w->nsums * sizeof *sums);
    quiet_end(&q);
    return rc;
}

static int run_variables(struct capture_writer *w, struct writer_variable *variables, size_t n,
                         struct writer_pass *p, struct writer_blob *blobs)
{
    for (size_t i = 0; i < n; i++) {
        struct stream *s = &p->streams[i];
        *s = (struct stream){.address = variables[i].address,
                             .size = variables[i].size,
                             .blob = &blobs[i],
                             .raw = true};
        s->sums = writer_map(blob_blocks(s->size) * sizeof *s->sums);
        if (!s->sums)
            return writer_fail(w, ENOMEM, CAPTURE_VARIABLES);
        snprintf(s->name, sizeof s->name, CAPTURE_VARIABLES "/%zu.bin", i);
    }
    int rc = blobs_run(w, p);
    for (size_t i = 0; i < n; i++) {
        variables[i].written = blobs[i].written;
        variables[i].checksum = blobs[i].checksum;
    }
    return rc;
}

int writer_variables(struct capture_writer *w, struct writer_variable *variables, size_t n,
                     capture_read read, void *ctx)
{
    struct quiet q;
    struct writer_pass p = {.n = n, .read = read, .ctx = ctx};
    quiet_begin(&q);
    p.streams = writer_map(n * sizeof *p.streams);
    struct writer_blob *blobs = writer_map(n * sizeof *blobs);
    int rc = p.streams && blobs ? run_variables(w, variables, n, &p, blobs)
                                : writer_fail(w, ENOMEM, CAPTURE_VARIABLES);
    for (size_t i = 0; p.streams && i < n; i++)
        writer_unmap(p.streams[i].sums, blob_blocks(p.streams[i].size) * sizeof(uint64_t));
    writer_unmap(p.streams, n * sizeof *p.streams);
    writer_unmap(blobs, n * sizeof *blobs);
    quiet_end(&q);
    return rc;
}

/* --- finishing --- */

static void write_completion(struct writer_text *t, const struct writer_text *dispatch,
                             const struct writer_text *regions)
{
    char digits[SUM_TEXT];
    text_put(t, CAPTURE_FORMAT " ");
    text_number(t, CAPTURE_VERSION);
    text_put(t, "\n");
    text_put(t, sum_text(sum_bytes(dispatch->p, dispatch->n), digits));
    text_put(t, "  " CAPTURE_DISPATCH "\n");
    text_put(t, sum_text(sum_bytes(regions->p, regions->n), digits));
    text_put(t, "  " CAPTURE_REGIONS "\n");
}

int writer_finish(struct capture_writer *w, const struct writer_dispatch *d,
                  const struct writer_region *regions, size_t nregions,
                  const struct writer_variable *variables, size_t nvariables)
{
    struct quiet q;
    struct writer_text dispatch = {.n = 0}, memory = {.n = 0}, end = {.n = 0};
    quiet_begin(&q);
    json_dispatch(&dispatch, w, d, variables, nvariables);
    json_regions(&memory, regions, nregions);
    write_completion(&end, &dispatch, &memory);
    int rc = w->failed;
    if (rc == 0 && (dispatch.failed || memory.failed || end.failed))
        rc = writer_fail(w, ENOMEM, CAPTURE_DISPATCH);
    const struct folder_text files[] = {{CAPTURE_DISPATCH, dispatch.p, dispatch.n},
                                        {CAPTURE_REGIONS, memory.p, memory.n},
                                        {CAPTURE_COMPLETE, end.p, end.n}};
    if (rc == 0)
        rc = folder_files(w, files, sizeof files / sizeof *files);
    if (rc && w->ended) /* restore the state of the first finish */
        folder_drop(w, CAPTURE_AFTER);
    w->ended = w->ended || rc == 0;
    text_free(&dispatch);
    text_free(&memory);
    text_free(&end);
    quiet_end(&q);
    return rc;
}
