/* Pickles: what Python and PyTorch write is read; what would run code, or take more memory or time
 * than a dump can, is refused with file and byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/flight/plain.h"
#include "support/test.h"

static struct plain data;

FIXTURE(forget)
{
    plain_free(&data);
}

static int read_bytes(const char *bytes, size_t n, struct error *err)
{
    *err = (struct error)ERROR_INIT;
    return plain_read_pickle(&data, "dump_3", bytes, n, err);
}

/* Bytes of a literal, with NULs inside. */
#define READ(bytes, err) read_bytes(bytes, sizeof(bytes) - 1, err)

/* As text: lists in brackets, dictionaries in braces. */
static void show(FILE *out, const struct plain_value *v)
{
    switch (v->type) {
    case PLAIN_NONE:
        fputs("None", out);
        break;
    case PLAIN_BOOL:
        fputs(v->number ? "True" : "False", out);
        break;
    case PLAIN_NUMBER:
        fprintf(out, "%lld", (long long)v->number);
        break;
    case PLAIN_REAL:
        fprintf(out, "%g", v->real);
        break;
    case PLAIN_TEXT:
        fprintf(out, "'%.*s'", (int)v->size, v->text);
        break;
    default:
        fputc(v->type == PLAIN_DICT ? '{' : '[', out);
        for (uint32_t i = 0; i < v->list->n; i++) {
            fputs(i ? " " : "", out);
            show(out, &v->list->items[i]);
        }
        fputc(v->type == PLAIN_DICT ? '}' : ']', out);
        break;
    }
}

static void assert_reads(const char *bytes, size_t n, const char *wanted)
{
    struct error err;
    char *text = NULL, why[1024];
    size_t size = 0;
    if (read_bytes(bytes, n, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
    FILE *f = open_memstream(&text, &size);
    show(f, &data.root);
    fclose(f);
    assert_string_equal(text, wanted);
    free(text);
}
#define READS(bytes, wanted) assert_reads(bytes, sizeof(bytes) - 1, wanted)

/* What pickle.dumps of Python 3.11 gives for
 * {"a": [1, -2, 300, 70000, 2**40, True, None, 1.5], "t": ("x", ()), "again": "a"} */
static const char protocol_2[] =
    "\x80\x02}q\x00(X\x01\x00\x00\x00"
    "aq\x01]q\x02(K\x01J\xfe\xff\xff\xffM,\x01J"
    "p\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\x88NG?\xf8\x00\x00\x00\x00\x00\x00"
    "eX\x01\x00\x00\x00tq\x03X\x01\x00\x00\x00xq\x04)\x86q\x05X\x05\x00\x00\x00"
    "againq\x06h\x01u.";
static const char protocol_4[] =
    "\x80\x04\x95\x4a\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01"
    "a\x94]\x94(K\x01J\xfe\xff\xff\xffM,\x01Jp\x11\x01\x00\x8a\x06\x00\x00\x00\x00\x00\x01\x88NG?"
    "\xf8\x00\x00\x00\x00\x00\x00"
    "e\x8c\x01t\x94\x8c\x01x\x94)\x86\x94\x8c\x05"
    "again\x94h\x01u.";

TEST_WITH(protocols_of_python_give_the_same, NULL, forget)
{
    static const char wanted[] =
        "{'a' [1 -2 300 70000 1099511627776 True None 1.5] 't' ['x' []] 'again' 'a'}";
    READS(protocol_2, wanted);
    READS(protocol_4, wanted);
    READS(protocol_2, wanted); /* after what was read before */
}

TEST_WITH(numbers_of_all_sizes_are_exact, NULL, forget)
{
    READS("\x80\x02\x8a\x00.", "0");
    READS("\x80\x02\x8a\x01\xff.", "-1");
    READS("\x80\x02\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", "9223372036854775807");
    READS("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", "-9223372036854775808");
    READS("\x80\x02\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.", "None");
    READS("\x80\x02K\xff.", "255");
    READS("\x80\x02M\xff\xff.", "65535");
}

/* Each is a prefix of nothing that is plain, and says where and why. */
TEST_WITH(what_makes_objects_or_is_damaged_is_refused_with_its_place, NULL, forget)
{
#define ROW(bytes, place, why)                                                                     \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, place, why                                                       \
    }
    static const struct {
        const char *bytes;
        size_t n;
        const char *place, *why;
    } rows[] = {
        ROW("cos\nsystem\n(S'true'\ntR.", "byte 0", "names an object"),
        ROW("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.", "byte 14", "names an object"),
        ROW("\x80\x02K\x01)R.", "byte 5", "calls a function"),
        ROW("\x80\x02}}b.", "byte 4", "state"),
        ROW("\x80\x02))\x81.", "byte 4", "constructs"),
        ROW("\x80\x04)))\x92.", "byte 5", "constructs"),
        ROW("(ios\nsystem\n.", "byte 1", "constructs"),
        ROW("(X\x01\x00\x00\x00xo.", "byte 7", "constructs"),
        ROW("Pabc\n.", "byte 0", "outside of the file"),
        ROW("\x80\x02K\x01Q.", "byte 4", "outside of the file"),
        ROW("\x80\x02\x82\x01.", "byte 2", "registered number"),
        ROW("\x80\x02\x83\x01\x01.", "byte 2", "registered number"),
        ROW("\x80\x02\x84\x01\x01\x01\x01.", "byte 2", "registered number"),
        ROW("\x80\x04\x8f.", "byte 2", "a set"),
        ROW("\x80\x04(\x91.", "byte 3", "a set"),
        ROW("\x80\x05\x96\x00\x00\x00\x00\x00\x00\x00\x00.", "byte 2", "no opcode"),
        ROW("\x80\x09N.", "byte 0", "damaged"),
        ROW("\xff", "byte 0", "no opcode"),
        ROW("", "byte 0", "cut off"),
        ROW("\x80\x02N", "byte 3", "cut off"),
        ROW("\x80\x02X\xff\xff\xff\xffx", "byte 2", "cut off"),
        ROW("\x80\x04\x8d\x00\x00\x00\x00\x00\x00\x00\x80x", "byte 2", "cut off"),
        ROW("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffx", "byte 2", "cut off"),
        ROW("\x80\x02\x8b\xff\xff\xff\x7fx", "byte 2", "cut off"),
        ROW("\x80\x02\x8a\x08\x01", "byte 2", "cut off"),
        ROW("\x80\x02.", "byte 2", "damaged"),
        ROW("\x80\x02NN.", "byte 4", "damaged"),
        ROW("\x80\x02(N.", "byte 4", "damaged"),
        ROW("\x80\x02"
            "e",
            "byte 2", "did not begin"),
        ROW("\x80\x02(e", "byte 3", "did not make"),
        ROW("\x80\x02N(]e.", "byte 5", "no list of such"),
        ROW("\x80\x02}(Nu.", "byte 5", "no list of such"),
        ROW("\x80\x02](NNu.", "byte 6", "no list of such"),
        ROW("\x80\x02(Nd.", "byte 4", "without a value"),
        ROW("\x80\x02Na.", "byte 3", "did not make"),
        ROW("\x80\x02\x87.", "byte 2", "did not make"),
        ROW("\x80\x02(N\x86.", "byte 4", "did not make"),
        ROW("\x80\x02"
            "0.",
            "byte 2", "did not make"),
        ROW("\x80\x02"
            "2.",
            "byte 2", "did not make"),
        ROW("\x80\x02h\x00.", "byte 2", "refers to a value"),
        ROW("\x80\x02j\xff\xff\xff\xff.", "byte 2", "refers to a value"),
        ROW("\x80\x02Nr\xff\xff\xff\xff.", "byte 3", "numbers more values"),
        ROW("\x80\x02(q\x00.", "byte 3", "did not make"),
        ROW("(dp0\nVa\np1\nI1\ns.", "byte 2", "no opcode"), /* of protocol 0 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error err;
        char text[1024];
        char *exact = malloc(rows[i].n + 1); /* so that a sanitizer sees what is read beyond */
        assert_non_null(exact);
        memcpy(exact, rows[i].bytes, rows[i].n);
        const int rc = read_bytes(rows[i].n ? exact : "", rows[i].n, &err);
        error_format(&err, text, sizeof text);
        if (rc >= 0 || err.kind != ERROR_INPUT || !strstr(text, "dump_3") ||
            !strstr(text, rows[i].place) || !strstr(text, rows[i].why))
            fail_msg("row %zu: %s", i, text);
        free(exact);
    }
}

/* Every beginning of a pickle is refused, at its end or before. */
TEST_WITH(a_pickle_that_is_cut_is_refused, NULL, forget)
{
    for (size_t n = 0; n < sizeof protocol_2 - 2; n++) {
        struct error err;
        assert_true(read_bytes(protocol_2, n, &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
    }
}

/* Repeats a piece between a beginning and an end, and reads it. */
static int read_repeated(const char *begin, const char *piece, size_t times, const char *end,
                         struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    fputs(begin, f);
    for (size_t i = 0; i < times; i++)
        fputs(piece, f);
    fputs(end, f);
    fclose(f);
    const int rc = read_bytes(text, size, err);
    free(text);
    return rc;
}

TEST_WITH(a_million_lists_inside_of_each_other_are_refused, NULL, forget)
{
    enum { MANY = 1000000 };
    struct error err;
    assert_true(read_repeated("\x80\x02", "](", MANY, "N", &err) < 0);
    assert_non_null(strstr(err.why, "nested deeper"));
    assert_true(read_repeated("\x80\x02N", "\x85", MANY, ".", &err) < 0);
    assert_non_null(strstr(err.why, "nested deeper"));
    char *ends = malloc(MANY + 2);
    assert_non_null(ends);
    memset(ends, 'a', MANY);
    memcpy(ends + MANY, ".", 2);
    assert_true(read_repeated("\x80\x02", "]", MANY + 1, ends, &err) < 0);
    assert_non_null(strstr(err.why, "nested deeper"));
    free(ends);
}

/* A list that has itself, and lists of which each has the one before twice: 2^60 values if they
 * were followed. Both are read, or refused, without being followed. */
TEST_WITH(a_list_may_refer_to_itself_and_to_others_often, NULL, forget)
{
    struct error err;
    char bomb[512] = "\x80\x02]q";
    size_t n = 4;
    assert_int_equal(READ("\x80\x02]q\x00h\x00"
                          "a.",
                          &err),
                     0);
    bomb[n++] = 0;
    for (char i = 1; i <= 60; i++) {
        const char step[] = {'h', (char)(i - 1), 'h', (char)(i - 1), '\x86', 'q', i};
        memcpy(bomb + n, step, sizeof step);
        n += sizeof step;
    }
    memcpy(bomb + n, "t.", 2); /* all of them on the stack: no single value */
    assert_true(read_bytes(bomb, n + 2, &err) < 0);
}

TEST_WITH(json_gives_the_same_plain_data, NULL, forget)
{
    struct error err = ERROR_INIT;
    static const char text[] = "{\"a\":[1,-2,300,1.5,true,null],\"t\":{\"x\":\"y\"}}";
    assert_int_equal(plain_read_json(&data, "d_1.json", text, sizeof text - 1, &err), 0);
    char *shown = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&shown, &size);
    show(f, &data.root);
    fclose(f);
    assert_string_equal(shown, "{'a' [1 -2 300 1.5 True None] 't' {'x' 'y'}}");
    free(shown);
    for (size_t n = 0; n + 1 < sizeof text - 1; n++) {
        err = (struct error)ERROR_INIT;
        assert_true(plain_read_json(&data, "d_1.json", text, n, &err) < 0);
        assert_non_null(strstr(err.what, "d_1.json"));
    }
}

TEST_WITH(json_of_a_thousand_lists_inside_of_each_other_is_refused, NULL, forget)
{
    struct error err = ERROR_INIT;
    char text[1000];
    memset(text, '[', sizeof text);
    assert_true(plain_read_json(&data, "d_1.json", text, sizeof text, &err) < 0);
    assert_non_null(strstr(err.why, "nested deeper"));
}

TEST_MAIN(NULL, NULL)
