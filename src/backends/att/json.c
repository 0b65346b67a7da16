#include "backends/att/json_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/watch.h"

enum { NESTING_MAX = 128 };

void json_open(struct att_json *j, const char *file, const char *text, size_t size,
               struct error *err)
{
    *j = (struct att_json){.file = file, .text = text, .size = size, .err = err};
}

void json_fail(struct att_json *j, size_t at, const char *fmt, ...)
{
    char why[160];
    size_t line = 1, begin = 0;
    va_list args;
    if (j->rc != 0)
        return;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    for (size_t i = 0; i < at && i < j->size; i++)
        if (j->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    j->rc =
        error_set(j->err, ERROR_INPUT, EINVAL, "take the file away to read the others without it",
                  j->file, "byte %zu (line %zu, column %zu): %s", at, line, at - begin + 1, why);
}

static void space(struct att_json *j)
{
    while (j->at < j->size && (j->text[j->at] == ' ' || j->text[j->at] == '\n' ||
                               j->text[j->at] == '\r' || j->text[j->at] == '\t'))
        j->at++;
}

/* The next byte that is not white space; 0 at the end. */
static char next_byte(struct att_json *j)
{
    space(j);
    return j->at < j->size ? j->text[j->at] : '\0';
}

static const char *kind_name(char type)
{
    switch (type) {
    case '{':
        return "an object";
    case '[':
        return "an array";
    case '"':
        return "a text";
    case '0':
        return "a number";
    case 'n':
        return "null";
    case 't':
    case 'f':
        return "true or false";
    default:
        return "no value";
    }
}

char json_type(struct att_json *j)
{
    char c = next_byte(j);
    if (c == '-' || (c >= '0' && c <= '9'))
        return '0';
    return c && strchr("{[\"tfn", c) ? c : '\0';
}

void json_unexpected(struct att_json *j, const char *what, const char *wanted)
{
    char type = json_type(j);
    if (j->at >= j->size)
        json_fail(j, j->at, "the text ends where %s should be: %s", what, wanted);
    else
        json_fail(j, j->at, "%s should be %s, here is %s", what, wanted, kind_name(type));
}

bool json_word(struct att_json *j, const char *text)
{
    size_t n = strlen(text);
    if (j->size - j->at < n || memcmp(j->text + j->at, text, n) != 0)
        return false;
    j->at += n;
    return true;
}

static bool enter(struct att_json *j, char open, const char *wanted)
{
    if (j->rc != 0)
        return false;
    char type = json_type(j);
    if (type == 'n' && json_word(j, "null")) {
        j->first = false;
        return false;
    }
    if (type != open) {
        json_unexpected(j, "this", wanted);
        return false;
    }
    j->at++;
    j->first = true;
    return true;
}

bool json_object(struct att_json *j)
{
    return enter(j, '{', "an object");
}

bool json_array(struct att_json *j)
{
    return enter(j, '[', "an array");
}

/* Moves to the next item or member of the array or object that ends with `close`. */
static bool more(struct att_json *j, char close)
{
    if (j->rc != 0)
        return false;
    if (watch_stops(++j->items) && (j->rc = watch_check(j->file, j->err)) != 0)
        return false;
    char c = next_byte(j);
    if (c == close) {
        j->at++;
        j->first = false; /* for the enclosing one */
        return false;
    }
    if (!j->first) {
        if (c != ',') {
            json_fail(j, j->at, c ? "',' or '%c' should be here" : "the text ends before its '%c'",
                      close);
            return false;
        }
        j->at++;
    } else if (!c) {
        json_fail(j, j->at, "the text ends before its '%c'", close);
        return false;
    }
    j->first = false;
    return true;
}

bool json_item(struct att_json *j)
{
    return more(j, ']');
}

bool json_column(struct att_json *j, const char *what)
{
    if (j->rc == 0 && next_byte(j) == ']') {
        json_fail(j, j->at, "the row ends before its column \"%s\"", what);
        return false;
    }
    return more(j, ']');
}

void json_leave(struct att_json *j)
{
    while (json_item(j))
        json_skip(j);
}

bool json_key(struct att_json *j, char *key, size_t size)
{
    if (!more(j, '}'))
        return false;
    if (json_type(j) != '"') {
        json_unexpected(j, "a member's name", "a text");
        return false;
    }
    json_string(j, key, size);
    if (j->rc == 0 && next_byte(j) != ':')
        json_fail(j, j->at, "':' should be here");
    j->at++;
    return j->rc == 0;
}

/* --- skipping values --- */

static void scalar(struct att_json *j, char type)
{
    if (type == '"')
        json_string(j, NULL, 0);
    else if (type == '0')
        json_double(j, "this");
    else if (!json_word(j, type == 't' ? "true" : type == 'f' ? "false" : "null"))
        json_unexpected(j, "this", "a value");
}

/* Reads a key without keeping it. */
static bool skip_key(struct att_json *j)
{
    char none[1];
    return json_key(j, none, sizeof none);
}

void json_skip(struct att_json *j)
{
    bool object[NESTING_MAX];
    size_t depth = 0;
    do {
        if (j->rc != 0)
            return;
        char type = json_type(j);
        if (type == '{' || type == '[') {
            if (depth == NESTING_MAX) {
                json_fail(j, j->at, "nested more than %d deep", NESTING_MAX);
                return;
            }
            object[depth++] = type == '{';
            j->at++;
            j->first = true;
        } else if (!type) {
            json_unexpected(j, "this", "a value");
        } else {
            scalar(j, type);
        }
        while (depth && !(object[depth - 1] ? skip_key(j) : json_item(j)))
            depth--;
    } while (depth);
    /* the array or object that just ended was an item of the enclosing one */
    j->first = false;
}

void json_end(struct att_json *j)
{
    if (j->rc == 0 && next_byte(j))
        json_fail(j, j->at, "something follows the document");
    else if (j->rc == 0 && j->at < j->size)
        json_fail(j, j->at, "a NUL");
}
