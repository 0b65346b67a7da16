#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/value/query.h"
#include "support/test.h"

struct row {
    double pid, cpu, rss, time;
    const char *name, *user, *command;
};

static double pid(const void *r)
{
    return ((const struct row *)r)->pid;
}
static double cpu(const void *r)
{
    return ((const struct row *)r)->cpu;
}
static double rss(const void *r)
{
    return ((const struct row *)r)->rss;
}
static double cpu_time(const void *r)
{
    return ((const struct row *)r)->time;
}
static const char *name(const void *r, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return ((const struct row *)r)->name;
}
static const char *user(const void *r, char buf[FIELD_TEXT_MAX])
{
    snprintf(buf, FIELD_TEXT_MAX, "%s", ((const struct row *)r)->user);
    return buf;
}
static const char *command(const void *r, char buf[FIELD_TEXT_MAX])
{
    (void)buf;
    return ((const struct row *)r)->command;
}

static const struct list_field fields[] = {
    {.name = "pid", .number = pid, .plain = true},
    {.name = "cpu", .unit = UNIT_PERCENT, .number = cpu},
    {.name = "rss", .alias = "mem", .unit = UNIT_BYTES, .number = rss},
    {.name = "time", .unit = UNIT_SECONDS, .number = cpu_time},
    {.name = "name", .alias = "comm", .text = name, .plain = true},
    {.name = "user", .text = user, .plain = true},
    {.name = "command", .alias = "cmd", .text = command, .plain = true},
    {0},
};

static const struct row rows[] = {
    {1, 0, 12e6, 44, "init", "root", "/sbin/init splash"},
    {812, 7.5, 3.0 * (1 << 30), 7300, "sshd", "root", "sshd: anna [priv]"},
    {4812, NAN, 5e5, 0.2, "bash", "anna", "-bash --norc"},
    {900, 55, 64 << 20, 600, "make", "anna", "make -j8 CFLAGS=-O2 \"quoted\""},
};

/* Expects the rows that pass, as letters; a is the first row. */
static void expect(const char *text, const char *letters)
{
    struct error err = ERROR_INIT;
    struct query *q;
    char got[8] = "";
    size_t n = 0;
    if (query_compile(&q, text, fields, &err) != 0)
        fail_msg("%s: %s: %s", text, err.what, err.why);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (query_match(q, &rows[i]))
            got[n++] = "abcd"[i];
    query_free(q);
    if (strcmp(got, letters) != 0)
        fail_msg("%s: %s instead of %s", text, got, letters);
}

static void refused(const char *text, int column, const char *words)
{
    struct error err = ERROR_INIT;
    struct query *q;
    char what[64], all[640];
    if (query_compile(&q, text, fields, &err) == 0)
        fail_msg("'%s' was taken", text);
    assert_null(q);
    snprintf(what, sizeof what, "filter, column %d", column);
    snprintf(all, sizeof all, "%s; %s", err.why, err.help);
    if (strcmp(err.what, what) != 0 || !strstr(all, words))
        fail_msg("%s: %s: %s", text, err.what, all);
}

TEST(words_are_found_anywhere)
{
    expect("", "abcd");
    expect("   ", "abcd");
    expect("ssh", "b");
    expect("ANNA", "bcd");
    expect("812", "b"); /* a number matches as a whole */
    expect("anna make", "d");
    expect("-j8", "d");
    expect("\"make -j8\"", "d");
    expect("\"\\\"quoted\\\"\"", "d");
    expect("nobody", "");
    expect("\"\"", "abcd");
}

TEST(quotes_hold_quotes_and_backslashes)
{
    static const struct row windows = {.name = "c", .user = "anna", .command = "a \\\"b\" d\\e"};
    static const struct {
        const char *text;
        bool match;
    } cases[] = {
        {"command=\"a \\\\\\\"b\\\" d\\\\e\"", true},
        {"\"d\\\\e\"", true},
        {"\"d\\e\"", true},
        {"\"\\\\\\\"b\"", true},
        {"\"d\\\\\\\\e\"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        struct query *q;
        if (query_compile(&q, cases[i].text, fields, &err) != 0)
            fail_msg("%s: %s", cases[i].text, err.why);
        if (query_match(q, &windows) != cases[i].match)
            fail_msg("%s on %s", cases[i].text, windows.command);
        query_free(q);
    }
}

TEST(fields_are_compared)
{
    expect("cpu>5", "bd");
    expect("cpu > 5 %", "");
    expect("cpu>5%", "bd");
    expect("cpu >= 7.5", "bd");
    expect("cpu<7.5", "a");
    expect("cpu<=7.5", "ab");
    expect("cpu=0", "a");
    expect("cpu!=0", "bd"); /* values that were not measured do not pass */
    expect("not cpu=0", "bcd");
    expect("rss>1G", "b");
    expect("mem>=64MiB", "bd");
    expect("mem>=64M and mem<1G", "d");
    expect("time>2h", "b");
    expect("time<500ms", "c");
    expect("time=10m", "d");
    expect("name=SSHD", "b");
    expect("name!=sshd", "acd");
    expect("comm~^(bas|ss)h", "bc");
    expect("name~sh", "bc");
    expect("name!~sh", "ad");
    expect("name~^b.*h$", "c");
    expect("cmd~\"j[0-9]+ C\"", "d");
    expect("command=\"sshd: anna [priv]\"", "b");
    expect("user=root pid>1", "b");
}

TEST(operators_bind_as_expected)
{
    expect("cpu>5 and name~ssh", "b");
    expect("cpu>5 or pid=1", "abd");
    expect("user=root and pid=1 or name=make", "ad");
    expect("name=make or user=root and pid=1", "ad");
    expect("(name=make or user=root) and pid=1", "a");
    expect("(name=make or user=root) cpu>5", "bd");
    expect("not user=root", "cd");
    expect("!user=root", "cd");
    expect("! ( user=root or name=bash )", "d");
    expect("not not pid=1", "a");
    expect("NOT user=root AND cpu>1", "d");
    expect("((((pid=1))))", "a");
    expect("order", ""); /* "or" is an operator only as a whole word */
    expect("android or ssh", "b");
}

TEST(mistakes_are_told_with_their_column)
{
    refused("cpuu>5", 1, "did you mean 'cpu'");
    refused("cpu>5 and nmae~x", 11, "did you mean 'name'");
    refused("zzzzzz=1", 1, "fields are pid cpu rss");
    refused("cpu>", 5, "a value is missing");
    refused("cpu>five", 5, "'five' is no number");
    refused("cpu>5kg", 5, "is no number");
    refused("time>5G", 6, "is no number");
    refused("cpu>1e999", 5, "is no number");
    refused("cpu>nan", 5, "is no number");
    refused("cpu~5", 5, "'cpu' is a number");
    refused("name>x", 6, "'name' is a text");
    refused("(cpu>5", 1, "parenthesis is not closed");
    refused("cpu>5)", 6, "not expected");
    refused("cpu>5 and", 10, "missing");
    refused("or cpu>5", 1, "both sides");
    refused("cpu>5 and or", 11, "both sides");
    refused("not", 4, "missing");
    refused("\"abc", 1, "quote is not closed");
    refused("name~\"abc", 6, "quote is not closed");
    refused("name~[", 6, "no regular expression");
    refused("name~a{1,9999}", 6, "repeat counts");
    refused("name~(a)\\1", 6, "back references");
    refused(">5", 1, "not expected");
    refused("()", 2, "not expected");
}

TEST(long_and_deep_ones_are_refused)
{
    struct error err = ERROR_INIT;
    struct query *q;
    char text[600];
    memset(text, '(', 200);
    strcpy(text + 200, "a");
    assert_true(query_compile(&q, text, fields, &err) < 0);
    assert_non_null(strstr(err.why, "nested too deeply"));
    memset(text, 'x', 400);
    text[400] = '\0';
    assert_true(query_compile(&q, text, fields, &err) < 0);
    *text = '\0';
    for (int i = 0; i < 100; i++)
        strcat(text, "a ");
    assert_true(query_compile(&q, text, fields, &err) < 0);
    assert_non_null(strstr(err.why, "64 conditions"));
    memset(text, '!', 200);
    text[200] = '\0';
    assert_true(query_compile(&q, text, fields, &err) < 0);
    assert_true(query_match(NULL, &rows[0]));
}
