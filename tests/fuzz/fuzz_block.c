/* Blocks of a session file: the host, then frames as differences. */
#include <stdlib.h>

#include "engine/session/session_impl.h"
#include "export/live/export_json.h"

static bool visit(void *ctx, const struct snapshot *s)
{
    size_t *n = ctx;
    free(export_json_text(s, "fuzz", false)); /* what was read must be printable */
    return ++*n < 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes raw = {.p = (uint8_t *)data, .n = size}, unpacked = {0};
    size_t n = 0;
    block_scan(&raw, 0, 16, RECORDING_ALL, visit, &n);
    if (block_unpack(&unpacked, data, size) == 0)
        block_scan(&unpacked, 0, 4, RECORDING_NUMBERS, visit, &n);
    free(unpacked.p);
    return 0;
}
