/* Stored golden traces: any text is read or refused; what is read can be compared and written. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/golden/golden_diff.h"
#include "export/golden/golden_export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct golden a, b;
    struct golden_diff d;
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t n = 0;
    if (golden_parse(&a, "f", (const char *)data, size, &err) != 0)
        return 0;
    FILE *out = open_memstream(&text, &n);
    golden_write(out, &a);
    fclose(out);
    if (golden_parse(&b, "f", text, n, &err) != 0)
        abort(); /* what was written must be readable */
    golden_compare(&a, &b, &d);
    if (d.n)
        abort();
    golden_diff_free(&d);
    golden_free(&a);
    golden_free(&b);
    free(text);
    return 0;
}
