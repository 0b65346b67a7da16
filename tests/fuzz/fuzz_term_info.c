/* Any bytes as a compiled terminfo entry: it is refused, or rewritten to another valid entry. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tui/term/term_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > TERM_INFO_MAX)
        return 0;
    int colors = term_info_colors(data, size);
    char *direct = term_info_direct(data, size);
    if (colors < -1 || (colors < 0 && direct))
        abort();
    if (direct && (strncmp(direct, "hex:", 4) != 0 || strlen(direct) % 2 != 0))
        abort();
    free(direct);
    return 0;
}
