#include "capture/calls.h"

#include <stdio.h>
#include <string.h>

struct calls hsa;

enum {
    HEAD = 16, /* version, before the pointers */
    ROOT_CORE = 16,
    ROOT_AMD = 24,
    OLD_BYTES = 424, /* the largest table of the old layout: ROCm 5.5 */
    NEW_BYTES = 456, /* the smallest table of the new layout: ROCm 5.6 */
};

enum table { CORE, AMD };
static const struct call_row {
    const char *name;
    enum table table;
    short before, after; /* index in the old layout and in the new one */
} rows[CALL_COUNT] = {
#define X(name, type, table, old, new) {#name, table, old, new},
    CALLS(X)
#undef X
};

static uint32_t api_table_size(const uint8_t *table)
{
    uint32_t minor;
    memcpy(&minor, table + 4, sizeof minor);
    return minor;
}

static uint8_t *table_of(const uint8_t *root, enum table table)
{
    const size_t at = table == CORE ? ROOT_CORE : ROOT_AMD;
    uint8_t *found;
    if (api_table_size(root) < at + sizeof found)
        return NULL;
    memcpy(&found, root + at, sizeof found);
    return found;
}

call_any *calls_entry(const void *root, enum call which)
{
    uint8_t *table = table_of(root, rows[which].table);
    if (!table)
        return NULL;
    const uint32_t size = api_table_size(table);
    /* No release has a table of a size between the two. */
    if (rows[which].table == AMD && size > OLD_BYTES && size < NEW_BYTES)
        return NULL;
    const bool old = rows[which].table == AMD && size <= OLD_BYTES;
    const int index = old ? rows[which].before : rows[which].after;
    const size_t at = HEAD + sizeof(call_any) * (size_t)(index < 0 ? 0 : index);
    if (index < 0 || at + sizeof(call_any) > size)
        return NULL;
    return (call_any *)(void *)(table + at); /* pointers, aligned by the runtime */
}

bool calls_take(const void *root, char *why, size_t size)
{
    call_any all[CALL_COUNT];
    _Static_assert(sizeof all == sizeof hsa, "a pointer each");
    for (int i = 0; i < CALL_COUNT; i++) {
        const call_any *entry = calls_entry(root, (enum call)i);
        all[i] = entry ? *entry : NULL;
        if (!all[i] && i < CALL_vmem_reserve) {
            snprintf(why, size, "this HSA runtime's tables lack %s", rows[i].name);
            return false;
        }
    }
    memcpy(&hsa, all, sizeof hsa);
    return true;
}
