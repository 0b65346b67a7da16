/* Shared objects that the judge loads: any bytes are stripped or refused, and what was stripped is
 * stripped again without a change. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/judge/loading.h"

static size_t letters;

static void count(const char *name)
{
    letters += strlen(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct judge_refusal refused;
    unsigned char *object = xcalloc(size + 1, 1), *again = xcalloc(size + 1, 1);
    memcpy(object, data, size);
    loading_libraries(object, size, count);
    if (loading_strip(object, size, data, size, &refused) == 0) {
        memcpy(again, object, size);
        if (loading_strip(again, size, data, size, &refused) != 0 ||
            memcmp(again, object, size) != 0)
            abort();
    }
    free(object);
    free(again);
    return 0;
}
