/* Tokens of JSON read from a stream, and numbers that keep all their digits. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/tokens.h"
#include "support/test.h"

static const char letters[] = "EC!{}[]ksnw"; /* one letter for each enum json_token */

/* A text that is read in chunks: each refill gives other memory, so that stale pointers show. */
struct chunks {
    const char *rest;
    size_t left, chunk;
    char *buffer;
};

static bool refill(struct json_input *in, void *source)
{
    struct chunks *c = source;
    size_t n = c->left < c->chunk ? c->left : c->chunk;
    char *buffer = malloc(n + 1);
    memcpy(buffer, c->rest, n);
    free(c->buffer);
    c->buffer = buffer;
    c->rest += n;
    c->left -= n;
    in->p = in->text = buffer;
    in->end = buffer + n;
    return n > 0;
}

/*
 * Writes the tokens of a text that comes in chunks as letters, with texts behind them; ends with E,
 * C or !.
 */
static void chunked(const char *text, size_t size, size_t chunk, char *out, size_t room, char *why)
{
    struct error err = ERROR_INIT;
    struct chunks c = {.rest = text, .left = size, .chunk = chunk};
    struct json_input in = {.path = "f.json", .refill = refill, .source = &c};
    struct json_tokens j;
    size_t n = 0;
    enum json_token k;
    json_tokens_open(&j, &in);
    do {
        k = json_tokens_next(&j);
        n += (size_t)snprintf(out + n, room - n, "%c", letters[k]);
        if (k >= JSON_KEY)
            n += (size_t)snprintf(out + n, room - n, "%.*s ", (int)j.size, j.text);
        assert_true(n < room);
    } while (k > JSON_BAD);
    *why = 0;
    if (k == JSON_BAD) {
        assert_int_equal(json_tokens_error(&j, &err), -EINVAL);
        assert_int_equal(strncmp(err.what, "f.json:", 7), 0);
        snprintf(why, 256, "%s %s", err.what + 7, err.why);
    }
    json_tokens_close(&j);
    free(c.buffer);
}

enum { BUFFER = 256 << 10 };

static void tokens(const char *text, size_t size, char *out, size_t room, char *why)
{
    chunked(text, size, BUFFER, out, room, why);
}

static void are(const char *text, const char *expected)
{
    char out[4096], why[256];
    for (size_t chunk = BUFFER; chunk; chunk = chunk > 5 ? 5 : chunk - 1) {
        if (chunk < 3 && strncmp(text, "\xef\xbb\xbf", 3) == 0)
            continue; /* a mark of the byte order is in the first chunk of any stream */
        chunked(text, strlen(text), chunk, out, sizeof out, why);
        if (strcmp(out, expected) != 0)
            fail_msg("%s, by %zu: %s, not %s (%s)", text, chunk, out, expected, why);
    }
}

static void refused(const char *text, const char *where)
{
    char out[4096], why[256];
    tokens(text, strlen(text), out, sizeof out, why);
    if (strncmp(why, where, strlen(where)) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", text, why, where);
}

TEST(every_kind_of_value)
{
    are("{}", "{}E");
    are(" [ ] ", "[]E");
    are("\xef\xbb\xbf[1]", "[n1 ]E");
    are("{\"a\" : 1,\n\"b\":[true,false,null,\"x\"]}", "{ka n1 kb [wtrue wfalse wnull sx ]}E");
    are("[-0.5e+10,1E-3,0]", "[n-0.5e+10 n1E-3 n0 ]E");
    are("[NaN,-Infinity,Infinity]", "[nNaN n-Infinity nInfinity ]E");
    are("\"alone\"", "salone E");
    are("12", "n12 E");
    are("[1,]", "[n1 ]E"); /* writers of traces leave this comma */
}

TEST(strings_with_escapes)
{
    are("[\"a\\\"b\\\\c\\/d\\be\\ff\\ng\\rh\\ti\"]", "[sa\"b\\c/d\be\ff\ng\rh\ti ]E");
    are("[\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"]", "[sA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 ]E");
    are("[\"\\ud83d\"]", "[s\xef\xbf\xbd ]E"); /* half of a surrogate pair */
    are("[\"\\ud83dx\"]", "[s\xef\xbf\xbdx ]E");
    are("[\"\\ud83d\\n\"]", "[s\xef\xbf\xbd\n ]E");
    are("[\"\\ud83d\\u0041\"]", "[s\xef\xbf\xbd"
                                "A ]E");
    /* paths of Windows that were not escaped */
    are("[\"C:\\Win\\users\\u12g4\\x\",1]", "[sC:\\Win\\users\\u12g4\\x n1 ]E");
    are("{\"a\\q\":1}", "{ka\\q n1 }E");
    are("[\"\\ude00\\ud83d\\ud83d\\ude00\"]", "[s\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80 ]E");
    are("[\"a\\u0000b\"]", "[sa\xef\xbf\xbd"
                           "b ]E");
    are("[\"a\tb\"]", "[sa\tb ]E");
    are("{\"a\\u0041\"  :1}", "{kaA n1 }E");
}

TEST(texts_that_end_early_are_cut)
{
    static const char whole[] = "{\"a\":[1.5,\"x\\u00e9\\n\",true,{\"b\":null}],\"c\":-2}";
    char out[4096], why[256];
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        tokens(whole, n, out, sizeof out, why);
        if (out[strlen(out) - 1] != 'C')
            fail_msg("%zu bytes: %s %s", n, out, why);
    }
    are(whole, "{ka [n1.5 sx\xc3\xa9\n wtrue {kb wnull }]kc n-2 }E");
}

TEST(malformed_is_refused_with_its_place)
{
    refused("[1 2]", "1:4 a comma or ] was expected here");
    refused("{\"a\":1\n  \"b\":2}", "2:3 a comma or } was expected here");
    refused("{\"a\" 1}", "1:6 a colon was expected here");
    refused("{a:1}", "1:2 the name of a member was expected here");
    refused("{\"a\":1,}", "1:8 the name of a member was expected here");
    refused("[1}", "1:3 a comma or ] was expected here");
    refused("[,1]", "1:2 a value was expected here");
    refused("[1,,2]", "1:4 a value was expected here");
    refused("\n\n [truth]", "3:3 neither a number nor true, false, null");
    refused("[1.]", "1:2 neither");
    refused("[.5]", "1:2 neither");
    refused("[1e]", "1:2 neither");
    refused("[--1]", "1:2 neither");
    refused("[0x10]", "1:2 neither");
    refused("[] []", "1:4 something follows the end of the document");
    refused("@", "1:1 a value was expected here");
}

TEST(depth_is_bounded)
{
    char text[2 * JSON_DEPTH + 8], out[4096], why[256];
    memset(text, '[', JSON_DEPTH + 1);
    memset(text + JSON_DEPTH, ']', JSON_DEPTH);
    tokens(text, (size_t)2 * JSON_DEPTH, out, sizeof out, why);
    assert_string_equal(why, "");
    memset(text, '[', JSON_DEPTH + 1);
    tokens(text, JSON_DEPTH + 1, out, sizeof out, why);
    assert_string_equal(why, "1:129 more than 128 objects and arrays inside of each other");
}

/* Tokens may cross the end of a buffer at any byte. */
TEST(long_texts_cross_buffers)
{
    enum { ROOM = BUFFER + 4096 };
    static const char piece[] = "{\"a\\u00e9b\" : [-12.5e+3, \"x\\ud83d\\ude00y\", true]}";
    static const char expected[] = "[{ka\xc3\xa9"
                                   "b [n-12.5e+3 sx\xf0\x9f\x98\x80y wtrue ]}]E";
    char *text = malloc(ROOM), out[4096], why[256];
    for (size_t at = 0; at < sizeof piece; at++) {
        memset(text, ' ', ROOM);
        text[0] = '[';
        memcpy(text + BUFFER - at, piece, sizeof piece - 1);
        text[ROOM - 1] = ']';
        tokens(text, ROOM, out, sizeof out, why);
        if (strcmp(out, expected) != 0)
            fail_msg("%zu before the end: %s %s", at, out, why);
    }
    free(text);
}

TEST(long_tokens_are_cut_or_refused)
{
    enum { SIZE = 3 << 20 };
    char *text = malloc(SIZE), why[256], *out = malloc(SIZE);
    memset(text, 'x', SIZE);
    text[0] = '"';
    text[SIZE - 1] = '"';
    tokens(text, SIZE, out, SIZE, why);
    assert_int_equal(strlen(out), 1 + JSON_TEXT + 2); /* 's', the text, a blank, 'E' */
    memset(text, '1', SIZE);
    tokens(text, SIZE, out, SIZE, why);
    assert_non_null(strstr(why, "a number of more than 400 characters"));
    free(text);
    free(out);
}

static void number_is(const char *text, int scale, int64_t expected)
{
    int64_t v = -1;
    if (!json_scaled(text, strlen(text), scale, &v) || v != expected)
        fail_msg("%s * 10^%d is %lld", text, scale, (long long)v);
}

TEST(numbers_keep_all_their_digits)
{
    number_is("0", 3, 0);
    number_is("12", 0, 12);
    number_is("-12.5", 3, -12500);
    /* a double cannot represent it */
    number_is("1712195495519689.047", 3, INT64_C(1712195495519689047));
    number_is("9223372036854775.807", 3, INT64_MAX);
    number_is("0.0005", 3, 1); /* rounded to the nearest */
    number_is("0.0004", 3, 0);
    number_is("0.00050000000000000000000000001", 3, 1);
    number_is("1.9999999999999999999999999999", 3, 2000);
    number_is("1.5E3", 3, 1500000);
    number_is("1.7e+15", 3, INT64_C(1700000000000000000));
    number_is("25e-1", 0, 3);
    number_is("1e-400", 3, 0);
    number_is("0e999999999", 3, 0);
    number_is("000000000000000000000000000000000042", 0, 42);
    static const char *const bad[] = {
        "",
        "-",
        "e5",
        "1e400",
        "9223372036854775.808",
        "99999999999999999999999",
        "NaN",
        "1.5x",
        "0x10",
        "1e",
        "1e+",
        "Infinity",
    };
    int64_t v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (json_scaled(bad[i], strlen(bad[i]), 3, &v))
            fail_msg("%s is a number", bad[i]);
}
