/* The tokens of sources that strangers propose: any bytes give tokens in order, within the text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/source_guards/syntax.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct syntax_tokens t;
    uint32_t end = 0, line = 1;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    syntax_split(&t, text, size);
    for (size_t i = 0; i < t.n; i++) {
        const struct syntax_token *k = &t.list[i];
        if (k->start < end || k->end <= k->start || k->end > size || k->line < line ||
            k->kind > TOKEN_SIGN || k->directive > 2)
            abort();
        end = k->end;
        line = k->line;
    }
    syntax_tokens_free(&t);
    free(text);
    return 0;
}
