#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "base/error.h"
#include "base/print.h"
#include "base/printable.h"
#include "base/text.h"
#include "support/test.h"

#define FFFD "\xef\xbf\xbd"
#define RLO  "\xe2\x80\xae"
#define CSI  "\xc2\x9b" /* a single byte in Latin-1; begins a control sequence */
#define ZWSP "\xe2\x80\x8b"
#define TAG  "\xf3\xa0\x81\x81"

/* --- what is printable --- */

TEST(control_and_invisible_characters_are_not_printable)
{
    static const uint32_t no[] = {
        0,      1,      7,       8,       9,       0xa,     0xd,      0x1b,    0x1f,   0x7f,
        0x80,   0x85,   0x9b,    0x9f,    0xad,    0x34f,   0x61c,    0x115f,  0x180e, 0x200b,
        0x200c, 0x200d, 0x200e,  0x200f,  0x2028,  0x2029,  0x202a,   0x202e,  0x2060, 0x2066,
        0x2069, 0x3164, 0xd800,  0xdfff,  0xfe00,  0xfe0f,  0xfeff,   0xffa0,  0xfff9, 0xfffe,
        0xffff, 0xfdd0, 0x1fffe, 0xe0001, 0xe0041, 0xe01ef, 0x10ffff, 0x110000};
    static const uint32_t yes[] = {
        ' ',    '~',    0xa0,   0xac,   0xae,   0xe9,   0x301,   0x34e,   0x350,   0x5d0,
        0x61b,  0x61d,  0x200a, 0x2010, 0x2027, 0x202f, 0x2070,  0x3042,  0xd7ff,  0xe000,
        0xfdcf, 0xfdf0, 0xfe10, 0xff1d, 0xfffc, 0xfffd, 0x1f600, 0x20000, 0xf0000, 0x10fffd};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (text_printable(no[i]))
            fail_msg("U+%04X is printable", no[i]);
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!text_printable(yes[i]))
            fail_msg("U+%04X is not printable", yes[i]);
}

/* --- text in each format --- */

static char *spelt(enum print_form form, const char *text)
{
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    print_put(f, form, text);
    fclose(f);
    return out;
}

TEST(each_form_spells_a_text_its_own_way)
{
    static const struct {
        enum print_form form;
        const char *in, *out;
    } cases[] = {
        {PRINT_TEXT, "a\033[31m\tb\n" CSI RLO ZWSP "\xff" TAG "\xc3", "a?[31m?b???????"},
        {PRINT_TEXT, "größe 漢字 😀 <&\"'\\;=", "größe 漢字 😀 <&\"'\\;="},
        {PRINT_ASCII, "größe 漢字" RLO, "gr??e ???"},
        {PRINT_JSON, "\"\\/\033\n\x7f" CSI RLO TAG "\xff é",
         "\\\"\\\\/\\u001b\\u000a\\u007f\\u009b\\u202e\\udb40\\udc41" FFFD " é"},
        {PRINT_XML, "]]><a b=\"c\" d='e'>&amp;\033" CSI "\xff\xef\xbf\xbf é",
         "]]&gt;&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;amp;" FFFD FFFD FFFD FFFD " é"},
        {PRINT_DOT, "\"\\N&#x202e;\n", "\\\"\\\\N&amp;#x202e;" FFFD},
        {PRINT_FOLDED, "a;b c\n" RLO, "a:b c" FFFD FFFD},
        {PRINT_MARKDOWN, "sh -c 'a | b_c > \\d' `x` *y* [z](u) <b>&\n",
         "sh -c 'a \\| b\\_c \\> \\\\d' \\`x\\` \\*y\\* \\[z\\](u) \\<b\\>\\&" FFFD},
        {PRINT_GITHUB, "5 %, a:b\r\n::error::x\033", "5 %25, a:b%0D%0A::error::x" FFFD},
        {PRINT_GITHUB_PROPERTY, "a,b:c%d\n", "a%2Cb%3Ac%25d%0A"},
        /* CSV cells: quotes only if they are necessary */
        {PRINT_CSV, "plain name", "plain name"},
        {PRINT_CSV, "", ""},
        {PRINT_CSV, "a,b", "\"a,b\""},
        {PRINT_CSV, "a;b", "\"a;b\""},
        {PRINT_CSV, "say \"x\"", "\"say \"\"x\"\"\""},
        {PRINT_CSV, " a", "\" a\""},
        {PRINT_CSV, "a ", "\"a \""},
        {PRINT_CSV, "a\r\nb\tc\033", "a" FFFD FFFD "b" FFFD "c" FFFD},
        /* cells that a spreadsheet would take for formulas */
        {PRINT_CSV, "=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""},
        {PRINT_CSV, "@SUM(1+1)", "\"'@SUM(1+1)\""},
        {PRINT_CSV, "+1", "\"'+1\""},
        {PRINT_CSV, "-1", "\"'-1\""},
        {PRINT_CSV, "  =1", "\"'  =1\""},
        {PRINT_CSV,
         "\xef\xbc\x9d"
         "1",
         "\"'\xef\xbc\x9d"
         "1\""},
        {PRINT_CSV, "'quoted", "\"''quoted\""},
        {PRINT_CSV, "it's = fine", "\"it's = fine\""},
        {PRINT_CSV, "\t=1", FFFD "=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = spelt(cases[i].form, cases[i].in);
        if (strcmp(out, cases[i].out) != 0)
            fail_msg("form %d of '%s': '%s', not '%s'", cases[i].form, cases[i].in, out,
                     cases[i].out);
        free(out);
    }
}

TEST(every_code_point_comes_back_from_json)
{
    for (uint32_t ch = 1; ch < 0x110000; ch += ch < 0x3000 || ch > 0xe0000 ? 1 : 61) {
        char name[8] = "a", document[64], *text;
        if (ch >= 0xd800 && ch < 0xe000)
            continue;
        name[1 + text_encode(ch, name + 1)] = 0;
        strcat(name, "z");
        text = spelt(PRINT_JSON, name);
        for (const char *p = text; *p;) {
            uint32_t seen = text_next(&p);
            if (!text_printable(seen))
                fail_msg("U+%04X is raw in JSON", seen);
        }
        snprintf(document, sizeof document, "\"%s\"", text);
        free(text);
        cJSON *j = cJSON_Parse(document);
        if (!cJSON_IsString(j) || strcmp(j->valuestring, name) != 0)
            fail_msg("U+%04X does not come back", ch);
        cJSON_Delete(j);
    }
}

TEST(a_document_of_another_writer_holds_nothing_raw)
{
    cJSON *doc = cJSON_CreateObject();
    cJSON_AddStringToObject(doc, "n" RLO, "a" CSI TAG ZWSP "\x7f\xff é");
    char *text = print_json_document(cJSON_Print(doc));
    cJSON_Delete(doc);
    assert_string_equal(text, "{\n\t\"n\\u202e\":\t\"a\\u009b\\udb40\\udc41\\u200b\\u007f" FFFD
                              " é\"\n}");
    free(text);
    char *plain = strdup("{\"a\":1}"), *same = print_json_document(plain);
    assert_ptr_equal(same, plain); /* text that needs no change is not copied */
    free(same);
    assert_null(print_json_document(NULL));
}

TEST(lines_stay_lines)
{
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    print_lines(f, "a.c:1: error:\tx\033[0m\n  ^\n\nend");
    fclose(f);
    assert_string_equal(out, "a.c:1: error: x?[0m\n  ^\n\nend");
    free(out);
}

/* --- like printf --- */

#define SAME(...)                                                                                  \
    do {                                                                                           \
        char *got = NULL, want[512];                                                               \
        size_t got_len = 0;                                                                        \
        FILE *got_file = open_memstream(&got, &got_len);                                           \
        print_text(got_file, __VA_ARGS__);                                                         \
        fclose(got_file);                                                                          \
        snprintf(want, sizeof want, __VA_ARGS__);                                                  \
        assert_string_equal(got, want);                                                            \
        free(got);                                                                                 \
    } while (0)

/* In each pair, the second format has a name that does not go through printf itself. */
TEST(numbers_are_those_of_printf)
{
    static const char *const names[] = {"ascii", "é"};
    for (int i = 0; i < 2; i++) {
        const char *s = names[i];
        SAME("%s %d %5d|%-5d|%05d|%+d %i", s, -1, 42, 42, 42, 42, -7);
        SAME("%s %u %x %#x %X %o %hu %hhu", s, 3000000000u, 255u, 255u, 255u, 8u,
             (unsigned short)65535, (unsigned char)255);
        SAME("%s %ld %lu %lld %llu", s, -1L, ~0UL, LLONG_MIN, ~0ULL);
        SAME("%s %zu %zd %jd %ju %td", s, SIZE_MAX, (ssize_t)-1, INTMAX_MIN, UINTMAX_MAX,
             (ptrdiff_t)-3);
        SAME("%s %" PRIu64 " %08" PRIx64 " %" PRId32, s, UINT64_MAX, UINT64_C(0xbeef), INT32_MIN);
        SAME("%s %f %.3f %10.2f|%-10.2f|%e %g %.9g %a", s, 1.5, 2.0 / 3, 3.14159, 3.14159, 1e100,
             1e-5, 0.1, 1.0);
        SAME("%s %f %g", s, (double)NAN, (double)-INFINITY);
        SAME("%s 100 %% %c%c %*d %-*d| %.*f", s, 'a', 'b', 6, 42, 6, 42, 2, 1.0);
        SAME("%s %p", s, (const void *)names);
        SAME("%s%s", s, "");
    }
}

TEST(widths_are_cells)
{
    static const struct {
        const char *format, *name, *out;
    } cases[] = {
        {"[%6s]", "é", "[     é]"},
        {"[%-6s]", "漢字", "[漢字  ]"},
        {"[%-6s]", "a\033b", "[a?b   ]"},
        {"[%.3s]", "größe", "[grö]"},
        {"[%.3s]", "漢字", "[漢]"}, /* half a wide character is left out */
        {"[%-4.3s]", "漢字", "[漢  ]"},
        {"[%.1s]", "e\xcc\x81x", "[e\xcc\x81]"},
        {"[%.0s]", "é", "[]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&out, &len);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        print_text(f, cases[i].format, cases[i].name);
#pragma GCC diagnostic pop
        fclose(f);
        assert_string_equal(out, cases[i].out);
        free(out);
    }
}

TEST(each_format_spells_its_texts)
{
    static const char evil[] = "=\"<\n\\";
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    print_text(f, "%s|", evil);
    print_json(f, "{\"%s\":%d}|", evil, -1);
    print_csv(f, "%s,%d|", evil, -1);
    print_xml(f, "<a b=\"%s\"/>|", evil);
    print_dot(f, "[label=\"%s\"]|", evil);
    fclose(f);
    assert_string_equal(out, "=\"<?\\|{\"=\\\"<\\u000a\\\\\":-1}|\"'=\"\"<" FFFD "\\\",-1|"
                             "<a b=\"=&quot;&lt;" FFFD "\\\"/>|[label=\"=\\\"<" FFFD "\\\\\"]|");
    free(out);
}

/* --- buffers --- */

TEST(a_line_ends_at_a_whole_character)
{
    char line[8];
    assert_int_equal(print_line(line, sizeof line, "%s", "abcdefghij"), 7);
    assert_string_equal(line, "abcdefg");
    /* there is no room for its second byte */
    assert_int_equal(print_line(line, sizeof line, "abcdef%s", "é"), 6);
    assert_string_equal(line, "abcdef");
    /* nor for the accent */
    assert_int_equal(print_line(line, sizeof line, "abcde%s", "e\xcc\x81"), 5);
    assert_string_equal(line, "abcde");
    assert_int_equal(print_line(line, 1, "%s", "x"), 0);
    assert_string_equal(line, "");
}

TEST(characters_that_snprintf_cut_are_removed)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"a", "a"},
        {"é", "é"},
        {"a\xc3", "a"},
        {"\xe2\x80", ""},
        {"漢\xe6", "漢"},
        {"漢\xe6\xbc", "漢"},
        {"\xf0\x9f\x98", ""},
        {"😀", "😀"},
        {"\xff", "\xff"}, /* not the beginning of a character: shown as a byte */
        {"\x80\x80\x80\x80", "\x80\x80\x80\x80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(text_whole(text), cases[i][1]);
    }
}

TEST(messages_are_cut_at_characters)
{
    struct error err = ERROR_INIT;
    char name[600] = "";
    for (int i = 0; i < 150; i++)
        strcat(name, "漢");
    for (int shift = 0; shift < 3; shift++) {
        error_set(&err, ERROR_INPUT, 0, name + 3 * 10, name, "%.*s%s", shift, "ab", name);
        for (const char *p = err.what; *p;)
            assert_int_equal(text_next(&p), 0x6f22);
        for (const char *p = err.why + shift; *p;)
            assert_int_equal(text_next(&p), 0x6f22);
        for (const char *p = err.help; *p;)
            assert_int_equal(text_next(&p), 0x6f22);
        assert_true(strlen(err.why) > sizeof err.why - 5);
    }
}

TEST(lengths_of_characters)
{
    static const uint32_t edges[] = {1,      0x7f,   0x80,    0x7ff,   0x800,   0xfff,
                                     0x1000, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x10ffff};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        char text[5] = "";
        const char *p = text;
        size_t n = text_encode(edges[i], text);
        assert_int_equal(n, edges[i] < 0x80      ? 1
                            : edges[i] < 0x800   ? 2
                            : edges[i] < 0x10000 ? 3
                                                 : 4);
        assert_int_equal(text_next(&p), edges[i]);
        assert_ptr_equal(p, text + n);
    }
}

TEST(texts_are_cut_between_characters)
{
    assert_int_equal(text_fit("e\xcc\x81x", 1), 0);
    assert_int_equal(text_fit("e\xcc\x81x", 3), 3);
    assert_int_equal(text_fit("é", 5), 2);
    assert_int_equal(text_fit_cells("漢字", 3), 3);
    assert_int_equal(text_fit_cells("漢字", 4), 6);
    assert_string_equal(text_tail_cells("path/漢字", 3), "字");
    assert_string_equal(text_tail_cells("ae\xcc\x81", 1), "e\xcc\x81");
    assert_string_equal(text_tail_cells("abc", 9), "abc");
    char cut[24];
    assert_string_equal(text_cut_middle(cut, sizeof cut, "prog one", 8, "~"), "prog one");
    assert_string_equal(text_cut_middle(cut, sizeof cut, "prog one", 7, "~"), "pro~one");
    assert_string_equal(text_cut_middle(cut, sizeof cut, "prog one", 6, "\xe2\x80\xa6"),
                        "pro\xe2\x80\xa6ne");
    assert_string_equal(text_cut_middle(cut, sizeof cut, "漢字 / 漢字", 8, "~"), "漢字 ~字");
    assert_string_equal(text_cut_middle(cut, 6, "prog one", 7, "~"), "p~one");
    assert_string_equal(text_cut_middle(cut, 3, "prog one", 7, "~"), "~o");
    assert_string_equal(text_cut_middle(cut, sizeof cut, "prog one", 0, "~"), "prog one");
    assert_string_equal(text_tail_cells("abc", 0), "");
    assert_int_equal(text_width("a" ZWSP RLO "b\033"), 5); /* invisible characters are shown */
}
