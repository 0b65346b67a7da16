#include "cli/run/run_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/run/dashboard.h"
#include "cli/options/exit.h"
#include "cli/options/options.h"
#include "cli/options/version.h"

/* A name in the working directory that sorts by time. */
static const char *default_path(char out[64])
{
    time_t t = (time_t)(env_wall_ns() / 1000000000u);
    struct tm tm = {0};
    localtime_r(&t, &tm);
    strftime(out, 64, "rooftop-%Y%m%d-%H%M%S.rooftop", &tm);
    return out;
}

int record_open(struct session_writer **out, const struct options *o, struct error *err)
{
    char name[64];
    struct session_config config = {.path = o->output ? o->output : default_path(name),
                                    .replace = o->replace,
                                    .generator = "rooftop " ROOFTOP_VERSION};
    *out = NULL;
    if (o->noperands)
        return error_set(err, ERROR_USAGE, EINVAL, "rooftop FILE opens it", o->operands[0],
                         "what runs is recorded, not a file");
    if (o->max_size) {
        int rc = options_bytes("--max-size", o->max_size, &config.max_bytes, err);
        if (rc != 0)
            return rc;
    }
    int rc = session_create(out, &config, err);
    if (rc == 0 && isatty(STDERR_FILENO) && !o->argv) {
        char line[1000];
        print_line(line, sizeof line, "recording to %.900s; ^C ends it", config.path);
        exit_note(line);
    }
    return rc;
}

static const struct command_option options[] = {
    TAKES_LIVE,
    TAKES(FOR),
    TAKES_AS(FRAMES, .help = "how many snapshots; until the command ends, or ^C, unless given"),
    TAKES_AS(OUTPUT, .arg = "SESSION",
             .help = "the session file; rooftop-DATE-TIME.rooftop unless given"),
    TAKES(MAX_SIZE),
    TAKES_AS(REPLACE, .help = "replace a session file that is already there"),
    TAKES_OTLP,
    TAKES_GENERAL,
};

const struct command command_record = {
    .name = "record",
    .summary = "write samples to a session file, which rooftop FILE opens",
    .usage = "rooftop record [-o FILE] [-d SECONDS] [--max-size SIZE] [-p PID | -- COMMAND...]",
    .run = headless_run,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop record -o run.rooftop -d 0.5 -- ./a.out", "record a program until it ends"},
        {"rooftop record --max-size 64M",
         "record this machine until it is stopped, and keep the last 64 MB"}),
    .exits = EXITS({.code = EXIT_TARGET}, {.code = EXIT_PERMISSION}, {.code = EXIT_UNSUPPORTED}),
};
