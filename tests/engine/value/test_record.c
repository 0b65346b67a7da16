/* A record in documents: members in their order, groups, and what is null or missing. */
#include <stdlib.h>
#include <string.h>

#include "engine/value/document.h"
#include "engine/value/record.h"
#include "support/test.h"

struct row {
    const char *name, *help;
    char chars[8];
    int id, kind;
    bool on;
    char letter;
    uint64_t big, bytes, ns;
    double share;
    struct value busy, load;
};
static const char *const kinds[] = {"disk", "network", NULL};
static const struct field rows[] = {
    MEMBER(TEXT, struct row, name, "name", .json = 2),
    MEMBER(INT, struct row, id, "id", .json = 1, .form = MEMBER_KNOWN, .none = -1),
    KEPT(INT, struct row, kind),
    MEMBER(INT, struct row, kind, "kind", .form = MEMBER_WORD, .words = kinds),
    MEMBER(CHARS, struct row, chars, "chars", .form = MEMBER_KNOWN),
    MEMBER(MAYBE, struct row, help, "help"),
    MEMBER(BOOL, struct row, on, "on"),
    MEMBER(BYTE, struct row, letter, "letter", .form = MEMBER_LETTER),
    MEMBER(U64, struct row, big, "raw.big"),
    MEMBER(DOUBLE, struct row, share, "raw.share"),
    MEMBER(U64, struct row, bytes, "memory", .form = MEMBER_VALUE, .unit = UNIT_BYTES,
           .why = "not read"),
    MEMBER(U64, struct row, ns, "time", .form = MEMBER_SECONDS),
    MEMBER(VALUE, struct row, busy, "busy"),
    MEMBER(VALUE, struct row, load, "load.1"),
};
#define ROWS FIELDS(rows, struct row)

static void expect_json(cJSON *j, const char *wanted)
{
    char *text = json_document(j, false);
    assert_string_equal(text, wanted);
    free(text);
    cJSON_Delete(j);
}

TEST(members_are_written_in_their_order)
{
    const struct row full = {.name = "a",
                             .help = "b",
                             .chars = "c",
                             .id = 7,
                             .kind = 1,
                             .on = true,
                             .letter = 'P',
                             .big = UINT64_MAX,
                             .bytes = 4096,
                             .ns = 1500000000,
                             .share = 0.5,
                             .busy = value_ok(3, UNIT_PERCENT),
                             .load = value_missing("no /proc", UNIT_NONE)};
    expect_json(
        record_object(ROWS, &full),
        "{\"id\":7,\"name\":\"a\",\"kind\":\"network\",\"chars\":\"c\",\"help\":\"b\",\"on\":true,"
        "\"letter\":\"P\",\"raw\":{\"big\":18446744073709551615,\"share\":0.5},"
        "\"memory\":{\"value\":4096,\"unit\":\"B\",\"valid\":true},"
        "\"time\":{\"value\":1.5,\"unit\":\"s\",\"valid\":true},"
        "\"busy\":{\"value\":3,\"unit\":\"%\",\"valid\":true},"
        "\"load\":{\"1\":{\"value\":null,\"unit\":\"\",\"valid\":false,\"why\":\"no /proc\"}}}");
}

TEST(what_is_not_known_is_null)
{
    const struct row none = {.id = -1, .share = 0.0 / 0.0};
    cJSON *j = cJSON_CreateObject();
    record_add(j, ROWS, &none, NULL, "name");
    record_add(j, ROWS, &none, "chars", "help");
    record_add(j, ROWS, &none, "letter", "memory");
    expect_json(j, "{\"id\":null,\"name\":null,\"chars\":null,\"help\":null,\"letter\":null,"
                   "\"raw\":{\"big\":0,\"share\":null},"
                   "\"memory\":{\"value\":null,\"unit\":\"B\",\"valid\":false,"
                   "\"why\":\"not read\"}}");
}

static void note_value(void *ctx, const char *group, const char *name, const struct value *v)
{
    char *text = ctx;
    sprintf(text + strlen(text), "%s/%s/%s ", group ? group : "-", name, unit_name(v->unit));
}

TEST(values_have_the_names_of_their_groups)
{
    const struct row row = {.busy = value_ok(3, UNIT_PERCENT)};
    char text[64] = "";
    record_values(ROWS, &row, NULL, NULL, note_value, text);
    assert_string_equal(text, "-/busy/% load/1/ ");
}

struct line {
    char text[8];
    uint32_t n;
    uint64_t big, hash;
    double real, list[3];
    int word;
    bool on;
};
static const struct field lines[] = {
    MEMBER(CHARS, struct line, text, "text"),
    MEMBER(U32, struct line, n, "n"),
    MEMBER(U64, struct line, big, "big"),
    MEMBER(U64, struct line, hash, "hash", .form = MEMBER_HASH),
    MEMBER(DOUBLE, struct line, real, "real"),
    MEMBER(DOUBLE, struct line, list, "list", .form = MEMBER_LIST),
    MEMBER(INT, struct line, word, "word", .form = MEMBER_WORD, .words = kinds),
    MEMBER(BOOL, struct line, on, "on", .form = MEMBER_WORD, .words = kinds),
};

static int read_line(struct line *out, const char *text)
{
    struct error err = ERROR_INIT;
    struct json j;
    char key[16];
    json_open(&j, "f", text, strlen(text), &err);
    if (json_object(&j))
        while (json_key(&j, key, sizeof key))
            if (!record_read(&j, key, FIELDS(lines, struct line), out))
                json_skip(&j);
    json_end(&j);
    json_close(&j);
    return j.rc;
}

TEST(what_is_written_is_read)
{
    const struct line line = {"text", UINT32_MAX - 1, 1ull << 52, UINT64_MAX,
                              0.1,    {1, 2, 0.5},    1,          true};
    struct line got = {.text = ""};
    cJSON *j = record_object(FIELDS(lines, struct line), &line);
    char *text = json_document(j, false);
    assert_int_equal(read_line(&got, text), 0);
    assert_string_equal(got.text, line.text);
    assert_true(got.n == line.n && got.big == line.big && got.hash == line.hash);
    assert_true(got.real == line.real && got.list[0] == 1 && got.list[2] == 0.5);
    assert_true(got.word == 1 && got.on);
    free(text);
    cJSON_Delete(j);
}

TEST(what_cannot_be_read_is_not_known_or_refused)
{
    struct line got = {.on = true};
    assert_int_equal(read_line(&got, "{\"real\":null,\"list\":[1],\"word\":\"else\",\"on\":"
                                     "\"else\",\"other\":[{}],\"text\":\"longer than it\"}"),
                     0);
    assert_true(got.real != got.real && got.list[0] == 1 && got.list[1] != got.list[1]);
    assert_int_equal(got.word, 2);
    assert_false(got.on);
    assert_string_equal(got.text, "longer ");
    assert_true(read_line(&got, "{\"n\":-1}") < 0);
    assert_true(read_line(&got, "{\"n\":4294967296}") < 0);
    assert_true(read_line(&got, "{\"text\":7}") < 0);
    assert_true(read_line(&got, "{\"word\":7}") < 0);
}

/* A number that has no word does not leave the list. */
TEST(a_number_outside_of_the_words_is_the_nearest_word)
{
    static const struct field kind[] = {
        MEMBER(INT, struct row, kind, "kind", .form = MEMBER_WORD, .words = kinds)};
    for (int k = -1; k <= 99; k += 50)
        expect_json(record_object(FIELDS(kind, struct row), &(const struct row){.kind = k}),
                    k < 0 ? "{\"kind\":\"disk\"}" : "{\"kind\":\"network\"}");
}

TEST_MAIN(NULL, NULL)
