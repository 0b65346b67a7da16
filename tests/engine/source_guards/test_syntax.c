/* Texts are split as a compiler reads them: lines are joined first, then comments end. */
#include <stdio.h>
#include <string.h>

#include "engine/source_guards/syntax.h"
#include "support/test.h"

/* The tokens with one blank between them, each with '#' before it that stands in a line of the
 * preprocessor, and '+' before it that touches the one before. */
static void tokens_are(const char *text, const char *wanted)
{
    char got[256] = "";
    struct syntax_tokens t;
    syntax_split(&t, text, strlen(text));
    for (size_t i = 0; i < t.n; i++) {
        const struct syntax_token *k = &t.list[i];
        const size_t n = strlen(got);
        assert_true(k->start < k->end && k->end <= strlen(text));
        snprintf(got + n, sizeof got - n, "%s%s%s%.*s", i ? " " : "", k->directive ? "#" : "",
                 i && k->touches ? "+" : "", (int)(k->end - k->start), text + k->start);
    }
    if (strcmp(got, wanted) != 0)
        fail_msg("'%s' is split into '%s', not '%s'", text, got, wanted);
    syntax_tokens_free(&t);
}

TEST(texts_are_split)
{
    tokens_are("", "");
    tokens_are("a+1.5e-3f ;", "a ++ +1.5e-3f ;");
    tokens_are("\"a\\\"b\" 'c' .5", "\"a\\\"b\" 'c' .5");
    tokens_are("#define A(x) x##y\nb", "## #+define #A #+( #+x #+) #x #+## #+y b");
    tokens_are("a/* b */c // d\ne", "a c e");
    tokens_are("a /* no end", "a");
    tokens_are("\"no end\nb", "\"no end b");
}

TEST(lines_are_joined)
{
    tokens_are("as\\\nm", "as\\\nm");
    tokens_are("as\\ \t\r\nm", "as\\ \t\r\nm");
    tokens_are("\\\na\\\n;\\\n", "a +;");
    tokens_are("%\\\n:", "% +:");
    tokens_are("#define A \\\n b\nc", "## #+define #A #b c");
    tokens_are("/* *\\\n/ a /* */", "a");
    tokens_are("/\\\n* b *\\\n\\\n/ a", "a");
    tokens_are("// b \\\n/*\na\n// */", "a");
    tokens_are("a \\", "a \\");
}

TEST(lines_are_counted)
{
    static const char text[] = "a\n/*\n*/ b \\\n c\\\nd\ne";
    static const uint32_t lines[] = {1, 3, 4, 6};
    struct syntax_tokens t;
    syntax_split(&t, text, sizeof text - 1);
    assert_int_equal(t.n, 4);
    for (size_t i = 0; i < t.n; i++)
        assert_int_equal(t.list[i].line, lines[i]);
    syntax_tokens_free(&t);
}
