#include "tui/keys.h"

#include <stdio.h>
#include <string.h>

const struct action_info action_table[ACTION_COUNT] = {
#define ACTION(id, name, keys, contexts, footer, help)                                             \
    [ACTION_##id] = {ACTION_##id, name, keys, contexts, footer, help},
#include "tui/actions.def"
#undef ACTION
};

static const struct {
    uint32_t key;
    const char *name;
} names[] = {
    {' ', "Space"},          {KEY_ESCAPE, "Escape"},   {KEY_ENTER_, "Enter"},
    {'\n', "Enter"},         {KEY_TAB, "Tab"},         {KEY_BACKSPACE_, "Backspace"},
    {KEY_UP_, "Up"},         {KEY_DOWN_, "Down"},      {KEY_LEFT_, "Left"},
    {KEY_RIGHT_, "Right"},   {KEY_PGUP, "PgUp"},       {KEY_PGDN, "PgDn"},
    {KEY_HOME_, "Home"},     {KEY_END_, "End"},        {KEY_INSERT, "Insert"},
    {KEY_DELETE, "Delete"},  {KEY_BACKTAB, "BackTab"}, {KEY_MOUSE_, "Mouse"},
    {KEY_RESIZE_, "Resize"},
};

const char *key_label(uint32_t key, char out[16])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key)
            return strcpy(out, names[i].name);
    if (key >= KEY_F1 && key <= KEY_F10)
        snprintf(out, 16, "F%u", (unsigned)(key - KEY_F1 + 1));
    else if (key > 0 && key < 0x20)
        snprintf(out, 16, "^%c", (char)('@' + key));
    else if (key > 0x20 && key < 0x7f)
        snprintf(out, 16, "%c", (char)key);
    else
        snprintf(out, 16, "U+%04X", (unsigned)key);
    return out;
}

static uint32_t parse(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == n && strncmp(names[i].name, s, n) == 0)
            return names[i].key;
    if (n == 1)
        return (unsigned char)s[0] < 0x7f ? (unsigned char)s[0] : KEY_NONE;
    if (n == 2 && s[0] == '^' && s[1] > '@' && s[1] < '`')
        return (uint32_t)(s[1] - '@');
    if (n == 2 && s[0] == 'F' && s[1] >= '1' && s[1] <= '9')
        return KEY_F1 + (uint32_t)(s[1] - '1');
    if (n == 3 && strncmp(s, "F10", 3) == 0)
        return KEY_F10;
    return KEY_NONE;
}

uint32_t key_parse(const char *name)
{
    return parse(name, strlen(name));
}

static bool bound(const char *keys, uint32_t key)
{
    while (*keys) {
        size_t n = strcspn(keys, " ");
        if (parse(keys, n) == key)
            return true;
        keys += n + strspn(keys + n, " ");
    }
    return false;
}

enum action key_action(const struct key_event *ev, unsigned contexts)
{
    uint32_t key = ev->key == '\n' ? KEY_ENTER_ : ev->key == 8 ? KEY_BACKSPACE_ : ev->key;
    enum action found = ACTION_NONE;
    bool found_special = false;
    for (int i = 1; i < ACTION_COUNT; i++) {
        unsigned shared = action_table[i].contexts & contexts;
        if (!shared || !bound(action_table[i].keys, key))
            continue;
        /* What belongs to the thing under the cursor goes before what holds everywhere. */
        bool special = (shared & ~(unsigned)CONTEXT_GLOBAL) != 0;
        if (found == ACTION_NONE || (special && !found_special)) {
            found = (enum action)i;
            found_special = special;
        }
    }
    return found;
}
