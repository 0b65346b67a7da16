/* Reads the code that a program keeps for its kernels. */
#include <stdlib.h>
#include <string.h>

#include "backends/bricks/brick_impl.h"

static void read_code_text(const struct brick_reader *r, uint32_t at, char out[256])
{
    memset(out, 0, 256);
    if (at && at < BRICK_STRINGS)
        brick_reader_get(r, r->header.strings + at, out,
                         BRICK_STRINGS - at < 255 ? BRICK_STRINGS - at : 255);
}

static bool get_code(const struct brick_reader *r, uint32_t i, struct brick_code *out)
{
    return i < r->header.ncodes && i < BRICK_CODES &&
           brick_reader_get(r, r->header.codes + i * sizeof *out, out, sizeof *out) &&
           out->size <= BRICK_CODE_MAX;
}

bool brick_reader_code_at(const struct brick_reader *r, uint32_t i, struct brick_code_row *out)
{
    struct brick_code c;
    if (!get_code(r, i, &c))
        return false;
    *out = (struct brick_code_row){.hash = c.hash, .kind = c.kind, .size = c.size};
    read_code_text(r, c.name, out->name);
    read_code_text(r, c.path, out->path);
    return true;
}

char *brick_reader_code(const struct brick_reader *r, uint64_t hash, size_t *size, uint32_t *kind,
                        const char **path)
{
    uint32_t n = r->header.ncodes < BRICK_CODES ? r->header.ncodes : BRICK_CODES;
    for (uint32_t i = n; i-- > 0;) {
        struct brick_code c;
        char name[256];
        if (!get_code(r, i, &c) || c.hash != hash)
            continue;
        char *bytes = xcalloc(1, c.size + 1);
        if (c.size && !brick_reader_get(r, c.offset, bytes, c.size))
            c.size = 0;
        read_code_text(r, c.path, name);
        *path = arena_strdup(&((struct brick_reader *)r)->texts, name);
        *size = c.size;
        *kind = c.kind;
        return bytes;
    }
    return NULL;
}
