/* Members of the beginning of a JSON text, wherever they stand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/look.h"

#define ASK(text)         json_look_member(text, strlen(text), "wanted", NULL)
#define ASK_VALUE(text)   json_look_member(text, strlen(text), "wanted", "one.")
#define ASK_ELEMENT(text) json_look_element(text, strlen(text), "ph")

static void a_member_is_found_wherever_it_stands(void **state)
{
    (void)state;
    assert_int_equal(ASK("{\"wanted\":1"), JSON_LOOK_YES);
    assert_int_equal(ASK("{\"a\":[{\"x\":{}}],\"b\":\"\",\"wanted\":[]}"), JSON_LOOK_YES);
    assert_int_equal(ASK("\xef\xbb\xbf \n{\"a\":null , \"wanted\" : "), JSON_LOOK_YES);
    assert_int_equal(ASK("{\"a\":1}"), JSON_LOOK_NO);
    assert_int_equal(ASK("{}"), JSON_LOOK_NO);
}

static void members_of_members_and_texts_are_none(void **state)
{
    (void)state;
    assert_int_equal(ASK("{\"a\":{\"wanted\":1},\"b\":\"\\\"wanted\\\":\"}"), JSON_LOOK_NO);
    assert_int_equal(ASK("[{\"wanted\":1}]"), JSON_LOOK_NO);
    assert_int_equal(ASK("\"wanted\""), JSON_LOOK_NO);
    assert_int_equal(ASK("wanted"), JSON_LOOK_NO);
}

static void a_text_that_ends_first_needs_more(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "{",          "{\"wan",    "{\"wanted\"",
                                        "{\"a\":[1,", "{\"a\":\"x", "{\"a\":1,", "{\"a\":tr"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ASK(texts[i]) != JSON_LOOK_MORE)
            fail_msg("'%s'", texts[i]);
}

static void a_value_is_compared(void **state)
{
    (void)state;
    assert_int_equal(ASK_VALUE("{\"wanted\":\"one.two\"}"), JSON_LOOK_YES);
    assert_int_equal(ASK_VALUE("{\"a\":\"one.two\",\"wanted\":\"on\"}"), JSON_LOOK_NO);
    assert_int_equal(ASK_VALUE("{\"wanted\":[\"one.two\"]}"), JSON_LOOK_NO);
    assert_int_equal(ASK_VALUE("{\"wanted\":\"one"), JSON_LOOK_MORE);
}

static void an_element_of_an_array_is_found(void **state)
{
    (void)state;
    assert_int_equal(ASK_ELEMENT("[{},{\"name\":{\"ph\":1}},7,[{\"ph\":1}],{\"a\":1,\"ph\":"),
                     JSON_LOOK_YES);
    assert_int_equal(ASK_ELEMENT("[{\"name\":{\"ph\":1}}]"), JSON_LOOK_NO);
    assert_int_equal(ASK_ELEMENT("[{\"name\":{\"ph\":1}},"), JSON_LOOK_MORE);
    assert_int_equal(ASK_ELEMENT("[1,2,\"ph\"]"), JSON_LOOK_NO);
    assert_int_equal(ASK_ELEMENT("[{]"), JSON_LOOK_NO);
    assert_int_equal(ASK_ELEMENT("{\"ph\":1}"), JSON_LOOK_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_is_found_wherever_it_stands),
        cmocka_unit_test(members_of_members_and_texts_are_none),
        cmocka_unit_test(a_text_that_ends_first_needs_more),
        cmocka_unit_test(a_value_is_compared),
        cmocka_unit_test(an_element_of_an_array_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
