/* A record in documents: members in their order, groups, and what is null or missing. */
#include <stdlib.h>
#include <string.h>

#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
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
#define ROW_FIELDS FIELDS(rows, struct row)

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
        record_object(ROW_FIELDS, &full),
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
    record_add(j, ROW_FIELDS, &none, NULL, "name");
    record_add(j, ROW_FIELDS, &none, "chars", "help");
    record_add(j, ROW_FIELDS, &none, "letter", "memory");
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
    record_values(ROW_FIELDS, &row, NULL, NULL, note_value, text);
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

/* --- structures in a record --- */

struct part {
    uint64_t address, known;
    uint32_t n;
    uint16_t small;
    double v;
};
struct whole {
    struct part in, two[2], room[3];
    const struct part *to, *none, *list;
    uint32_t nlist;
    size_t nroom;
    uint64_t wall_ns;
};
#define TYPE struct part
static const struct fields part_record =
    RECORD_OF(HEX(U64, address, "address"), NAMED(U64, known, "known", .form = MEMBER_KNOWN),
              NAMED(U32, n, "n", .form = MEMBER_KNOWN, .none = -1, .left_out = true),
              ROW(U16, small), NAMED(DOUBLE, v, "v", .left_out = true));
#undef TYPE

static void add_sum(cJSON *to, const char *name, const void *row)
{
    const struct whole *w = row;
    json_add_u64(to, name, w->nlist + w->nroom);
}

#define TYPE struct whole
static const struct fields whole_record =
    RECORD_OF(FIXED("about", "parts"), NAMED(U64, wall_ns, "time", .form = MEMBER_UTC),
              NAMED(STRUCT, in, "in", .record = &part_record),
              NAMED(STRUCT, two, "two", .form = MEMBER_LIST, .record = &part_record),
              ARRAY(room, nroom, "room", &part_record), LIST(list, nlist, "list", &part_record),
              NAMED(TO, none, "none", .record = &part_record), ADDED(U64, add_sum, "sum"),
              PART(to, &part_record));

TEST(structures_are_objects_and_lists)
{
    const struct part one = {0x1f, 0, UINT32_MAX, 7, 0.0 / 0.0}, other = {1, 5, 0, 8, .5};
    const struct whole w = {.in = one,
                            .two = {other, other},
                            .room = {one},
                            .to = &other,
                            .list = &one,
                            .nlist = 1,
                            .nroom = 1,
                            .wall_ns = 1500000000};
#define ONE   "\"address\":\"0x1f\",\"known\":null,\"small\":7"
#define OTHER "\"address\":\"0x1\",\"known\":5,\"n\":0,\"small\":8,\"v\":0.5"
    expect_json(record_object(whole_record, &w),
                "{\"about\":\"parts\",\"time\":\"1970-01-01T00:00:01.500000000Z\",\"in\":{" ONE "},"
                "\"two\":[{" OTHER "},{" OTHER "}],\"room\":[{" ONE "}],\"list\":[{" ONE "}],"
                "\"none\":null,\"sum\":2," OTHER "}");
}

TEST(a_document_begins_with_its_schema_and_ends_with_a_newline)
{
    const struct part p = {1, 5, 0, 8, .5};
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    record_write(out, "rooftop.part/1", part_record, &p);
    fclose(out);
    static const char begin[] = "{\n\t\"schema\":\t\"rooftop.part/1\",\n\t\"address\":\t\"0x1\"";
    assert_memory_equal(text, begin, sizeof begin - 1);
    assert_string_equal(text + n - 3, "\n}\n");
    char *same = record_document("rooftop.part/1", part_record, &p);
    assert_int_equal(strlen(same), n - 1);
    assert_memory_equal(same, text, n - 1);
    free(same);
    free(text);
}

TEST(an_object_is_taken_and_what_it_lacks_is_unknown)
{
    struct line got = {.n = 7, .big = 7, .real = 7, .on = true};
    static const struct {
        const char *text;
        const char *name;
        uint32_t n;
        uint64_t big;
        bool on, real;
    } cases[] = {
        {"{\"text\":\"abc\",\"n\":4294967295,\"big\":4503599627370496,\"real\":1.5,\"on\":true}",
         "abc", UINT32_MAX, 1ull << 52, true, true},
        {"{\"text\":\"longer than it\",\"n\":4294967296,\"big\":1e300,\"real\":null,\"on\":1}",
         "longer ", 0, 0, false, false},
        {"{\"n\":-1,\"big\":\"7\"}", "", 0, 0, false, false},
        {"{\"text\":\"a\\u001b[2J\",\"n\":1.5}", "a?[2J", 0, 0, false, false},
        {"{\"text\":\"abcdef\\u00e9\"}", "abcdef", 0, 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *j = cJSON_Parse(cases[i].text);
        record_take(j, FIELDS(lines, struct line), &got);
        assert_string_equal(got.text, cases[i].name);
        assert_true(got.n == cases[i].n && got.big == cases[i].big);
        assert_int_equal(got.on, cases[i].on);
        assert_int_equal(got.real == 1.5, cases[i].real);
        cJSON_Delete(j);
    }
}
