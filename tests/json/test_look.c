/* Members of the beginning of a JSON text, wherever they stand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/look.h"
#include "support/test.h"

#define ASK(text)         json_look_member(text, strlen(text), "wanted", NULL)
#define ASK_VALUE(text)   json_look_member(text, strlen(text), "wanted", "one.")
#define ASK_ELEMENT(text) json_look_element(text, strlen(text), "ph")

TEST(a_member_is_found_wherever_it_stands)
{
    assert_int_equal(ASK("{\"wanted\":1"), JSON_LOOK_YES);
    assert_int_equal(ASK("{\"a\":[{\"x\":{}}],\"b\":\"\",\"wanted\":[]}"), JSON_LOOK_YES);
    assert_int_equal(ASK("\xef\xbb\xbf \n{\"a\":null , \"wanted\" : "), JSON_LOOK_YES);
    assert_int_equal(ASK("{\"a\":1}"), JSON_LOOK_NO);
    assert_int_equal(ASK("{}"), JSON_LOOK_NO);
}

TEST(members_of_members_and_texts_are_none)
{
    assert_int_equal(ASK("{\"a\":{\"wanted\":1},\"b\":\"\\\"wanted\\\":\"}"), JSON_LOOK_NO);
    assert_int_equal(ASK("[{\"wanted\":1}]"), JSON_LOOK_NO);
    assert_int_equal(ASK("\"wanted\""), JSON_LOOK_NO);
    assert_int_equal(ASK("wanted"), JSON_LOOK_NO);
}

TEST(a_text_that_ends_first_needs_more)
{
    static const char *const texts[] = {"",           "{",          "{\"wan",    "{\"wanted\"",
                                        "{\"a\":[1,", "{\"a\":\"x", "{\"a\":1,", "{\"a\":tr"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ASK(texts[i]) != JSON_LOOK_MORE)
            fail_msg("'%s'", texts[i]);
}

TEST(a_value_is_compared)
{
    assert_int_equal(ASK_VALUE("{\"wanted\":\"one.two\"}"), JSON_LOOK_YES);
    assert_int_equal(ASK_VALUE("{\"a\":\"one.two\",\"wanted\":\"on\"}"), JSON_LOOK_NO);
    assert_int_equal(ASK_VALUE("{\"wanted\":[\"one.two\"]}"), JSON_LOOK_NO);
    assert_int_equal(ASK_VALUE("{\"wanted\":\"one"), JSON_LOOK_MORE);
}

TEST(an_element_of_an_array_is_found)
{
    assert_int_equal(ASK_ELEMENT("[{},{\"name\":{\"ph\":1}},7,[{\"ph\":1}],{\"a\":1,\"ph\":"),
                     JSON_LOOK_YES);
    assert_int_equal(ASK_ELEMENT("[{\"name\":{\"ph\":1}}]"), JSON_LOOK_NO);
    assert_int_equal(ASK_ELEMENT("[{\"name\":{\"ph\":1}},"), JSON_LOOK_MORE);
    assert_int_equal(ASK_ELEMENT("[1,2,\"ph\"]"), JSON_LOOK_NO);
    assert_int_equal(ASK_ELEMENT("[{]"), JSON_LOOK_NO);
    assert_int_equal(ASK_ELEMENT("{\"ph\":1}"), JSON_LOOK_NO);
}

TEST(only_objects_and_arrays_begin_like_json)
{
    static const char *const yes[] = {"{\"a\":1}", "[1", "\xef\xbb\xbf{", " \t\r\n["};
    static const char *const no[] = {"", " ", "\"a\",\"b\"\n", "a,{\n", "\xef\xbb{", "12"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(json_look_begins(yes[i], strlen(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(json_look_begins(no[i], strlen(no[i])));
    assert_false(json_look_begins("\0{", 2));
}
