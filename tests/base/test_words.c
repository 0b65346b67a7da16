/* base/words.h: only whole words match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/words.h"

static void whole_words_are_found(void **state)
{
    (void)state;
    assert_true(words_have("zen3 zen4 any", "zen3"));
    assert_true(words_have("zen3 zen4 any", "zen4"));
    assert_true(words_have("zen3 zen4 any", "any"));
    assert_true(words_have("any", "any"));
    assert_true(words_have("armv8_slots armv8", "armv8"));
    assert_true(words_have("aa  a", "a"));
}

static void parts_of_words_are_not(void **state)
{
    (void)state;
    assert_false(words_have("armv8_slots", "armv8"));
    assert_false(words_have("neoverse_n1", "n1"));
    assert_false(words_have("zen3 zen4", "zen"));
    assert_false(words_have("aaa", "a"));
    assert_false(words_have("zen3 zen4", ""));
    assert_false(words_have("", "zen3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_words_are_found),
        cmocka_unit_test(parts_of_words_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
