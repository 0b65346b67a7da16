/* Dumps of PyTorch's flight recorder, as pickle or JSON: two ranks of the same bytes, judged and
 * written in all forms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/flight/flight.h"
#include "engine/summary/summary.h"
#include "export/job/hang_export.h"
#include "export/summary_export.h"

static void write_all(struct hang *h)
{
    struct brief b = {.command = "report ranks"};
    struct summary lines;
    summary_make(&lines, &(struct subject){.hang = h}, true);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) {
        summary_free(&lines);
        return;
    }
    summary_export_text(f, &lines, "dumps");
    summary_free(&lines);
    hang_export_text(f, h, true);
    hang_export_json(f, h);
    hang_export_csv(f, h);
    hang_brief(&b, h, true);
    brief_write(f, &b, "markdown");
    fclose(f);
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t')
            abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hang h = {.n = 0};
    struct flight *f = flight_new();
    /* of exactly this size, so that a sanitizer notices reads beyond its end */
    char *copy = malloc(size ? size : 1);
    if (copy && size)
        memcpy(copy, data, size);
    reader_flight.recognise(NULL, data, size);
    for (uint32_t rank = 0; rank < 2 && copy; rank++) {
        struct error err = ERROR_INIT;
        char path[32];
        snprintf(path, sizeof path, "rank_%u", rank);
        const int rc = flight_add_text(f, &h, path, copy, size, 0, &err);
        if (rc != 0 && err.kind == ERROR_NONE)
            abort();
    }
    struct error err = ERROR_INIT;
    if (copy && hang_finish(&h, &err) == 0)
        write_all(&h);
    hang_free(&h);
    flight_free(f);
    free(copy);
    return 0;
}
