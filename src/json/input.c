#include "json/input.h"

#include <string.h>

/* Counts the lines that leave the buffer, for positions that are needed much later. */
static void leave_behind(struct json_input *in)
{
    const char *from = in->text, *last = NULL;
    for (const char *at; from && (at = memchr(from, '\n', (size_t)(in->end - from)));
         from = at + 1) {
        in->lines++;
        last = at;
    }
    if (last)
        in->line_start = in->before + (uint64_t)(last + 1 - in->text);
    in->before += (uint64_t)(in->end - in->text);
}

bool json_input_more(struct json_input *in)
{
    if (in->rc != 0 || !in->refill)
        return false;
    leave_behind(in);
    in->p = in->end = in->text;
    return in->refill(in, in->source);
}

void json_input_position(const struct json_input *in, uint64_t *line, uint64_t *column)
{
    uint64_t start = in->line_start;
    *line = in->lines + 1;
    for (const char *at = in->text; at < in->p; at++)
        if (*at == '\n') {
            ++*line;
            start = in->before + (uint64_t)(at + 1 - in->text);
        }
    *column = in->before + (uint64_t)(in->p - in->text) - start + 1;
}
