/* Any text as a formula: it is refused with a column, or evaluates to a number or a reason. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/formula.h"

static int bind(void *ctx, const char *name, char why[192])
{
    (void)ctx;
    snprintf(why, 192, "not a name");
    return *name == 'z' ? -1 : *name & 7;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double values[8] = {0, 1, -2, 1e300, 0.5, 3, 1e-300, 7};
    struct error err = ERROR_INIT;
    struct formula *f;
    char *text = malloc(size + 1);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    if (formula_compile(&f, text, bind, NULL, &err)) {
        if (f || strncmp(err.what, "column ", 7) != 0 || !*err.why)
            abort();
    } else {
        double v;
        const char *why = NULL;
        if (formula_evaluate(f, values, &v, &why) && !(why && *why))
            abort();
        formula_free(f);
    }
    free(text);
    return 0;
}
