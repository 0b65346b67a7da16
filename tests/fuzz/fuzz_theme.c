#include <stddef.h>
#include <stdint.h>

#include "tui/canvas/theme.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct theme *t = NULL;
    struct error err = ERROR_INIT;
    if (theme_parse(&t, (const char *)data, size, "input", &err) != 0)
        return 0;
    for (int r = 0; r < STYLE_COUNT; r++)
        for (int depth = DEPTH_NONE; depth <= DEPTH_TRUE; depth++)
            theme_look(t, STYLE_LEVEL(r, data[0] % 101), (enum color_depth)depth);
    theme_free(t);
    return 0;
}
