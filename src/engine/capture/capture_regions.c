/* Reads memory_regions.json. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/capture/capture_impl.h"
#include "format/capture.h"

enum { FRAME_LEAST = 9 }; /* bytes of the smallest zstd frame that contains its size */

static const uint64_t bytes_most = UINT64_C(1)
                                   << 47; /* limit for all regions together: the address space */

struct regions_reading {
    struct json_doc d;
    const cJSON *in; /* the region's JSON object */
    char where[40];  /* "regions[3]" */
    struct capture_region *r;
};

static int refuse_key(const struct regions_reading *x, const char *key, const char *what)
{
    return json_doc_refuse(&x->d, x->where, key, what);
}

/* --- blobs --- */

static int read_encoding(const struct regions_reading *x, const cJSON *in, const char *where,
                         struct capture_blob *b)
{
    const char *encoding = NULL;
    char what[96];
    int rc = doc_text(&x->d, in, where, "encoding", JSON_MUST, &encoding);
    if (rc)
        return rc;
    b->encoding = strcmp(encoding, "zstd") == 0 ? CAPTURE_ZSTD : CAPTURE_RAW;
    if (b->encoding == CAPTURE_ZSTD || strcmp(encoding, "raw") == 0)
        return 0;
    snprintf(what, sizeof what, "'%.40s' is not known", encoding);
    return json_doc_refuse(&x->d, where, "encoding", what);
}

static int read_blob(const struct regions_reading *x, const cJSON *in, const char *where,
                     struct capture_blob *b)
{
    uint64_t size = x->r->size;
    int rc = doc_text(&x->d, in, where, "file", JSON_MUST, &b->file);
    if (rc == 0)
        rc = read_encoding(x, in, where, b);
    if (rc == 0)
        rc = json_whole(&x->d, in, where, "stored", JSON_MUST, json_most, &b->stored);
    if (rc == 0)
        rc = json_sum(&x->d, in, where, "checksum", JSON_MUST, &b->checksum, &b->has_checksum);
    if (rc)
        return rc;
    if (b->encoding == CAPTURE_RAW && b->stored != size)
        return json_doc_refuse(&x->d, where, "stored", "not the region's size");
    if (b->encoding == CAPTURE_ZSTD && b->stored / FRAME_LEAST < (size - 1) / CAPTURE_BLOCK + 1)
        return json_doc_refuse(&x->d, where, "stored", "too small for the region's size");
    return capture_file_check(x->d.o, b, size, x->d.err);
}

/* Captures of other tools: the file's name follows from the base address, and the content is
 * raw. */
static int foreign_blob(const struct regions_reading *x)
{
    struct capture_own *o = x->d.o;
    struct capture_blob *b = &x->r->before;
    *b = (struct capture_blob){
        .file = arena_printf(&o->memory, CAPTURE_MEMORY "/region_%" PRIx64 ".bin", x->r->base),
        .stored = x->r->size};
    if (o->c.origin == CAPTURE_KERNCAP && !capture_file_is(o, b->file)) {
        x->r->error = "kerncap could not read it";
        capture_note(o, "%s is absent: kerncap could not read that memory", b->file);
        b->file = NULL;
        return 0;
    }
    return capture_file_check(o, b, x->r->size, x->d.err);
}

static int read_after(const struct regions_reading *x)
{
    const cJSON *after = cJSON_GetObjectItemCaseSensitive(x->in, "after");
    char where[64];
    if (!after)
        return 0;
    snprintf(where, sizeof where, "%s.after", x->where);
    if (cJSON_IsString(after) && strcmp(after->valuestring, "same") == 0)
        x->r->after_same = true;
    else if (!cJSON_IsObject(after))
        return refuse_key(x, "after", "neither \"same\" nor an object");
    x->d.o->c.has_after = true;
    return x->r->after_same ? 0 : read_blob(x, after, where, &x->r->after);
}

static int read_own_blobs(const struct regions_reading *x)
{
    const char *error = NULL;
    int rc = doc_text(&x->d, x->in, x->where, "error", JSON_MAY, &error);
    if (rc)
        return rc;
    if (error && !cJSON_GetObjectItemCaseSensitive(x->in, "file")) {
        x->r->error = error;
        capture_note(x->d.o, "the %" PRIu64 " bytes at 0x%" PRIx64 " could not be read: %s",
                     x->r->size, x->r->base, error);
        return 0;
    }
    rc = read_blob(x, x->in, x->where, &x->r->before);
    return rc ? rc : read_after(x);
}

/* --- a region --- */

static int read_segment(const struct regions_reading *x)
{
    static const char *const names[] = {"device", "host", "kernarg"};
    const char *segment = NULL;
    char what[96];
    int rc = doc_text(&x->d, x->in, x->where, "segment", JSON_MUST, &segment);
    for (int i = 0; rc == 0 && i < 3; i++)
        if (strcmp(segment, names[i]) == 0) {
            x->r->segment = (enum capture_segment)i;
            return 0;
        }
    if (rc)
        return rc;
    snprintf(what, sizeof what, "'%.40s' is not known", segment);
    return refuse_key(x, "segment", what);
}

static int read_place(const struct regions_reading *x)
{
    struct capture_region *r = x->r;
    int rc = json_whole(&x->d, x->in, x->where, "base", JSON_MUST, json_most, &r->base);
    if (rc == 0)
        rc = json_whole(&x->d, x->in, x->where, "size", JSON_MUST, bytes_most, &r->size);
    if (rc)
        return rc;
    if (r->size == 0)
        return refuse_key(x, "size", "is 0");
    if (r->base + r->size > json_most)
        return refuse_key(x, "size", "it ends beyond all addresses");
    x->d.o->c.bytes += r->size;
    return x->d.o->c.bytes > bytes_most
               ? refuse_key(x, "size", "more memory than there are addresses")
               : 0;
}

static int read_reservation(const struct regions_reading *x)
{
    struct capture_region *r = x->r;
    int rc =
        json_whole(&x->d, x->in, x->where, "reserved_base", JSON_MAY, json_most, &r->reserved_base);
    if (rc == 0)
        rc = json_whole(&x->d, x->in, x->where, "reserved_size", JSON_MAY, bytes_most,
                        &r->reserved_size);
    if (rc || r->reserved_size == 0)
        return rc;
    if (r->reserved_base > r->base || r->reserved_base + r->reserved_size < r->base + r->size)
        return refuse_key(x, "reserved_base", "the region is not in its reservation");
    return 0;
}

static int read_region(const struct regions_reading *x)
{
    bool own = x->d.o->c.origin == CAPTURE_ROOFTOP;
    if (!cJSON_IsObject(x->in))
        return refuse_key(x, "", "not an object");
    int rc = read_place(x);
    if (rc == 0)
        rc = json_truth(&x->d, x->in, x->where, "is_vmem", &x->r->vmem);
    if (rc == 0)
        rc = json_truth(&x->d, x->in, x->where, "contains_kernarg", &x->r->contains_kernarg);
    x->r->segment = x->r->contains_kernarg ? CAPTURE_KERNARG_POOL : CAPTURE_DEVICE;
    if (rc == 0 && own)
        rc = read_segment(x);
    if (rc == 0 && own)
        rc = read_reservation(x);
    if (rc)
        return rc;
    return own ? read_own_blobs(x) : foreign_blob(x);
}

/* --- the whole document --- */

static int by_base(const void *a, const void *b)
{
    uint64_t x = ((const struct capture_region *)a)->base,
             y = ((const struct capture_region *)b)->base;
    return (x > y) - (x < y);
}

static int check_order(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    char where[40], what[80];
    if (c->origin != CAPTURE_ROOFTOP && c->nregions)
        qsort(c->regions, c->nregions, sizeof *c->regions, by_base);
    for (size_t i = 1; i < c->nregions; i++) {
        const struct capture_region *a = &c->regions[i - 1], *b = &c->regions[i];
        if (b->base >= a->base + a->size)
            continue;
        bool unsorted = b->base < a->base;
        snprintf(where, sizeof where, "regions[%zu]", i);
        snprintf(what, sizeof what, "0x%" PRIx64 " %s 0x%" PRIx64, b->base,
                 unsorted ? "comes after" : "overlaps the region at", a->base);
        return json_doc_refuse(d, where, "base", what);
    }
    return 0;
}

static int check_block_sizes(const struct json_doc *d)
{
    uint64_t block = CAPTURE_BLOCK, page = CAPTURE_PAGE;
    int rc = json_whole(d, d->root, "", "block_size", JSON_MAY, json_most, &block);
    if (rc == 0)
        rc = json_whole(d, d->root, "", "page_size", JSON_MAY, json_most, &page);
    if (rc == 0 && block != CAPTURE_BLOCK)
        rc = json_doc_refuse(d, "", "block_size", "not 4194304");
    return rc;
}

static int read_regions(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(d->root, "regions"), *in;
    size_t n = 0;
    if (!cJSON_IsArray(list))
        return json_doc_refuse(d, "", "regions", list ? "not a list" : "is missing");
    cJSON_ArrayForEach(in, list)
    {
        n++;
    }
    if (n > CAPTURE_REGIONS_MAX)
        return json_doc_refuse(d, "", "regions", "too many");
    c->regions = arena_alloc(&d->o->memory, n * sizeof *c->regions);
    int rc = check_block_sizes(d);
    cJSON_ArrayForEach(in, list)
    {
        struct regions_reading x = {.d = *d, .in = in, .r = &c->regions[c->nregions]};
        if (rc)
            break;
        snprintf(x.where, sizeof x.where, "regions[%zu]", c->nregions++);
        rc = read_region(&x);
    }
    return rc ? rc : check_order(d);
}

int capture_read_regions(struct capture_own *o, const char *text, size_t n, struct error *err)
{
    struct json_doc d = {.o = o, .file = CAPTURE_REGIONS, .err = err};
    int rc = json_doc_parse(&d, text, n, o->c.origin != CAPTURE_ROOFTOP);
    if (rc == 0)
        rc = read_regions(&d);
    if (rc == 0 && d.mended)
        capture_note(o, "%s: commas at the end of lists were ignored", d.file);
    json_doc_free(&d);
    return rc;
}
