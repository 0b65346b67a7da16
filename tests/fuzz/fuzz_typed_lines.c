/* A history file with any bytes: what is kept is text, limited, and the same when it is read
 * back. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tui/input/typed_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct typed_lines *h = typed_lines_new(), *again = typed_lines_new();
    typed_lines_parse(h, (const char *)data, size);
    size_t n = typed_lines_len(h);
    if (n > TYPED_LINES_MAX)
        abort();
    for (size_t i = n; i-- > 0;) {
        const char *line = typed_lines_get(h, i);
        if (!*line || strchr(line, '\n'))
            abort();
        typed_lines_parse(again, line, strlen(line));
    }
    if (typed_lines_len(again) != n)
        abort();
    for (size_t i = 0; i < n; i++)
        if (strcmp(typed_lines_get(h, i), typed_lines_get(again, i)) != 0)
            abort();
    typed_lines_free(h);
    typed_lines_free(again);
    return 0;
}
