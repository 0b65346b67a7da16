/* Any bytes as the answer of a server with a query API; and as a selector that a user wrote. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/server_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as_selector(const char *text)
{
    struct arena texts = {0};
    struct error err = ERROR_INIT;
    struct selector s;
    if (selector_parse(&s, &texts, text, true, "fuzz", &err) == 0)
        selector_free(&s);
    else if (!*err.why)
        abort();
    arena_free(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct exporters *e;
    struct error err = ERROR_INIT;
    struct grid g;
    if (!e && exporters_load(&e, NULL, &err) != 0)
        abort();
    const struct query_form form = {.exporters = e, .host_label = "instance", .window = "5m"};
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    grid_begin(&g, 100, 10, 3);
    if (grid_read(&g, &form, text, size, &err) != 0 && !*err.why)
        abort();
    for (size_t i = 0; i < g.n; i++)
        if (!*g.hosts[i].name)
            abort();
    grid_free(&g);
    if (size < 200)
        read_as_selector(text);
    free(text);
    return 0;
}
