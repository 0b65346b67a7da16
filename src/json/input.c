#include "json/input.h"

#include <string.h>

/* Counts the ends of lines, in pieces that the compiler makes vectors of: most files have a line
 * for each member. */
static uint64_t count_line_ends(const char *p, const char *end)
{
    enum { PIECE = 64 };
    uint64_t n = 0;
    for (; end - p >= PIECE; p += PIECE) {
        uint8_t found = 0;
        for (int i = 0; i < PIECE; i++)
            found = (uint8_t)(found + (p[i] == '\n'));
        n += found;
    }
    for (; p < end; p++)
        n += *p == '\n';
    return n;
}

/* Counts the lines that leave the buffer, for positions that are needed much later. */
static void leave_behind(struct json_input *in)
{
    const size_t size = (size_t)(in->end - in->text);
    const char *last = size ? memrchr(in->text, '\n', size) : NULL;
    if (last) {
        in->lines += count_line_ends(in->text, last + 1);
        in->line_start = in->before + (uint64_t)(last + 1 - in->text);
    }
    in->before += size;
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
