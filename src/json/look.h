/*
 * Looks at the beginning of a text in JSON for the name of a member, without reading all of it:
 * formats are recognised by their members, which may come in any order.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum json_look {
    JSON_LOOK_NO,
    JSON_LOOK_YES,
    JSON_LOOK_MORE, /* the text ends before the answer is known */
};

/* Whether the object that the text begins with has a member of this name. begins: the member's
 * value must be a string with this begin; NULL: any value. */
enum json_look json_look_member(const char *text, size_t n, const char *name, const char *begins);
/* Whether the text begins with an array that holds an object with a member of this name. */
enum json_look json_look_element(const char *text, size_t n, const char *name);
/* Whether the text begins with an object or an array, after blanks and a byte order mark. */
bool json_look_begins(const char *text, size_t n);
