/* JSON read by expected types: what is accepted, and where it reports a fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "support/test.h"

static struct error err;

static struct json json;

/* Opens a text in place of the last one. */
static struct json *open_text(const char *text)
{
    err = (struct error){0};
    json_close(&json);
    json_open(&json, "f.json", text, strlen(text), &err);
    return &json;
}

/* Skips the whole text. */
static int skipped(const char *text)
{
    struct json *j = open_text(text);
    json_skip(j);
    json_end(j);
    return j->rc;
}

TEST(whole_documents_are_taken)
{
    static const char *const good[] = {
        "0",
        "-0",
        "-12.5e+3",
        "1E9",
        "null",
        "true",
        "false",
        "\"\"",
        "[]",
        "{}",
        " [ 1 , [ ] , { } , \"a\" , null ] \r\n\t",
        "{\"a\": {\"b\": [1, {\"c\": []}]}, \"d\": \"\\u00e9\\ud83d\\ude00\\n\\\"\\\\\\/\"}",
        "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (skipped(good[i]) != 0)
            fail_msg("%s: %s", good[i], err.why);
}

TEST(faults_are_told_with_their_place)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "byte 0 (line 1, column 1): the text ends before its value does"},
        {"[1, 2", "byte 5 (line 1, column 6): the text ends before its ']'"},
        {"[1\n 2]", "byte 4 (line 2, column 2): a comma or ] was expected here"},
        {"[1,]", "byte 3 (line 1, column 4): a value was expected here"},
        {"[,1]", "byte 1"},
        {"{\"a\" 1}", "byte 5 (line 1, column 6): a colon was expected here"},
        {"{\"a\":1,}", "byte 7 (line 1, column 8): the name of a member was expected here"},
        {"{1:2}", "byte 1 (line 1, column 2): the name of a member was expected here"},
        {"{\"a\":1", "byte 6 (line 1, column 7): the text ends before its '}'"},
        {"[1}", "byte 2 (line 1, column 3): a comma or ] was expected here"},
        {"\"abc", "byte 4 (line 1, column 5): the text ends before its value does"},
        {"\"a\\", "the text ends before its value does"},
        {"\"a\\q\"", "byte 3 (line 1, column 4): a backslash in a string stands before"},
        {"\"\\u12g4\"", "four hexadecimal digits"},
        {"\"a\tb\"", "byte 2 (line 1, column 3): a control character in a text"},
        {"\"\\n\tb\"", "byte 3 (line 1, column 4): a control character in a text"},
        {"1.", "neither a number nor"},
        {"1e", "neither a number nor"},
        {"-", "neither a number nor"},
        {"nul", "neither a number nor true, false, null"},
        {"truth", "neither a number nor"},
        {"1 2", "byte 2 (line 1, column 3): something follows the end of the document"},
        {"NaN", "neither a number nor"},
        {"'a'", "byte 0 (line 1, column 1): a value was expected here"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (skipped(bad[i].text) == 0)
            fail_msg("'%s' was taken", bad[i].text);
        if (!strstr(err.why, bad[i].why))
            fail_msg("'%s': '%s', not '%s'", bad[i].text, err.why, bad[i].why);
        assert_string_equal(err.what, "f.json");
        assert_int_equal(err.kind, ERROR_INPUT);
    }
}

TEST(a_nul_ends_nothing)
{
    struct json j;
    json_open(&j, "f", "[1]\0[2]", 7, &err);
    json_skip(&j);
    json_end(&j);
    assert_true(j.rc < 0);
    json_close(&j);
    json_open(&j, "f", "[\0]", 3, &err);
    json_skip(&j);
    assert_true(j.rc < 0);
    json_close(&j);
}

TEST(nesting_has_an_end)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP + 1);
    memset(text, '[', DEEP);
    text[DEEP] = '\0';
    assert_true(skipped(text) < 0);
    assert_non_null(strstr(err.why, "more than 128 objects and arrays"));
    free(text);
}

TEST(numbers_are_exact_or_refused)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"0", 0},
                {"-7", -7},
                {"123456789012345", 123456789012345},
                {"9007199254740992", 9007199254740992},
                {"1e3", 1000},
                {"2.0", 2},
                {"-0", 0}};
    static const char *const bad[] = {
        "9007199254740994", "1e30", "1.5", "\"1\"", "null", "[1]", ""};
    static const struct {
        const char *text, *why;
    } worse[] = {{"01", "not a number that can be read"},
                 {"-01.5", "not a number that can be read"},
                 {"1e999", "it is too large"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct json *j = open_text(good[i].text);
        int64_t v = json_i64(j, "it");
        json_end(j);
        if (j->rc != 0 || v != good[i].value)
            fail_msg("%s: %lld, %s", good[i].text, (long long)v, err.why);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct json *j = open_text(bad[i]);
        assert_int_equal(json_i64(j, "it"), 0);
        if (j->rc == 0 || (*bad[i] && !strstr(err.why, "it")))
            fail_msg("'%s' was taken", bad[i]);
    }
    for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
        struct json *j = open_text(worse[i].text);
        json_double(j, "it");
        if (j->rc == 0 || !strstr(err.why, worse[i].why))
            fail_msg("'%s': '%s'", worse[i].text, err.why);
    }
    struct json *j = open_text("-1");
    assert_int_equal(json_u64(j, "hits"), 0);
    assert_non_null(strstr(err.why, "hits is negative: -1"));
    j = open_text("4294967295");
    assert_int_equal(json_u32(j, "line"), 0);
    assert_non_null(strstr(err.why, "line is too large"));
    j = open_text("-2.5e-1");
    assert_true(json_double(j, "x") == -0.25);
}

TEST(texts_are_resolved)
{
    struct arena memory = {0};
    char cut[6];
    struct json *j = open_text("\"a\\n\\u00e9\\ud83d\\ude00\\ud83dx\\u0000\"");
    assert_string_equal(json_text(j, "it", &memory),
                        "a\n\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbdx\xef\xbf\xbd");
    json_end(j);
    assert_int_equal(j->rc, 0);
    j = open_text("null");
    assert_string_equal(json_text(j, "it", &memory), "");
    assert_int_equal(j->rc, 0);
    j = open_text("\"abc\xc3\xa9xyz\"");
    json_copy(j, "it", cut, sizeof cut);
    assert_string_equal(cut, "abc\xc3\xa9");
    j = open_text("\"abcd\\u00e9\"");
    json_copy(j, "it", cut, sizeof cut); /* cut between characters */
    assert_string_equal(cut, "abcd");
    json_end(j);
    assert_int_equal(j->rc, 0);
    arena_free(&memory);
}

TEST(members_and_items_come_in_order)
{
    struct json *j = open_text("{\"a\":[1,[],2],\"b\":null,\"c\":{},\"d\":[[3,4,5],[6]]}");
    char key[8], seen[64] = "";
    uint64_t sum = 0;
    assert_true(json_object(j));
    while (json_key(j, key, sizeof key)) {
        strcat(seen, key);
        if (*key == 'a') {
            assert_true(json_array(j));
            while (json_item(j))
                if (json_type(j) == '0')
                    sum += json_u64(j, "n");
                else
                    json_skip(j);
        } else if (*key == 'b') {
            assert_false(json_array(j)); /* nothing more, and no fault */
        } else if (*key == 'd') {
            assert_true(json_array(j));
            while (json_item(j)) {
                assert_true(json_array(j));
                assert_true(json_column(j, "first"));
                sum += 100 * json_u64(j, "n");
                json_leave(j);
            }
        } else {
            json_skip(j);
        }
    }
    json_end(j);
    assert_int_equal(j->rc, 0);
    assert_string_equal(seen, "abcd");
    assert_int_equal(sum, 903);
    j = open_text("[1]");
    assert_true(json_array(j));
    assert_true(json_column(j, "time"));
    json_u64(j, "time");
    assert_false(json_column(j, "stall"));
    assert_non_null(strstr(err.why, "the row ends before its column \"stall\""));
}

/* A caller that forgets to read an item must not see it again and again. */
TEST(an_item_that_nothing_reads_is_a_fault)
{
    struct json *j = open_text("[1, 2]");
    assert_true(json_array(j));
    assert_true(json_item(j));
    assert_false(json_item(j));
    assert_non_null(strstr(err.why, "byte 1 (line 1, column 2): a value that nothing reads"));
}

TEST(the_first_fault_stays)
{
    struct json *j = open_text("[true, false]");
    char first[256];
    json_array(j);
    json_item(j);
    json_u64(j, "hits");
    snprintf(first, sizeof first, "%s", err.why);
    assert_non_null(strstr(first, "hits should be a number, here is true or false"));
    assert_false(json_item(j));
    assert_false(json_object(j));
    json_skip(j);
    json_leave(j);
    json_end(j);
    assert_string_equal(err.why, first);
}

int main(void)
{
    int failed = tests_run(NULL, NULL);
    json_close(&json);
    return failed;
}
