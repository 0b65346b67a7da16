/* Any text as a filter: it is refused with a column, or matched with a row in bounded time. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/value/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double number(const void *row)
{
    return *(const double *)row;
}

static const char *text(const void *row, char buf[FIELD_TEXT_MAX])
{
    (void)row, (void)buf;
    return "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab (sd-pam) [kworker/0:1]";
}

static const struct list_field fields[] = {
    {.name = "cpu", .unit = UNIT_PERCENT, .number = number, .plain = true},
    {.name = "rss", .alias = "mem", .unit = UNIT_BYTES, .number = number},
    {.name = "time", .unit = UNIT_SECONDS, .number = number},
    {.name = "name", .text = text, .plain = true},
    {0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double values[] = {0, 5e9, NAN};
    char line[QUERY_MAX + 8];
    struct query *q;
    struct error err = ERROR_INIT;
    size_t n = size < sizeof line - 1 ? size : sizeof line - 1;
    memcpy(line, data, n);
    line[n] = '\0';
    if (query_compile(&q, line, fields, &err) != 0) {
        if (!err.what[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < 3; i++)
        query_match(q, &values[i]);
    query_free(q);
    return 0;
}
