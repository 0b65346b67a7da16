/* A history file with any bytes: what is kept is text, limited, and the same when it is read
 * back. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tui/input/command_history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct command_history *h = command_history_new(), *again = command_history_new();
    command_history_parse(h, (const char *)data, size);
    size_t n = command_history_len(h);
    if (n > COMMAND_HISTORY_MAX)
        abort();
    for (size_t i = n; i-- > 0;) {
        const char *line = command_history_get(h, i);
        if (!*line || strchr(line, '\n'))
            abort();
        command_history_parse(again, line, strlen(line));
    }
    if (command_history_len(again) != n)
        abort();
    for (size_t i = 0; i < n; i++)
        if (strcmp(command_history_get(h, i), command_history_get(again, i)) != 0)
            abort();
    command_history_free(h);
    command_history_free(again);
    return 0;
}
