/* base/words.h: only whole words match. */

#include "base/words.h"
#include "support/test.h"

TEST(whole_words_are_found)
{
    assert_true(words_have("zen3 zen4 any", "zen3"));
    assert_true(words_have("zen3 zen4 any", "zen4"));
    assert_true(words_have("zen3 zen4 any", "any"));
    assert_true(words_have("any", "any"));
    assert_true(words_have("armv8_slots armv8", "armv8"));
    assert_true(words_have("aa  a", "a"));
}

TEST(parts_of_words_are_not)
{
    assert_false(words_have("armv8_slots", "armv8"));
    assert_false(words_have("neoverse_n1", "n1"));
    assert_false(words_have("zen3 zen4", "zen"));
    assert_false(words_have("aaa", "a"));
    assert_false(words_have("zen3 zen4", ""));
    assert_false(words_have("", "zen3"));
}
