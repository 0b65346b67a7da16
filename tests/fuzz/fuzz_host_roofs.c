/* Any bytes as a document of measured roofs: refused, or what is written from it is read again as
 * the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/roofs/host_roofs.h"

static char *document_of(const struct host_roofs *r, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    host_roofs_write_json(f, r);
    fclose(f);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host_roofs r, back;
    struct error err = ERROR_INIT;
    if (host_roofs_parse(&r, (const char *)data, size, "fuzz", &err) == 0) {
        size_t n, m;
        char *text = document_of(&r, &n);
        if (host_roofs_parse(&back, text, n, "again", &err) != 0 || back.n != r.n)
            abort();
        char *again = document_of(&back, &m);
        if (n != m || memcmp(text, again, n) != 0)
            abort();
        free(text);
        free(again);
        host_roofs_free(&back);
    }
    host_roofs_free(&r);
    return 0;
}
