/* Draws only: not for TSan. */
#include <stdio.h>
#include <string.h>

#include "tui/input/keys.h"
#include "support/test.h"

static const char *next_word(const char *p, char out[16])
{
    size_t n = strcspn(p, " ");
    snprintf(out, 16, "%.*s", (int)n, p);
    return p + n + strspn(p + n, " ");
}

TEST(every_key_of_the_table_has_a_name)
{
    char word[16], label[16];
    for (int a = 1; a < ACTION_COUNT; a++) {
        assert_int_equal(action_table[a].action, a);
        assert_true(strlen(action_table[a].help) > 0 && strlen(action_table[a].name) > 0);
        for (const char *p = action_table[a].keys; *p;) {
            p = next_word(p, word);
            uint32_t key = key_parse(word);
            if (key == KEY_NONE)
                fail_msg("%s: '%s' is no key", action_table[a].name, word);
            assert_string_equal(key_label(key, label), word);
        }
    }
}

TEST(no_key_means_two_things_in_one_place)
{
    char a_word[16], b_word[16];
    for (int a = 1; a < ACTION_COUNT; a++)
        for (int b = a + 1; b < ACTION_COUNT; b++) {
            if (!(action_table[a].contexts & action_table[b].contexts))
                continue;
            for (const char *p = action_table[a].keys; *p;) {
                p = next_word(p, a_word);
                for (const char *q = action_table[b].keys; *q;) {
                    q = next_word(q, b_word);
                    if (strcmp(a_word, b_word) == 0)
                        fail_msg("%s and %s both want %s", action_table[a].name,
                                 action_table[b].name, a_word);
                }
            }
        }
}

static enum action act(uint32_t key, unsigned contexts)
{
    return key_action(&(struct key_event){.key = key}, contexts);
}

TEST(keys_act_where_they_belong)
{
    assert_int_equal(act('q', CONTEXT_GLOBAL), ACTION_QUIT);
    assert_int_equal(act(3, CONTEXT_GLOBAL), ACTION_QUIT);
    assert_int_equal(act('a', CONTEXT_GLOBAL), ACTION_NONE);
    assert_int_equal(act('a', CONTEXT_GLOBAL | CONTEXT_PROCS), ACTION_ATTACH);
    assert_int_equal(act('j', CONTEXT_GLOBAL | CONTEXT_LIST), ACTION_DOWN);
    assert_int_equal(act('\n', CONTEXT_GLOBAL), act(KEY_ENTER_, CONTEXT_GLOBAL));
    assert_int_equal(act(KEY_F10, CONTEXT_GLOBAL), ACTION_QUIT);
    assert_int_equal(act(0x1f600, CONTEXT_GLOBAL | CONTEXT_LIST), ACTION_NONE);
    assert_int_equal(key_parse("Nonsense"), KEY_NONE);
    assert_int_equal(key_parse(""), KEY_NONE);
    assert_int_equal(key_parse("F13"), KEY_NONE);
}

/* A key with a meaning for the whole screen and one for the thing under the cursor has the
 * latter. */
TEST(keys_of_the_thing_under_the_cursor_take_precedence)
{
    char g_word[16], s_word[16];
    int pairs = 0;
    for (int g = 1; g < ACTION_COUNT; g++)
        for (int k = 1; k < ACTION_COUNT; k++) {
            if (!(action_table[g].contexts & CONTEXT_GLOBAL) ||
                action_table[k].contexts & CONTEXT_GLOBAL)
                continue;
            for (const char *p = action_table[g].keys; *p;) {
                p = next_word(p, g_word);
                for (const char *q = action_table[k].keys; *q;) {
                    q = next_word(q, s_word);
                    if (strcmp(g_word, s_word) != 0)
                        continue;
                    pairs++;
                    uint32_t key = key_parse(g_word);
                    assert_int_equal(act(key, CONTEXT_GLOBAL), g);
                    if (act(key, CONTEXT_GLOBAL | action_table[k].contexts) != (enum action)k)
                        fail_msg("%s is %s, not %s", g_word, action_table[g].name,
                                 action_table[k].name);
                }
            }
        }
    assert_true(pairs > 0);
}

/* The key of each view, which must not change; those without an action are reserved for future
 * views. */
TEST(each_view_has_its_key_wherever_the_cursor_is)
{
    static const struct {
        const char *key;
        enum action view;
    } settled[] = {
        {"1", ACTION_TAB_SUMMARY},  {"2", ACTION_TAB_COUNTERS},   {"3", ACTION_TAB_TREE},
        {"4", ACTION_TAB_PATH},     {"5", ACTION_TAB_ROOFLINE},   {"6", ACTION_TAB_KERNELS},
        {"7", ACTION_TAB_SYSCALLS}, {"8", ACTION_TAB_FUNCTIONS},  {"9", ACTION_TAB_BENCH},
        {"0", ACTION_TAB_GPU},      {"f", ACTION_VIEW_FUNCTIONS}, {"K", ACTION_VIEW_KERNELS},
        {"o", ACTION_VIEW_OUTPUT},  {"I", ACTION_VIEW_STEPS},     {"C", ACTION_VIEW_COMPARE},
        {"H", ACTION_VIEW_HISTORY}, {"Y", ACTION_VIEW_SYSCALLS},  {"O", ACTION_VIEW_OPTIMIZE},
        {"M", ACTION_VIEW_FLEET},
    };
    for (size_t i = 0; i < sizeof settled / sizeof *settled; i++)
        for (unsigned context = CONTEXT_GLOBAL; context < CONTEXT_END; context <<= 1) {
            enum action got = act(key_parse(settled[i].key), CONTEXT_GLOBAL | context);
            if (context != CONTEXT_OVERLAY && got != settled[i].view)
                fail_msg("%s is %s, not %s, in context %#x", settled[i].key, action_table[got].name,
                         action_table[settled[i].view].name, context);
        }
}
