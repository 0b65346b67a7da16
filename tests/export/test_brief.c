/* The short answer of a document: its bounds, and that nothing from outside is printed raw. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "export/brief.h"
#include "export/github.h"
#include "support/test.h"

static char *written(const struct brief *b, const char *format)
{
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    brief_write(f, b, format);
    fclose(f);
    return out;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* More of everything than fits, each text longer than its place, with what terminals obey. */
static void fill(struct brief *b)
{
    char text[600];
    const char *files[] = {"a file", "-x"};
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = "\033[31m\"\n|é"[i % 10];
    text[sizeof text - 1] = '\0';
    *b = (struct brief){.command = "report"};
    brief_verdict(b, "%s", text);
    for (int i = 0; i < 9; i++) {
        brief_evidence(b, "%d %s", i, text);
        brief_row(b, text, "%d %s", i, text);
        brief_next(b, "rooftop report path", files, 2);
    }
}

TEST(it_is_short_however_much_is_given)
{
    struct brief b;
    fill(&b);
    assert_int_equal(b.left_out, 9 - BRIEF_ROWS);
    char *text = written(&b, NULL), *markdown = written(&b, "markdown"),
         *json = written(&b, "json");
    assert_true(count_lines(text) <= BRIEF_LINES);
    assert_true(count_lines(markdown) <= BRIEF_LINES);
    assert_true(strlen(json) <= BRIEF_JSON_BYTES);
    assert_int_equal(count_lines(json), 1);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(markdown, '\033'));
    assert_null(strchr(json, '\033'));
    free(text);
    free(markdown);
    free(json);
}

TEST(json_has_all_that_fits)
{
    struct brief b = {.command = "path"};
    const char *files[] = {"it's a file"};
    brief_verdict(&b, "B is %s", "slower");
    brief_evidence(&b, "between %d and %d", 1, 2);
    brief_row(&b, "gemm", "%.1f ms", 1.5);
    brief_next(&b, "rooftop report", files, 1);
    char *text = written(&b, "json");
    cJSON *doc = cJSON_Parse(text);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring, "rooftop.brief/1");
    assert_string_equal(cJSON_GetObjectItem(doc, "verdict")->valuestring, "B is slower");
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "rows"), 0);
    assert_string_equal(cJSON_GetObjectItem(row, "what")->valuestring, "gemm");
    assert_string_equal(cJSON_GetObjectItem(row, "measure")->valuestring, "1.5 ms");
    assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "next"), 0)->valuestring,
                        "rooftop report 'it'\\''s a file'");
    assert_int_equal(cJSON_GetObjectItem(doc, "left_out")->valueint, 0);
    cJSON_Delete(doc);
    free(text);
}

/* A name ends no cell and begins no markup. */
TEST(markdown_is_a_table_whatever_the_names)
{
    struct brief b = {.command = "kernels"};
    brief_verdict(&b, "Host bound");
    brief_evidence(&b, "idle");
    brief_row(&b, "a|b*c", "<i>1</i>");
    brief_row(&b, "`x`\n| |", "[u](v)");
    brief_next(&b, "rooftop", NULL, 0);
    char *text = written(&b, "markdown");
    assert_string_equal(text, "**Host bound**\n\n- idle\n\n| kernels | |\n|---|---|\n"
                              "| a\\|b\\*c | \\<i\\>1\\</i\\> |\n"
                              "| \\`x\\`?\\| \\| | \\[u\\](v) |\n\n    rooftop\n");
    free(text);
}

/* The rules of GitHub, "Workflow commands": a value ends neither its property nor the line. */
TEST(annotations_are_one_line_each)
{
    char *out = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&out, &len);
    github_annotate(f, "error", "a,b:c.toml", 7, "50%, x", "1:2, 3 %\n::error::no");
    github_annotate(f, "notice", NULL, 0, "t", "x");
    fclose(f);
    assert_string_equal(out, "::error file=a%2Cb%3Ac.toml,line=7,title=50%25%2C x::1:2, 3 "
                             "%25%0A::error::no\n::notice title=t::x\n");
    free(out);
}
