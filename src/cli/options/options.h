/*
 * Options, their values, and the parser. command.h says which command takes which.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/live/target.h"
#include "engine/value/list_field.h"
#include "tui/input/presets.h"

enum option_type {
    OPTION_FLAG,
    OPTION_INT,
    OPTION_SECONDS,
    OPTION_STRING,
    OPTION_LIST, /* may be given several times; the values are one string, a line each */
    OPTION_CHOICE,
    OPTION_SIZE /* WxH */
};

struct option_def {
    const char *section; /* heading in --help and the manual; NULL: "Options" */
    const char *name;    /* "interval" */
    char letter;         /* 'd'; 0 = no letter */
    enum option_type type;
    const char *arg;                /* name of the value in --help: "SECONDS" */
    const char *choices;            /* "text|json|..." for OPTION_CHOICE */
    const struct list_field *sorts; /* for OPTION_CHOICE: the orders of a list are the choices */
    double min, max;
    const char *fallback; /* default, as text; NULL = unset */
    bool config;          /* may also be set in the configuration and the environment */
    bool internal;        /* rooftop starts itself with it: no help or completion names it */
    const char *alone;    /* its value if it is given without one; NULL: a value is required */
    const char *help;     /* one sentence for --help and the manual; NULL: internal */
    size_t own;           /* bytes of the command's own struct; 0: the value is in struct options */
    size_t offset;        /* of the value in that struct */
};

/* Options that several commands take; generated from shared.def. */
enum shared_option {
#define SHARED(id, ...) SHARED_##id,
#include "cli/options/shared.def"
#undef SHARED
    SHARED_COUNT
};
extern const struct option_def shared_options[SHARED_COUNT + 1]; /* terminated by name == NULL */
bool option_is_shared(const struct option_def *d);

/* Where a value came from; a higher one wins. */
enum option_layer { LAYER_DEFAULT, LAYER_CONFIG, LAYER_ENV, LAYER_ARGS };
enum { OPTIONS_MAX = 96, PRESETS_MAX = 32 };

/* Values of the rows of shared.def, and those of the dashboard, since other commands end in it. */
#define OPTIONS_STDIN "/dev/stdin" /* the operand that "-" becomes */

struct options {
    const char *command; /* "" = dashboard */
    const char *words;   /* as it is typed: "report path"; "rooftop" for the dashboard */
    const char *hidden;  /* a cut noun that is also the name of a file here; NULL: none */
    void *own;           /* the values that only this command has: a struct beside its code */
    bool headless, help, version, no_mouse, ascii, utf8, no_config, replace, readonly, print_config;
    bool help_short;    /* help was asked for as -h */
    bool brief;         /* --brief */
    const char *answer; /* of --brief=json: how the short answer is written; NULL: not said */
    bool reads_stdin;   /* a file was given as "-" */
    bool functions, threads, ranges, ports;
    bool in_process; /* rooftop started itself: the process that does the work */
    long sample_rate;
    const char *call_graph;
    double interval_s;
    long frames;
    int size_cols, size_rows; /* 0 = the terminal's size, or 120x40 if headless */
    const char *view, *format, *output, *theme, *color, *config, *metrics, *filter, *run;
    const char *pids, *children, *cgroup, *cpulist, *events, *brick_counters;
    const char *generate, *max_size, *max_memory, *budgets, *usdt, *roofs, *syscalls, *collectives;
    const char *group, *thread_trace; /* of kernels */
    const char *value;                /* of a file of samples: which event or value is shown */
    const char *from, *to, *range;    /* the part of a profile that is wanted */
    const char *only;                 /* "all", "target" */
    long repeat;                      /* how often to run the command, at least 1 */
    double for_s;                     /* seconds to watch; 0: until the target ends */
    const char *captures;             /* folders with captures, a line each */
    struct {                          /* of a replay */
        const char *capture_dir, *hsaco, *tolerance;
        long iterations, warmup, agent;
        bool no_recopy, json, progress, verify;
    } replay;
    struct {                                            /* of many hosts */
        const char *hosts, *file, *rooftop;             /* NULL: not given */
        const char *scrape, *match, *host_label, *past; /* the same */
        const char *auth, *exporters, *max_answer;      /* the same */
    } fleet;
    const char *by;                                      /* mechanism that traces system calls */
    bool stack;                                          /* with their stacks */
    struct {                                             /* of OpenTelemetry */
        const char *url, *protocol, *spool, *spool_size; /* NULL: not given */
        double wait_s;
    } otlp;
    bool capture;     /* the dashboard may capture dispatches of the command */
    double timeout_s; /* seconds, for a capture or a launch; 0: not given */
    char **argv;      /* after "--", or NULL */
    char **operands;  /* positional words of a sub-command, NULL-terminated */
    size_t noperands;
    int argc;
    char **args;                        /* argv of the program, to parse it again */
    unsigned char layer[OPTIONS_MAX];   /* enum option_layer, by index in the command's list */
    struct preset presets[PRESETS_MAX]; /* presets of the configuration */
    size_t npresets;
    struct arena storage; /* strings from the config file */
};

/*
 * Parses the command line, the environment (ROOFTOP_CONFIG, and ROOFTOP_<NAME> for options that
 * the configuration may set), the configuration and the defaults; an earlier one of these wins.
 * Returns 0 or -errno with ERROR_USAGE or ERROR_INPUT. Call options_free in either case. Strings
 * point into argv, the environment or o->storage.
 */
int options_parse(struct options *o, int argc, char **argv, struct error *err);
/* makes the target; checks and splits lists */
int options_target(const struct options *o, struct target *t, struct error *err);
enum target_children options_children(const char *word); /* NULL means "new" */
/* Parses a size of a file: "64M", "1.5G", "2GiB", in powers of 1024, at least 1M. option: its
 * name, for errors. */
int options_bytes(const char *option, const char *text, uint64_t *bytes, struct error *err);
/* Whether the short answer is wanted: --brief, or --format markdown. */
bool options_brief(const struct options *o);
/* How it is written: "json", "markdown", else text. */
const char *options_brief_format(const struct options *o);
void options_free(struct options *o);
void options_help(FILE *out, const char *command);
/* Prints "man" (roff), "bash", "zsh", "fish" or "metrics" (Markdown). -EINVAL for anything else. */
int options_generate(FILE *out, const char *what);

/* Functions for the configuration's reader, the generators and tests. */
const struct option_def *option_key(const char *name); /* NULL: not in the configuration */
/* Which layer the value of the command's option came from; LAYER_DEFAULT if the command has no
 * such option. */
enum option_layer options_layer(const struct options *o, const char *name);
/* Where the option's value is. */
void *option_value(const struct options *o, const struct option_def *d);
/* Checks the text and stores its value. where: the text's origin, for errors: "--interval",
 * "FILE:3:1 interval". */
int option_set(struct options *o, const struct option_def *d, const char *text, const char *where,
               struct error *err);
/* The i-th choice (from the table; or a view, or a theme), or NULL after the last. Returns buf or
 * a static string. */
const char *option_choice(const struct option_def *d, size_t i, char *buf, size_t size);
