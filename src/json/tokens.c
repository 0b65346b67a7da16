#include "json/token_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END, NOTHING };

void json_tokens_open(struct json_tokens *j, struct json_input *in)
{
    *j = (struct json_tokens){.in = in, .expect = VALUE, .kept = xcalloc(1, JSON_TEXT + 8)};
    if (in->p == in->end)
        json_input_more(in);
    if (in->end - in->p >= 3 && memcmp(in->p, "\xef\xbb\xbf", 3) == 0)
        in->p += 3;
}

void json_tokens_close(struct json_tokens *j)
{
    free(j->kept);
    j->kept = NULL;
}

int json_tokens_error(const struct json_tokens *j, struct error *err)
{
    uint64_t line, column;
    char where[192];
    if (j->in->rc != 0)
        return j->in->rc;
    json_input_position(j->in, &line, &column);
    snprintf(where, sizeof where, "%s:%llu:%llu", j->in->path, (unsigned long long)line,
             (unsigned long long)column);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, where, "%s", j->why);
}

/* --- structure --- */

static enum json_token open_container(struct json_tokens *j, bool object)
{
    if (j->depth == JSON_DEPTH)
        return json_token_bad(j, "more than 128 objects and arrays inside of each other");
    j->in->p++;
    j->in_object[j->depth++] = object;
    j->expect = object ? KEY_OR_END : VALUE_OR_END;
    return object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token close_one(struct json_tokens *j, bool object)
{
    j->in->p++;
    j->depth--;
    j->expect = j->depth ? COMMA_OR_END : NOTHING;
    return object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static bool skip_spaces(struct json_input *in)
{
    for (;;) {
        const char *p = in->p, *end = in->end;
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
            p++;
        in->p = p;
        if (p < end)
            return true;
        if (!json_input_more(in))
            return false;
    }
}

static inline bool skip_space(struct json_input *in)
{
    if (in->end - in->p > 1) { /* usually there is no blank, or one */
        in->p += *in->p == ' ';
        if ((unsigned char)*in->p > ' ')
            return true;
    }
    return skip_spaces(in);
}

static enum json_token key_token(struct json_tokens *j, char c)
{
    if (c == '}' && j->expect == KEY_OR_END)
        return close_one(j, true);
    if (c != '"')
        return json_token_bad(j, "the name of a member was expected here");
    j->in->p++;
    enum json_token t = json_token_string(j);
    if (t != JSON_STRING)
        return t;
    /* skipping space may have refilled the buffer */
    if (j->in->p == j->in->end || *j->in->p != ':') {
        if (j->text != j->kept)
            memcpy(j->kept, j->text, j->size);
        j->text = j->kept;
        if (!skip_space(j->in))
            return json_token_no_more(j);
    }
    if (*j->in->p != ':')
        return json_token_bad(j, "a colon was expected here");
    j->in->p++;
    j->expect = VALUE;
    return JSON_KEY;
}

static enum json_token begin_token_value(struct json_tokens *j, char c)
{
    if (c == '{' || c == '[')
        return open_container(j, c == '{');
    j->expect = j->depth ? COMMA_OR_END : NOTHING;
    if (c != '"')
        return json_token_word(j);
    j->in->p++;
    return json_token_string(j);
}

enum json_token json_tokens_next(struct json_tokens *j)
{
    struct json_input *in = j->in;
    for (;;) {
        if (!skip_space(in))
            return j->expect == NOTHING && in->rc == 0 ? JSON_END : json_token_no_more(j);
        char c = *in->p;
        j->begin = in->p;
        bool object = j->depth && j->in_object[j->depth - 1];
        switch (j->expect) {
        case COMMA_OR_END:
            if (c == (object ? '}' : ']'))
                return close_one(j, object);
            if (c != ',')
                return json_token_bad(j, object ? "a comma or } was expected here"
                                                : "a comma or ] was expected here");
            in->p++;
            j->expect = j->strict ? VALUE : VALUE_OR_END;
            if (object)
                j->expect = KEY;
            continue;
        case KEY:
        case KEY_OR_END:
            return key_token(j, c);
        case VALUE_OR_END:
            if (c == ']')
                return close_one(j, false);
            return begin_token_value(j, c);
        case VALUE:
            return begin_token_value(j, c);
        default:
            return json_token_bad(j, "something follows the end of the document");
        }
    }
}

enum json_token json_tokens_skip(struct json_tokens *j, enum json_token t)
{
    if (t != JSON_OBJECT && t != JSON_ARRAY)
        return t;
    for (unsigned depth = j->depth - 1; j->depth > depth;) {
        enum json_token inner = json_tokens_next(j);
        if (inner == JSON_BAD || inner == JSON_CUT)
            return inner;
    }
    return t;
}
