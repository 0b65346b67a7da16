/* The contents of a region. First byte: odd means zstd; then four bytes with the region's size
 * (modulo 5 MiB); the rest is the file. */
#include "capture_folder.h"

#include "engine/capture/capture.h"

static const char dispatch[] =
    "{\"format\": \"rooftop capture\", \"version\": 1, \"mangled_name\": \"k\",\n"
    " \"grid\": [1, 1, 1], \"block\": [1, 1, 1], \"kernarg_size\": 8}";

static void put_documents(uint64_t size, size_t stored, bool zstd)
{
    char text[512];
    int n = snprintf(text, sizeof text,
                     "{\"regions\": [{\"base\": 4096, \"size\": %llu, \"segment\": \"device\", "
                     "\"file\": \"memory/b\", \"encoding\": \"%s\", \"stored\": %zu}]}",
                     (unsigned long long)size, zstd ? "zstd" : "raw", stored);
    folder_put(CAPTURE_DISPATCH, dispatch, sizeof dispatch - 1);
    folder_put(CAPTURE_REGIONS, text, (size_t)n);
    folder_seal(dispatch, sizeof dispatch - 1, text, (size_t)n);
}

static void read_blocks(const struct capture *c)
{
    static uint8_t *to;
    struct capture_contents *o;
    struct error err = ERROR_INIT;
    const struct capture_region *r = &c->regions[0];
    if (!to && !(to = malloc(CAPTURE_BLOCK)))
        abort();
    if (capture_contents_open(&o, c, &r->before, r->size, &err) != 0)
        return;
    if (capture_contents_blocks(o) != (r->size + CAPTURE_BLOCK - 1) / CAPTURE_BLOCK)
        abort();
    for (size_t i = 0; i < capture_contents_blocks(o); i++) {
        bool zero, hole;
        uint64_t sum;
        int rc = capture_contents_block(o, i, to, &zero, &sum, &err);
        capture_contents_block(o, i, NULL, &hole, NULL, &err);
        if (rc == 0 && zero != hole)
            abort();
    }
    capture_contents_close(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = ERROR_INIT;
    struct capture *c;
    if (size < 5)
        return 0;
    bool zstd = data[0] & 1;
    uint32_t region =
        ((uint32_t)data[1] << 24 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 8 | data[4]) %
        (5u << 20);
    folder_make();
    folder_put("memory/b", data + 5, size - 5);
    put_documents(zstd ? region : size - 5, size - 5, zstd);
    if (capture_open(&c, folder, &err) != 0)
        return 0;
    read_blocks(c);
    capture_free(c);
    return 0;
}
