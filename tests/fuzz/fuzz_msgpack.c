/* MessagePack, and the metadata of a code object in it: everything is read, and nothing beyond. */
#include <stdlib.h>
#include <string.h>

#include "gpu/code_note.h"

static size_t walk(const uint8_t *bytes, size_t size)
{
    struct msgpack r;
    struct msgpack_value v;
    size_t values = 0;
    uint8_t sum = 0;
    msgpack_open(&r, bytes, size);
    while (msgpack_next(&r, &v)) {
        values++;
        for (uint32_t i = 0; v.text && i < v.n; i++)
            sum ^= (uint8_t)v.text[i];
    }
    if (!r.bad && msgpack_at(&r) != size)
        abort();
    return values + (sum & 0);
}

/* Skipping whole values must end at the same place. */
static void skip(const uint8_t *bytes, size_t size, size_t values)
{
    struct msgpack r;
    struct msgpack_value v;
    msgpack_open(&r, bytes, size);
    while (msgpack_next(&r, &v) && msgpack_skip(&r, &v))
        ;
    if (msgpack_at(&r) > size || (values && msgpack_at(&r) == 0 && !r.bad))
        abort();
}

static void read_note(const uint8_t *bytes, size_t size)
{
    struct code_note n;
    struct code_note_kernel k;
    struct code_note_arg a;
    uint8_t sum = 0;
    if (!code_note_open(&n, bytes, size))
        return;
    while (code_note_next(&n, &k)) {
        for (uint32_t i = 0; i < k.name.n; i++)
            sum ^= (uint8_t)k.name.p[i];
        while (code_note_next_arg(&k, &a))
            if (a.kind >= CODE_ARG_KINDS || a.offset + a.size < a.offset || !a.kind_name.p)
                abort();
    }
    if (sum == 1 && size == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* of exactly this size, so that a sanitizer notices reads beyond its end */
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    skip(copy, size, walk(copy, size));
    read_note(copy, size);
    free(copy);
    return 0;
}
