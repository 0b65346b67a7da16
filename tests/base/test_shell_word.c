/* Words quoted for a shell: the shell gets the same bytes, and nothing raw is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shell_word.h"
#include "support/hostile.h"
#include "support/program.h"
#include "support/test.h"

static char *quoted(const char *word)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    shell_word(f, word);
    fclose(f);
    return text;
}

TEST(as_people_would_write_them)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"--x=a/b.c", "--x=a/b.c"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"$HOME", "'$HOME'"},
        {"größe", "'größe'"},
        {"a\nb", "$'a\\012b'"},
        {"\xe2\x80\xae'\\", "$'\\342\\200\\256\\'\\\\'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = quoted(cases[i][0]);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

TEST(a_shell_gets_the_same_bytes)
{
    for (int i = 0; hostile_names[i]; i++) {
        char line[2048], *text = quoted(hostile_names[i]);
        struct program p;
        assert_null(hostile_raw(text, strlen(text), 0));
        snprintf(line, sizeof line, "printf %%s %s", text);
        program_run(&p, line);
        assert_string_equal(p.out, hostile_names[i]);
        program_free(&p);
        free(text);
    }
}
