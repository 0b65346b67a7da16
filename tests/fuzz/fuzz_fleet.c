/* Any bytes as a line that a host prints, and as a list of hosts: numbers are finite or unknown,
 * names are few, and none of them is an option of ssh. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/fleet/fleet_read.h"
#include "engine/fleet/host_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_line(const uint8_t *data, size_t size)
{
    struct fleet_sample s;
    struct error err = ERROR_INIT;
    fleet_sample_begin(&s, 1);
    if (fleet_read_snapshot((const char *)data, size, "fuzz", &s, &err) != 0 && !*err.why)
        abort();
    for (int m = 0; m < FLEET_METRICS; m++)
        if (isinf(s.v[m]))
            abort();
}

static void read_names(const uint8_t *data, size_t size)
{
    struct host_list l = {.n = 0};
    struct error err = ERROR_INIT;
    char *text = malloc(size + 1);
    if (!text)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (host_list_add(&l, text, &err) != 0 && err.kind != ERROR_USAGE)
        abort();
    if (l.n > FLEET_HOSTS_MAX)
        abort();
    for (size_t i = 0; i < l.n; i++)
        if (!l.names[i][0] || l.names[i][0] == '-' || strlen(l.names[i]) >= FLEET_NAME)
            abort();
    host_list_free(&l);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_line(data, size);
    read_names(data, size);
    return 0;
}
