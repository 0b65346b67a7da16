/* The documents of a capture: dispatch.json, memory_regions.json, and possibly kerncap's
 * metadata.json and module_variables.json, separated by the byte 0x1e (record separator). What is
 * accepted must be consistent. */
#include "capture_folder.h"

#include "engine/capture/capture.h"

enum { DOCUMENTS = 4, SEPARATOR = 0x1e };

static void check(const struct capture *c)
{
    uint64_t end = 0, bytes = 0;
    if (!*c->mangled_name || !c->grid[0] || !c->block[0])
        abort();
    for (size_t i = 0; i < c->nregions; i++) {
        const struct capture_region *r = &c->regions[i];
        if (r->size == 0 || r->base < end || capture_region_at(c, r->base) != r ||
            capture_region_at(c, r->base + r->size - 1) != r || (!r->before.file && !r->error))
            abort();
        end = r->base + r->size;
        bytes += r->size;
    }
    if (bytes != c->bytes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[DOCUMENTS] = {CAPTURE_DISPATCH, CAPTURE_REGIONS, "metadata.json",
                                                 "module_variables.json"};
    const uint8_t *parts[DOCUMENTS] = {NULL, data + size};
    size_t sizes[DOCUMENTS] = {0};
    struct error err = ERROR_INIT;
    struct capture *c;
    folder_make();
    folder_put("memory/a", "0123456789abcdef", 16);
    folder_put("memory/region_1000.bin", "0123456789abcdef", 16);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        const uint8_t *end = size ? memchr(data, SEPARATOR, size) : NULL;
        size_t n = end && i + 1 < DOCUMENTS ? (size_t)(end - data) : size;
        if (i < 2 || size)
            folder_put(names[i], data, n);
        else
            folder_drop(names[i]);
        parts[i] = data;
        sizes[i] = n;
        data += n + (n < size);
        size -= n + (n < size);
    }
    folder_seal(parts[0], sizes[0], parts[1], sizes[1]);
    if (capture_open(&c, folder, &err) != 0) {
        if (err.kind != ERROR_INPUT || !err.why[0])
            abort();
        return 0;
    }
    check(c);
    capture_verify(c, NULL, NULL, &err);
    capture_free(c);
    return 0;
}
