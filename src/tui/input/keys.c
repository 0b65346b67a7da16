#include "tui/input/keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"

const struct action_info action_table[ACTION_COUNT] = {
#define ACTION(id, name, keys, contexts, footer, help)                                             \
    [ACTION_##id] = {ACTION_##id, name, keys, contexts, footer, help},
#include "tui/input/actions.def"
};

static const struct {
    uint32_t key;
    const char *name;
} names[] = {
    {' ', "Space"},
    {KEY_ESCAPE, "Escape"},
    {KEY_ENTER_, "Enter"},
    {KEY_TAB, "Tab"},
    {KEY_BACKSPACE_, "Backspace"},
    {KEY_UP_, "Up"},
    {KEY_DOWN_, "Down"},
    {KEY_LEFT_, "Left"},
    {KEY_RIGHT_, "Right"},
    {KEY_PGUP, "PgUp"},
    {KEY_PGDN, "PgDn"},
    {KEY_HOME_, "Home"},
    {KEY_END_, "End"},
    {KEY_INSERT, "Insert"},
    {KEY_DELETE, "Delete"},
    {KEY_BACKTAB, "BackTab"},
    {KEY_MOUSE_, "Mouse"},
    {KEY_RESIZE_, "Resize"},
    {KEY_CTRL_LEFT, "Ctrl-Left"},
    {KEY_CTRL_RIGHT, "Ctrl-Right"},
    {KEY_CTRL_UP, "Ctrl-Up"},
    {KEY_CTRL_DOWN, "Ctrl-Down"},
    {KEY_SHIFT_LEFT, "Shift-Left"},
    {KEY_SHIFT_RIGHT, "Shift-Right"},
};

const char *key_label(uint32_t key, char out[16])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key)
            return strcpy(out, names[i].name);
    if (key >= KEY_F1 && key <= KEY_F12)
        snprintf(out, 16, "F%u", (unsigned)(key - KEY_F1 + 1));
    else if (key > KEY_ALT + ' ' && key < KEY_ALT + 0x7f)
        snprintf(out, 16, "Alt-%c", (char)(key - KEY_ALT));
    else if (key > 0 && key < 0x20)
        snprintf(out, 16, "^%c", (char)('@' + key));
    else if (key > 0x20 && key < 0x7f)
        snprintf(out, 16, "%c", (char)key);
    else
        out[key > 0x9f && key < 0x110000 ? text_encode(key, out) : 0] = '\0';
    return out;
}

/* Some terminals send ^J for Enter and ^H for Backspace. */
static uint32_t make_canonical_key(uint32_t key)
{
    if (key == '\n')
        return KEY_ENTER_;
    return key == 8 ? KEY_BACKSPACE_ : key;
}

static uint32_t parse_key(const char *s, size_t n)
{
    if (n == 1) /* the most frequent case, as every picture asks for keys */
        return (unsigned char)s[0] < 0x7f ? (unsigned char)s[0] : KEY_NONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].name[0] == s[0] && strncmp(names[i].name, s, n) == 0 && !names[i].name[n])
            return names[i].key;
    if (n == 2 && s[0] == '^' && s[1] > '@' && s[1] < '`')
        return make_canonical_key((uint32_t)(s[1] - '@'));
    if (n == 2 && s[0] == 'F' && s[1] >= '1' && s[1] <= '9')
        return KEY_F1 + (uint32_t)(s[1] - '1');
    if (n == 3 && strncmp(s, "F1", 2) == 0 && s[2] >= '0' && s[2] <= '2')
        return KEY_F10 + (uint32_t)(s[2] - '0');
    if (n == 5 && strncmp(s, "Alt-", 4) == 0 && s[4] > ' ' && s[4] < 0x7f)
        return KEY_ALT + (unsigned char)s[4];
    if (n > 0 && n <= 4 && ((unsigned char)s[0] & 0x80)) { /* a letter outside ASCII */
        char one[8] = "";
        const char *p = one;
        memcpy(one, s, n);
        uint32_t ch = text_next(&p);
        return *p || ch == 0xfffd ? KEY_NONE : ch;
    }
    return KEY_NONE;
}

uint32_t key_parse(const char *name)
{
    return parse_key(name, strlen(name));
}

/* --- the keymap --- */

static struct keymap map;
/*
 * The key names as numbers, computed at the first use, because every picture asks for some. Those
 * of action a are from[a] up to from[a + 1].
 */
static struct {
    bool made;
    uint16_t from[ACTION_COUNT + 1];
    uint32_t keys[ACTION_COUNT * (KEYMAP_KEYS_MAX / 2)];
} parsed;

const char *keymap_keys(enum action a)
{
    return map.bound[a] ? map.keys[a] : action_table[a].keys;
}

void keymap_reset(void)
{
    map = (struct keymap){0};
    parsed.made = false;
}

void keymap_save(struct keymap *out)
{
    *out = map;
}

void keymap_restore(const struct keymap *from)
{
    map = *from;
    parsed.made = false;
}

static int unknown_action(const char *name, struct error *err)
{
    struct nearest near;
    char what[128], help[128] = "rooftop --print-config lists them";
    nearest_start(&near, name);
    for (int i = 1; i < ACTION_COUNT; i++)
        nearest_offer(&near, action_table[i].name);
    if (nearest_found(&near))
        snprintf(help, sizeof help, "did you mean '%s'?", nearest_found(&near));
    snprintf(what, sizeof what, "action '%.80s'", name);
    return error_set(err, ERROR_INPUT, EINVAL, help, what, "there is no action of that name");
}

enum action action_named(const char *name)
{
    int a = 1;
    while (a < ACTION_COUNT && strcmp(action_table[a].name, name) != 0)
        a++;
    return a < ACTION_COUNT ? (enum action)a : ACTION_NONE;
}

int keymap_bind(const char *name, const char *keys, struct error *err)
{
    const enum action a = action_named(name);
    if (a == ACTION_NONE)
        return unknown_action(name, err);
    char what[128];
    snprintf(what, sizeof what, "keys of '%.80s'", name);
    if (action_table[a].contexts == CONTEXT_MOUSE && *keys)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, what, "only a click of the mouse does it");
    if (strlen(keys) >= KEYMAP_KEYS_MAX)
        return error_set(err, ERROR_INPUT, EINVAL, "a few will do", what, "more than %d bytes",
                         KEYMAP_KEYS_MAX - 1);
    for (const char *k = keys + strspn(keys, " "); *k;) {
        size_t n = strcspn(k, " ");
        uint32_t key = parse_key(k, n);
        if (key == KEY_NONE || key == KEY_MOUSE_ || key == KEY_RESIZE_)
            return error_set(err, ERROR_INPUT, EINVAL,
                             "names are as in: q ^L Alt-x F5 Space Enter Tab Up PgDn Ctrl-Left",
                             what, "'%.*s' is no key", (int)(n < 32 ? n : 32), k);
        if (key == 3)
            return error_set(err, ERROR_INPUT, EINVAL, "choose another", what,
                             "^C always leaves rooftop");
        if (key == 26)
            return error_set(err, ERROR_INPUT, EINVAL, "choose another", what,
                             "^Z always stops rooftop until fg");
        k += n + strspn(k + n, " ");
    }
    snprintf(map.keys[a], sizeof map.keys[a], "%s", keys + strspn(keys, " "));
    map.bound[a] = true;
    parsed.made = false;
    return 0;
}

static void parse_all(void)
{
    uint16_t n = 0;
    for (int a = 0; a < ACTION_COUNT; a++) {
        parsed.from[a] = n;
        for (const char *k = a ? keymap_keys((enum action)a) : ""; *k;) {
            size_t len = strcspn(k, " ");
            parsed.keys[n++] = parse_key(k, len);
            k += len + strspn(k + len, " ");
        }
    }
    parsed.from[ACTION_COUNT] = n;
    parsed.made = true;
}

static bool is_key_bound(int action, uint32_t key)
{
    if (!parsed.made)
        parse_all();
    for (int i = parsed.from[action]; i < parsed.from[action + 1]; i++)
        if (parsed.keys[i] == key)
            return true;
    return false;
}

enum { OF_TAB = 1, OF_VIEW };
static const char kinds[ACTION_COUNT] = {
#define VIEW_TAB(id, keys, name, narrow, help) [ACTION_TAB_##id] = OF_TAB,
#define VIEW(id, tab, name, keys, help)        [ACTION_VIEW_##id] = OF_VIEW,
#include "tui/views/views.def"
};

/* Whether a tab that has its own digit leaves it to a view that the configuration binds to it. */
static bool gives_way(int tab, int view)
{
    return kinds[tab] == OF_TAB && kinds[view] == OF_VIEW && !map.bound[tab] && map.bound[view];
}

enum action key_action(const struct key_event *ev, unsigned contexts)
{
    if (ev->key == 3) /* ^C keeps its meaning, whatever is bound */
        return ACTION_QUIT;
    uint32_t key = make_canonical_key(ev->key);
    enum action found = ACTION_NONE;
    bool found_special = false;
    for (int i = 1; i < ACTION_COUNT; i++) {
        unsigned shared = action_table[i].contexts & contexts;
        if (!shared || !is_key_bound(i, key))
            continue;
        /* A binding for the thing under the cursor has priority over a global one. */
        bool special = (shared & ~(unsigned)CONTEXT_GLOBAL) != 0;
        if (found == ACTION_NONE || (special && !found_special) || gives_way((int)found, i)) {
            found = (enum action)i;
            found_special = special;
        }
    }
    return found;
}

/* The contexts that occur together, beside CONTEXT_GLOBAL: one row for each kind of view or
 * overlay. */
static const unsigned together[] = {
    CONTEXT_OVERLAY | CONTEXT_TREE, /* the source of a row of the tree */
    CONTEXT_LIST | CONTEXT_PROCS | CONTEXT_PROC_TREE | CONTEXT_WIDER,
    CONTEXT_OUTPUT | CONTEXT_WIDER,
    CONTEXT_LIST | CONTEXT_PLOT,
    CONTEXT_LIST | CONTEXT_TREE,
    CONTEXT_LIST | CONTEXT_KERNELS,
    CONTEXT_LIST | CONTEXT_GPU,
#define VIEW_CONTEXT(id, place, beside, title) CONTEXTS_##id,
#define VIEW_MEETS(id, contexts)               CONTEXT_##id | (contexts),
#include "tui/views/views.def"
};

/* Whether both actions can apply at the same time, so that a key of both could start only one. */
static bool can_actions_meet(const struct action_info *a, const struct action_info *b)
{
    if ((a->contexts | b->contexts) & CONTEXT_GLOBAL || (a->contexts & b->contexts))
        return true;
    for (size_t i = 0; i < sizeof together / sizeof *together; i++)
        if ((a->contexts & together[i]) && (b->contexts & together[i]))
            return true;
    return false;
}

/* Whether the table itself gives the action this key. */
static bool built_in(int action, uint32_t key)
{
    for (const char *k = action_table[action].keys; *k;) {
        size_t n = strcspn(k, " ");
        if (parse_key(k, n) == key)
            return true;
        k += n + strspn(k + n, " ");
    }
    return false;
}

static int two_actions(int i, int j, uint32_t key, struct error *err, enum action *which)
{
    char label[16], what[160];
    if (which)
        *which = (enum action)(map.bound[i] ? i : j);
    snprintf(what, sizeof what, "key %s", key_label(key, label));
    return error_set(err, ERROR_INPUT, EINVAL, "give one of them another key", what,
                     "it is bound to both '%s' and '%s'", action_table[j].name,
                     action_table[i].name);
}

/* Finds a key that starts two actions; within: only those of the same context. */
static int check_pairs(bool within, struct error *err, enum action *which)
{
    for (int i = 1; i < ACTION_COUNT; i++)
        for (int j = 1; j < i; j++) {
            const struct action_info *a = &action_table[i], *b = &action_table[j];
            if ((!map.bound[i] && !map.bound[j]) ||
                !(within ? (a->contexts & b->contexts) != 0 : can_actions_meet(a, b)) ||
                gives_way(j, i)) /* the tabs stand before the views */
                continue;
            for (int k = parsed.from[i]; k < parsed.from[i + 1]; k++) {
                uint32_t key = parsed.keys[k];
                if (is_key_bound(j, key) && !(built_in(i, key) && built_in(j, key)))
                    return two_actions(i, j, key, err, which);
            }
        }
    return 0;
}

int keymap_check(struct error *err, enum action *which)
{
    if (!memchr(map.bound, 1, sizeof map.bound)) /* the table's own keys are meant as they are */
        return 0;
    if (!parsed.made)
        parse_all();
    int rc = check_pairs(true, err, which); /* the plainer message first */
    return rc ? rc : check_pairs(false, err, which);
}

int keymap_choose(const char *name, const char *keys, struct error *err)
{
    struct keymap before;
    keymap_save(&before);
    int rc = keymap_bind(name, keys, err);
    if (rc == 0)
        rc = keymap_check(err, NULL);
    if (rc == 0)
        map.chosen[action_named(name)] = true;
    else
        keymap_restore(&before);
    return rc;
}

bool keymap_chosen(enum action a)
{
    return map.chosen[a];
}
