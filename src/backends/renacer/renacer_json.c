#include "backends/renacer/renacer_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool renacer_is(const struct json_tokens *j, const char *name)
{
    size_t n = strlen(name);
    return j->size == n && memcmp(j->text, name, n) == 0;
}

void renacer_text(const struct json_tokens *j, char *out, size_t size)
{
    size_t n = j->size < size - 1 ? j->size : size - 1;
    memcpy(out, j->text, n);
    out[n] = 0;
}

bool renacer_number(const struct json_tokens *j, enum json_token t, uint64_t *out)
{
    char text[40], *end;
    if ((t != JSON_NUMBER && t != JSON_STRING) || j->size == 0 || j->size >= sizeof text)
        return false;
    renacer_text(j, text, sizeof text);
    errno = 0;
    const uint64_t v = text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
    if (end == text || *end != 0 || errno != 0)
        return false;
    *out = v;
    return true;
}
