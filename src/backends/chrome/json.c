#include "backends/chrome/json_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END, NOTHING };

void chrome_json_open(struct chrome_json *j, struct chrome_input *in)
{
    *j = (struct chrome_json){.in = in, .expect = VALUE, .kept = xcalloc(1, JSON_TEXT + 8)};
    if (in->p == in->end)
        chrome_input_more(in);
    if (in->end - in->p >= 3 && memcmp(in->p, "\xef\xbb\xbf", 3) == 0)
        in->p += 3;
}

void chrome_json_close(struct chrome_json *j)
{
    free(j->kept);
    j->kept = NULL;
}

int chrome_json_error(const struct chrome_json *j, struct error *err)
{
    uint64_t line, column;
    char where[192];
    if (j->in->rc != 0)
        return j->in->rc;
    chrome_input_position(j->in, &line, &column);
    snprintf(where, sizeof where, "%s:%llu:%llu", j->in->path, (unsigned long long)line,
             (unsigned long long)column);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, where, "%s", j->why);
}

/* --- structure --- */

static enum json_token open_one(struct chrome_json *j, bool object)
{
    if (j->depth == JSON_DEPTH)
        return chrome_json_bad(j, "more than 128 objects and arrays inside of each other");
    j->in->p++;
    j->in_object[j->depth++] = object;
    j->expect = object ? KEY_OR_END : VALUE_OR_END;
    return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token close_one(struct chrome_json *j, bool object)
{
    j->in->p++;
    j->depth--;
    j->expect = j->depth ? COMMA_OR_END : NOTHING;
    return object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static bool skip_spaces(struct chrome_input *in)
{
    for (;;) {
        const char *p = in->p, *end = in->end;
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
            p++;
        in->p = p;
        if (p < end)
            return true;
        if (!chrome_input_more(in))
            return false;
    }
}

static inline bool skip_space(struct chrome_input *in)
{
    return (in->p < in->end && (unsigned char)*in->p > ' ') || skip_spaces(in);
}

static enum json_token key_token(struct chrome_json *j, char c)
{
    if (c == '}' && j->expect == KEY_OR_END)
        return close_one(j, true);
    if (c != '"')
        return chrome_json_bad(j, "the name of a member was expected here");
    j->in->p++;
    enum json_token t = chrome_json_string(j);
    if (t != JSON_STRING)
        return t;
    /* skipping space may have refilled the buffer */
    if (j->in->p == j->in->end || *j->in->p != ':') {
        if (j->text != j->kept)
            memcpy(j->kept, j->text, j->size);
        j->text = j->kept;
        if (!skip_space(j->in))
            return chrome_json_no_more(j);
    }
    if (*j->in->p != ':')
        return chrome_json_bad(j, "a colon was expected here");
    j->in->p++;
    j->expect = VALUE;
    return JSON_KEY;
}

static enum json_token value(struct chrome_json *j, char c)
{
    if (c == '{' || c == '[')
        return open_one(j, c == '{');
    j->expect = j->depth ? COMMA_OR_END : NOTHING;
    if (c != '"')
        return chrome_json_word(j);
    j->in->p++;
    return chrome_json_string(j);
}

enum json_token chrome_json_next(struct chrome_json *j)
{
    struct chrome_input *in = j->in;
    for (;;) {
        if (!skip_space(in))
            return j->expect == NOTHING && in->rc == 0 ? JSON_END : chrome_json_no_more(j);
        char c = *in->p;
        bool object = j->depth && j->in_object[j->depth - 1];
        switch (j->expect) {
        case COMMA_OR_END:
            if (c == (object ? '}' : ']'))
                return close_one(j, object);
            if (c != ',')
                return chrome_json_bad(j, object ? "a comma or } was expected here"
                                                 : "a comma or ] was expected here");
            in->p++;
            j->expect = object ? KEY : VALUE_OR_END;
            continue;
        case KEY:
        case KEY_OR_END:
            return key_token(j, c);
        case VALUE_OR_END:
            if (c == ']')
                return close_one(j, false);
            return value(j, c);
        case VALUE:
            return value(j, c);
        default:
            return chrome_json_bad(j, "something follows the end of the document");
        }
    }
}

enum json_token chrome_json_skip(struct chrome_json *j, enum json_token t)
{
    if (t != JSON_OBJECT && t != JSON_ARRAY)
        return t;
    for (unsigned depth = j->depth - 1; j->depth > depth;) {
        enum json_token inner = chrome_json_next(j);
        if (inner == JSON_BAD || inner == JSON_CUT)
            return inner;
    }
    return t;
}
