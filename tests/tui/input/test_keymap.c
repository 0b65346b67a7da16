/* Draws only: not for TSan. */
/* Keys that the user binds to actions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tui/input/keys.h"

static int clean(void **state)
{
    (void)state;
    keymap_reset();
    return 0;
}

static enum action of(uint32_t key, unsigned contexts)
{
    return key_action(&(struct key_event){.key = key}, contexts);
}

static void labels_and_names_agree(void **state)
{
    (void)state;
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

static void a_bound_key_replaces_the_old(void **state)
{
    (void)state;
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
static void keys_of_the_thing_under_the_cursor_take_precedence(void **state)
{
    (void)state;
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

static void ctrl_c_always_leaves(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    assert_int_equal(keymap_bind("quit", "", &err), 0);
    assert_string_equal(keymap_keys(ACTION_QUIT), "");
    assert_int_equal(of('q', CONTEXT_GLOBAL), ACTION_NONE);
    assert_int_equal(of(3, CONTEXT_GLOBAL), ACTION_QUIT);
    assert_int_not_equal(keymap_bind("help", "^C", &err), 0);
    assert_non_null(strstr(err.why, "always leaves"));
}

static void a_key_means_one_thing(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    assert_int_equal(keymap_bind("help", "q", &err), 0);
    assert_int_not_equal(keymap_check(&err, NULL), 0);
    assert_string_equal(err.what, "key q");
    assert_non_null(strstr(err.why, "'help'"));
    assert_non_null(strstr(err.why, "'quit'"));
    keymap_reset();
    /* keys of lists take precedence over those of the whole screen: no conflict */
    assert_int_equal(keymap_bind("sort-next", "p", &err), 0);
    assert_int_equal(keymap_check(&err, NULL), 0);
    assert_int_equal(of('p', CONTEXT_GLOBAL | CONTEXT_LIST), ACTION_SORT_NEXT);
    assert_int_equal(of('p', CONTEXT_GLOBAL), ACTION_PAUSE);
}

static void mistakes_are_named(void **state)
{
    (void)state;
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

static void going_back(void **state)
{
    (void)state;
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
static void the_defaults_do_not_collide(void **state)
{
    (void)state;
    struct error err = ERROR_INIT;
    for (int i = 1; i < ACTION_COUNT; i++) {
        char keys[KEYMAP_KEYS_MAX];
        snprintf(keys, sizeof keys, "%s", action_table[i].keys);
        char *ctrl_c = strstr(keys, "^C");
        if (ctrl_c)
            memset(ctrl_c, ' ', 2);
        if (keymap_bind(action_table[i].name, keys, &err) != 0)
            fail_msg("%s: %s", err.what, err.why);
    }
    if (keymap_check(&err, NULL) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

#define T(f) cmocka_unit_test_setup_teardown(f, clean, clean)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(labels_and_names_agree),      T(a_bound_key_replaces_the_old),
        T(ctrl_c_always_leaves),        T(a_key_means_one_thing),
        T(mistakes_are_named),          T(going_back),
        T(the_defaults_do_not_collide), T(keys_of_the_thing_under_the_cursor_take_precedence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
