#include "base/shell_word.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"

static bool is_printable_word(const char *word)
{
    for (const char *p = word; *p;) {
        size_t n = utf8_sequence(p, strnlen(p, 4));
        const char *end = p;
        if (n == 0 || !text_printable(text_next(&end)))
            return false;
        p += n;
    }
    return true;
}

/* Prints the word as $'...', which bash, ksh, zsh and POSIX 2024 know, with control characters
 * escaped. */
static void put_quoted_bytes(FILE *out, const char *word)
{
    fputs("$'", out);
    for (const char *p = word; *p; p++)
        if (*p == '\'' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < ' ' || *p > '~')
            fprintf(out, "\\%03o", (unsigned char)*p);
        else
            fputc(*p, out); /* raw: from space to ~ */
    fputc('\'', out);
}

void shell_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, out); /* raw: needs no quotes */
        return;
    }
    if (!is_printable_word(word)) {
        put_quoted_bytes(out, word);
        return;
    }
    fputc('\'', out);
    for (const char *p = word; *p; p++)
        if (*p == '\'')
            fputs("'\\''", out);
        else
            fputc(*p, out); /* raw: printable */
    fputc('\'', out);
}

static char *shell_quoted(const char *word)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    if (!out)
        return xstrdup("''");
    shell_word(out, word);
    fclose(out);
    return text;
}

char *shell_path(const char *path)
{
    if (*path != '-')
        return shell_quoted(path);
    char *plain = xcalloc(1, strlen(path) + 3);
    strcat(strcpy(plain, "./"), path);
    char *text = shell_quoted(plain);
    free(plain);
    return text;
}
