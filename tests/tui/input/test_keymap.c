/* Draws only: not for TSan. */
/* Keys that the user binds to actions. */
#include <stdio.h>
#include <string.h>

#include "tui/input/keys.h"
#include "tui/model/view.h"
#include "support/test.h"

FIXTURE(clean)
{
    keymap_reset();
}

static enum action of(uint32_t key, unsigned contexts)
{
    return key_action(&(struct key_event){.key = key}, contexts);
}

TEST_WITH(labels_and_names_agree, clean, clean)
{
    static const uint32_t keys[] = {'a',
                                    'Z',
                                    '~',
                                    ' ',
                                    '\t',
                                    27,
                                    1,
                                    26,
                                    KEY_F1,
                                    KEY_F10,
                                    KEY_F12,
                                    KEY_UP_,
                                    KEY_PGDN,
                                    KEY_END_,
                                    0xe9,
                                    0x44f,
                                    KEY_CTRL_LEFT,
                                    KEY_SHIFT_RIGHT,
                                    KEY_ALT + 'x',
                                    KEY_ALT + '/'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char label[16];
        key_label(keys[i], label);
        if (key_parse(label) != keys[i])
            fail_msg("%s is %x, not %x", label, key_parse(label), keys[i]);
    }
    static const char *const none[] = {"", "F13", "F0", "Alt-", "Alt-xy", "ab", "^é", "Ctrl-x"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (key_parse(none[i]) != KEY_NONE)
            fail_msg("'%s' was taken", none[i]);
}

/* What is refused while rooftop runs changes nothing, not even what was chosen before. */
TEST_WITH(a_chosen_key_is_known_as_such, clean, clean)
{
    static const char *const refused[][2] = {{"qiut", "X"}, {"quit", "F99"}, {"quit", "j"}};
    struct error err = ERROR_INIT;
    assert_int_equal(keymap_bind("help", "Alt-h", &err), 0);
    assert_int_equal(keymap_choose("quit", "X F10", &err), 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_true(keymap_choose(refused[i][0], refused[i][1], &err) < 0);
        assert_int_equal(of('X', CONTEXT_GLOBAL), ACTION_QUIT);
    }
    assert_string_equal(keymap_keys(ACTION_QUIT), "X F10");
    assert_true(keymap_chosen(ACTION_QUIT));
    assert_false(keymap_chosen(ACTION_HELP));
    keymap_reset();
    assert_false(keymap_chosen(ACTION_QUIT));
}

TEST_WITH(a_bound_key_replaces_the_old, clean, clean)
{
    struct error err = ERROR_INIT;
    assert_int_equal(keymap_bind("help", "Alt-h F1", &err), 0);
    assert_int_equal(keymap_check(&err, NULL), 0);
    assert_string_equal(keymap_keys(ACTION_HELP), "Alt-h F1");
    assert_int_equal(of(KEY_ALT + 'h', CONTEXT_GLOBAL), ACTION_HELP);
    assert_int_equal(of(KEY_F1, CONTEXT_GLOBAL), ACTION_HELP);
    assert_int_equal(of('?', CONTEXT_GLOBAL), ACTION_NONE);
    keymap_reset();
    assert_int_equal(of('?', CONTEXT_GLOBAL), ACTION_HELP);
}

/* A key that is bound to an action of the whole screen keeps its meaning for the thing under the
 * cursor, whatever their order in the table. */
TEST_WITH(keys_of_the_thing_under_the_cursor_take_precedence, clean, clean)
{
    struct error err = ERROR_INIT;
    assert_true(ACTION_HELP < ACTION_OPEN_FUNCTION);
    assert_int_equal(keymap_bind("help", "Enter", &err), 0);
    assert_int_equal(of(KEY_ENTER_, CONTEXT_GLOBAL), ACTION_HELP);
    assert_int_equal(of(KEY_ENTER_, CONTEXT_GLOBAL | CONTEXT_FUNCTIONS), ACTION_OPEN_FUNCTION);
    keymap_reset();
    assert_true(ACTION_ATTACH < ACTION_QUIT);
    assert_int_equal(keymap_bind("quit", "a", &err), 0);
    assert_int_equal(of('a', CONTEXT_GLOBAL), ACTION_QUIT);
    assert_int_equal(of('a', CONTEXT_GLOBAL | CONTEXT_PROCS), ACTION_ATTACH);
}

TEST_WITH(ctrl_c_always_leaves, clean, clean)
{
    struct error err = ERROR_INIT;
    assert_int_equal(keymap_bind("quit", "", &err), 0);
    assert_string_equal(keymap_keys(ACTION_QUIT), "");
    assert_int_equal(of('q', CONTEXT_GLOBAL), ACTION_NONE);
    assert_int_equal(of(3, CONTEXT_GLOBAL), ACTION_QUIT);
    assert_int_not_equal(keymap_bind("help", "^C", &err), 0);
    assert_non_null(strstr(err.why, "always leaves"));
}

TEST_WITH(a_key_means_one_thing, clean, clean)
{
    struct error err = ERROR_INIT;
    assert_int_equal(keymap_bind("help", "q", &err), 0);
    assert_int_not_equal(keymap_check(&err, NULL), 0);
    assert_string_equal(err.what, "key q");
    assert_non_null(strstr(err.why, "'help'"));
    assert_non_null(strstr(err.why, "'quit'"));
    keymap_reset();
    /* "j" goes down in nearly every view: it would never quit */
    assert_int_equal(keymap_bind("quit", "j", &err), 0);
    assert_int_not_equal(keymap_check(&err, NULL), 0);
    assert_string_equal(err.what, "key j");
    assert_non_null(strstr(err.why, "'down'"));
    keymap_reset();
    assert_int_equal(keymap_bind("sort-next", "p", &err), 0); /* the other way round */
    assert_int_not_equal(keymap_check(&err, NULL), 0);
    keymap_reset();
    /* the table itself gives Left to both: in the tree it belongs to the tree */
    assert_int_equal(keymap_bind("time-back", "Left Alt-b", &err), 0);
    assert_int_equal(keymap_check(&err, NULL), 0);
}

/* What asks for actions: each view, each overlay. */
static size_t screens(unsigned out[64])
{
    size_t n = 0;
    out[n++] = CONTEXT_GLOBAL | CONTEXT_OVERLAY;
    out[n++] = CONTEXT_GLOBAL | CONTEXT_OVERLAY | CONTEXT_FUNCTIONS;
    out[n++] = CONTEXT_GLOBAL | CONTEXT_OVERLAY | CONTEXT_TREE;
    for (int i = 0; views[i]; i++) {
        assert_true(n < 62);
        out[n++] = CONTEXT_GLOBAL | views[i]->contexts;
        if (view_tab(i) == view_tab(view_named("overview")))
            out[n++] = CONTEXT_GLOBAL | views[i]->contexts | CONTEXT_WIDER;
        if (views[i]->contexts & CONTEXT_PROCS)
            out[n++] = CONTEXT_GLOBAL | views[i]->contexts | CONTEXT_PROC_TREE;
    }
    return n;
}

static bool in_table(int action, const char *name)
{
    char keys[KEYMAP_KEYS_MAX + 2], wanted[24];
    snprintf(keys, sizeof keys, " %s ", action_table[action].keys);
    snprintf(wanted, sizeof wanted, " %s ", name);
    return strstr(keys, wanted) != NULL;
}

/* A view gets the digit of a tab that keeps its own. */
static bool gives_way(int tab, int view)
{
    return strncmp(action_table[tab].name, "tab-", 4) == 0 &&
           strncmp(action_table[view].name, "view-", 5) == 0;
}

/*
 * Gives one more key to action a, after those it has: one of action b. It is accepted exactly if it
 * starts a wherever a can start and goes on to start b wherever it did.
 */
static void check_pair(int a, int b, const char *key, const unsigned *screen, size_t n)
{
    struct error err = ERROR_INIT;
    char keys[KEYMAP_KEYS_MAX];
    bool both = false;
    keymap_reset();
    if (in_table(a, key))
        return;
    snprintf(keys, sizeof keys, "%.40s %.15s",
             strcmp(action_table[a].keys, "q F10 ^C") == 0 ? "q F10" : action_table[a].keys, key);
    assert_int_equal(keymap_bind(action_table[a].name, keys, &err), 0);
    for (size_t i = 0; i < n; i++)
        for (int c = 1; c < ACTION_COUNT; c++)
            both = both || (c != a && !gives_way(c, a) && (action_table[a].contexts & screen[i]) &&
                            (action_table[c].contexts & screen[i]) && in_table(c, key));
    if ((keymap_check(&err, NULL) != 0) != both)
        fail_msg("%s beside %s with %s: %s", action_table[a].name, action_table[b].name, key,
                 both ? "accepted" : err.why);
    for (size_t i = 0; i < n && !both; i++)
        if (action_table[a].contexts & screen[i])
            assert_int_equal(of(key_parse(key), screen[i]), a);
}

TEST_WITH(no_accepted_key_is_without_effect, clean, clean)
{
    unsigned screen[64];
    size_t n = screens(screen);
    for (int a = 1; a < ACTION_COUNT; a++)
        for (int b = 1; b < ACTION_COUNT; b++) {
            char keys[KEYMAP_KEYS_MAX], *rest = NULL;
            snprintf(keys, sizeof keys, "%s", action_table[b].keys);
            for (char *k = strtok_r(keys, " ", &rest); k; k = strtok_r(NULL, " ", &rest))
                if (a != b && action_table[a].contexts != CONTEXT_MOUSE && strcmp(k, "^C") != 0)
                    check_pair(a, b, k, screen, n);
        }
}

/* A terminal sends ^J and ^H for Enter and Backspace, and ^Z stops rooftop. */
TEST_WITH(keys_with_two_names, clean, clean)
{
    struct error err = ERROR_INIT;
    assert_int_equal(key_parse("^J"), key_parse("Enter"));
    assert_int_equal(key_parse("^M"), key_parse("Enter"));
    assert_int_equal(key_parse("^H"), key_parse("Backspace"));
    assert_int_not_equal(keymap_bind("help", "^Z", &err), 0);
    assert_int_not_equal(keymap_bind("point-span", "z", &err), 0);
    assert_non_null(strstr(err.why, "mouse"));
}

TEST_WITH(mistakes_are_named, clean, clean)
{
    struct error err = ERROR_INIT;
    assert_int_not_equal(keymap_bind("hlep", "h", &err), 0);
    assert_string_equal(err.help, "did you mean 'help'?");
    assert_int_not_equal(keymap_bind("help", "h F13", &err), 0);
    assert_string_equal(err.why, "'F13' is no key");
    assert_non_null(strstr(err.help, "Alt-x"));
    assert_int_not_equal(keymap_bind("help", "Mouse", &err), 0);
    char many[200];
    memset(many, ' ', sizeof many);
    many[0] = 'h';
    many[sizeof many - 1] = '\0';
    assert_int_not_equal(keymap_bind("help", many, &err), 0);
    assert_string_equal(keymap_keys(ACTION_HELP), "? F1"); /* as before */
}

TEST_WITH(going_back, clean, clean)
{
    struct error err = ERROR_INIT;
    static struct keymap before;
    keymap_bind("help", "h", &err);
    keymap_save(&before);
    keymap_reset();
    keymap_bind("quit", "Q", &err);
    keymap_restore(&before);
    assert_string_equal(keymap_keys(ACTION_HELP), "h");
    assert_string_equal(keymap_keys(ACTION_QUIT), "q F10 ^C");
}

/* The default keys: no two actions of a context share one. */
TEST_WITH(the_defaults_do_not_collide, clean, clean)
{
    for (int a = 1; a < ACTION_COUNT; a++)
        for (int b = 1; b < a; b++) {
            char keys[KEYMAP_KEYS_MAX], *rest = NULL;
            snprintf(keys, sizeof keys, "%s", action_table[a].keys);
            for (char *k = strtok_r(keys, " ", &rest); k; k = strtok_r(NULL, " ", &rest))
                if ((action_table[a].contexts & action_table[b].contexts) && in_table(b, k))
                    fail_msg("%s: %s and %s", k, action_table[a].name, action_table[b].name);
        }
}
