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

void brief_next_again(struct brief *b, const struct options *o, const char *more)
{
    char *text = NULL;
    size_t n = 0;
    bool added = !*more;
    FILE *f = open_memstream(&text, &n);
    if (!f)
        abort();
    fputs("rooftop", f);
    for (int i = 1; i < o->argc; i++) {
        /* a command that was parsed ends with NULL where the next "--" was */
        const char *word = o->args[i] ? o->args[i] : "--";
        if (!added && strcmp(word, "--") == 0) {
            print_text(f, " %s", more);
            added = true;
        }
        if (strcmp(word, "--brief") == 0)
            continue;
        fputc(' ', f);
        shell_word(f, word);
    }
    if (!added)
        print_text(f, " %s", more);
    fclose(f);
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
