/*
 * The text of JSON tokens: a buffer, and for a stream the function that refills it. Knows its
 * position as line and column of the whole text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct json_input {
    const char *p, *end; /* the text to read next; at the end, call json_input_more */
    const char *path;    /* its name in messages; borrowed */
    int rc;           /* why there is no more text: 0 = it ended, else the source filled its err */
    const char *text; /* the buffer */
    /* Refills the buffer and sets text, p and end. false: the text ended, or rc tells the error.
     * NULL: the buffer is the whole text. */
    bool (*refill)(struct json_input *in, void *source);
    void *source;
    /* bytes and lines before the buffer; start of the present line. Only input.c writes them. */
    uint64_t before, lines, line_start;
};

/* Reads the next piece into p..end; p must be at the end. false: there is none, see rc. */
bool json_input_more(struct json_input *in);
/* The position of p. Both count from 1; columns count bytes. */
void json_input_position(const struct json_input *in, uint64_t *line, uint64_t *column);
