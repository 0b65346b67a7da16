#include "cli/help.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/generate.h"
#include "cli/options/version.h"
#include "cli/run/output.h"

static int write_help(FILE *out, const struct options *o)
{
    if (o->help && o->help_short && !*o->command)
        generate_brief(out);
    else if (o->help)
        options_help(out, o->command);
    else if (o->version)
        fputs("rooftop " ROOFTOP_VERSION "\n", out);
    else if (o->print_config)
        generate_config(out, o);
    else
        return options_generate(out, o->generate);
    return ferror(out) ? -EIO : 0;
}

int help_print(const struct options *o)
{
    char *text = NULL;
    size_t len = 0;
    struct error err = ERROR_INIT;
    FILE *f = open_memstream(&text, &len);
    int rc = f ? write_help(f, o) : -errno;
    if (f)
        fclose(f);
    if (rc != 0)
        error_set(&err, ERROR_INTERNAL, -rc, NULL, "print", "%s", strerror(-rc));
    else
        rc = output_file(o->print_config ? o->output : NULL, text, len, &err);
    free(text);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

/* Handles "help", "help tree", "help replay edit". */
static int help_run(struct options *o)
{
    char name[64] = "", longer[64];
    const struct command *about = commands[0];
    for (size_t i = 0; i < o->noperands; i++) {
        struct error err = ERROR_INIT;
        snprintf(longer, sizeof longer, "%s%s%.40s", name, *name ? " " : "", o->operands[i]);
        about = command_typed(longer);
        if (!about && i == 0 && (about = command_noun_started(longer)))
            snprintf(longer, sizeof longer, "%s", command_words(about));
        if (!about || !*about->name) {
            command_refuse(name, o->operands[i], &err);
            return exit_report(&err);
        }
        memcpy(name, longer, sizeof name);
    }
    return help_print(&(struct options){.help = true, .command = about->name});
}

static int version_run(struct options *o)
{
    struct error err = ERROR_INIT;
    if (o->noperands == 0)
        return help_print(&(struct options){.version = true});
    error_set(&err, ERROR_USAGE, EINVAL, "rooftop version", o->operands[0],
              "version takes no word");
    return exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_GENERAL,
};

const struct command command_help = {
    .name = "help",
    .summary = "help about a noun and its commands",
    .usage = "rooftop help [NOUN [COMMAND]]",
    .run = help_run,
    .options = options,
    .examples = EXAMPLES({"rooftop help compare", "as rooftop compare --help"},
                         {"rooftop help gpu replay", "one of the commands of gpu"}),
};

const struct command command_version = {
    .name = "version",
    .summary = "the version",
    .usage = "rooftop version",
    .run = version_run,
    .options = options,
    .examples = EXAMPLES({"rooftop version", "as rooftop --version"}),
};
