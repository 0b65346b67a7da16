/* Any bytes as rocprof-compute's roofline.csv; what is read must be valid ceilings. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/roofline/roofs_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena memory = {0};
    struct roofs_csv csv;
    struct error err = ERROR_INIT;
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    if (roofs_csv_parse(&csv, &memory, text, size, "fuzz", &err) != 0) {
        if (err.kind != ERROR_INPUT || !*err.why)
            abort();
    } else {
        if (csv.nrows == 0 || csv.nrows > ROOFS_ROWS_MAX)
            abort();
        for (uint32_t i = 0; i < csv.nrows; i++)
            for (uint32_t k = 0; k < csv.rows[i].nceilings; k++)
                if (!(csv.rows[i].ceilings[k].peak > 0) || !isfinite(csv.rows[i].ceilings[k].peak))
                    abort();
    }
    arena_free(&memory);
    free(text);
    return 0;
}
