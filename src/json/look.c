#include "json/look.h"

#include <string.h>

#include "json/tokens.h"

/* The answer if a token ended the search. */
static enum json_look look_answer(enum json_token t)
{
    return t == JSON_CUT ? JSON_LOOK_MORE : JSON_LOOK_NO;
}

/* Looks through the members of an object, after its start; *t: the token that ended the search. */
static bool has_member(struct json_tokens *j, const char *name, const char *begins,
                       enum json_token *t)
{
    while ((*t = json_tokens_next(j)) == JSON_KEY) {
        bool named = json_tokens_are(j, name);
        if (named && !begins)
            return true;
        *t = json_tokens_next(j);
        if (named && *t == JSON_STRING && j->size >= strlen(begins) &&
            memcmp(j->text, begins, strlen(begins)) == 0)
            return true;
        *t = json_tokens_skip(j, *t);
        if (json_token_broken(*t))
            break;
    }
    return false;
}

enum json_look json_look_member(const char *text, size_t n, const char *name, const char *begins)
{
    struct json_input in = {.p = text, .end = text + n, .text = text, .path = ""};
    struct json_tokens j;
    json_tokens_open(&j, &in);
    enum json_token t = json_tokens_next(&j);
    bool found = t == JSON_OBJECT && has_member(&j, name, begins, &t);
    json_tokens_close(&j);
    return found ? JSON_LOOK_YES : look_answer(t);
}

enum json_look json_look_element(const char *text, size_t n, const char *name)
{
    struct json_input in = {.p = text, .end = text + n, .text = text, .path = ""};
    struct json_tokens j;
    bool found = false;
    json_tokens_open(&j, &in);
    enum json_token t = json_tokens_next(&j);
    while (t == JSON_ARRAY && !found) {
        enum json_token item = json_tokens_next(&j);
        found = item == JSON_OBJECT && has_member(&j, name, NULL, &item);
        item = found || item == JSON_OBJECT_END ? item : json_tokens_skip(&j, item);
        t = json_token_broken(item) || item == JSON_ARRAY_END ? item : t;
    }
    json_tokens_close(&j);
    return found ? JSON_LOOK_YES : look_answer(t);
}

bool json_look_begins(const char *text, size_t n)
{
    size_t i = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n && text[i] && strchr(" \t\r\n", text[i]))
        i++;
    return i < n && (text[i] == '{' || text[i] == '[');
}
