#include "cli/run/brief_output.h"

#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/shell_word.h"
#include "cli/run/output.h"

/* The command with the processes or the program behind it. The caller frees it. */
static char *join_brief_command(const char *command, const struct options *o)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        abort();
    print_text(f, "%s %s", command, o->argv ? "--" : "-p ");
    if (!o->argv)
        shell_word(f, o->pids);
    for (char **word = o->argv; word && *word; word++) {
        fputc(' ', f);
        shell_word(f, *word);
    }
    fclose(f);
    return text;
}

void brief_next_about(struct brief *b, const struct options *o, const char *const *commands)
{
    for (; *commands; commands++) {
        if (o->noperands) {
            brief_next(b, *commands, (const char *const *)o->operands, o->noperands);
        } else if (o->argv || o->pids) {
            char *line = join_brief_command(*commands, o);
            brief_next(b, line, NULL, 0);
            free(line);
        }
    }
}

/* How many words from args[i] on ask for the short answer. */
static int words_for_brief(char *const *args, int i)
{
    if (!args[i])
        return 0;
    if (strcmp(args[i], "--brief") == 0 || strcmp(args[i], "--format=markdown") == 0)
        return 1;
    const bool format = strcmp(args[i], "--format") == 0 && args[i + 1];
    return format && strcmp(args[i + 1], "markdown") == 0 ? 2 : 0;
}

void brief_next_again(struct brief *b, const struct options *o, const char *more)
{
    if (o->reads_stdin) /* a pipe that was read is empty the next time */
        return;
    char *text = NULL;
    size_t n = 0;
    bool behind = false; /* the words are those of the program that is started */
    bool pipe = false;   /* a file is a pipe that was read */
    FILE *f = open_memstream(&text, &n);
    if (!f)
        abort();
    fputs("rooftop", f);
    for (int i = 1; i < o->argc; i++) {
        /* a command that was parsed ends with NULL where the next "--" was */
        const char *word = o->args[i] ? o->args[i] : "--";
        const int skip = behind ? 0 : words_for_brief(o->args, i);
        pipe |= !behind && brief_is_gone_pipe(word);
        if (skip) {
            i += skip - 1;
            continue;
        }
        if (!behind && *more && strcmp(word, "--") == 0)
            print_text(f, " %s", more);
        behind = behind || strcmp(word, "--") == 0;
        fputc(' ', f);
        shell_word(f, word);
    }
    if (!behind && *more)
        print_text(f, " %s", more);
    fclose(f);
    if (!pipe)
        brief_next(b, text, NULL, 0);
    free(text);
}

struct brief_document {
    const struct brief *b;
    const char *format;
};

static void make_brief_document(FILE *out, const void *what)
{
    const struct brief_document *d = what;
    brief_write(out, d->b, d->format);
}

int brief_output(const struct brief *b, const struct options *o, struct error *err)
{
    return output_made(o->output, make_brief_document, &(struct brief_document){b, o->format}, err);
}
