/*
 * Options, their values, and the parser. Which command takes which: command.h.
 */
#ifndef ROOFTOP_CLI_OPTIONS_OPTIONS_H
#define ROOFTOP_CLI_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/live/target.h"
#include "tui/input/presets.h"

enum option_type {
    OPTION_FLAG,
    OPTION_INT,
    OPTION_SECONDS,
    OPTION_STRING,
    OPTION_LIST, /* may be given several times: one string, a line each */
    OPTION_CHOICE,
    OPTION_SIZE /* WxH */
};

struct option_def {
    const char *section; /* heading in help and manual; NULL: "Options" */
    const char *name;    /* "interval" */
    char letter;         /* 'd', 0 = none */
    enum option_type type;
    const char *arg;     /* "SECONDS", in help */
    const char *choices; /* "text|json|..." for OPTION_CHOICE */
    double min, max;
    const char *fallback; /* default, as text; NULL = unset */
    bool config;          /* may stand in the configuration, and in the environment */
    const char *help;     /* one sentence */
    size_t offset;        /* into struct options */
};

/* Options that several commands take: rows of shared.def. */
enum shared_option {
#define SHARED(id, ...) SHARED_##id,
#include "cli/options/shared.def"
#undef SHARED
    SHARED_COUNT
};
extern const struct option_def shared_options[SHARED_COUNT + 1]; /* ends with name == NULL */
bool option_is_shared(const struct option_def *d);

/* Where a value came from; a higher one wins. */
enum option_layer { LAYER_DEFAULT, LAYER_CONFIG, LAYER_ENV, LAYER_ARGS };
enum { OPTIONS_MAX = 64, PRESETS_MAX = 32 };

struct options {
    const char *command; /* "" = dashboard */
    bool headless, help, version, no_mouse, ascii, utf8, no_config, replace, readonly, print_config;
    bool functions, threads, calls, ranges, dry_run, disassemble;
    bool in_process; /* of a replay, or of the doctor */
    long sample_rate;
    const char *call_graph;
    double interval_s;
    long frames;
    int size_cols, size_rows; /* 0 = the terminal's, or 120x40 headless */
    const char *view, *format, *output, *theme, *color, *config, *metrics, *filter, *run;
    const char *pids, *children, *cgroup, *cpulist, *events;
    const char *generate, *max_size, *max_memory, *budgets, *usdt, *what_if, *roofs, *per;
    const char *hash;
    const char *tool, *counters, *att, *gpu, *report;
    const char *group, *sort, *thread_trace; /* of kernels */
    const char *from, *to, *range;           /* the part of a profile that is looked at */
    const char *search;                      /* of a timeline */
    const char *fail_on;                     /* of a comparison */
    const char *only;                        /* "all", "target" */
    long repeat;                             /* times to run a command, at least 1 */
    double for_s;                            /* to watch for; 0: to its end */
    const char *captures;                    /* folders of captures, a line each */
    struct {                                 /* of a replay */
        const char *capture_dir, *hsaco, *tolerance, *source, *build;
        long iterations, warmup, agent;
        double build_timeout_s;
        bool no_recopy, json, progress, verify, once;
    } replay;
    const char *compile_commands; /* of what is reproduced */
    const char *kernel;           /* of a code object, or of a capture */
    long dispatch, every;         /* 0: not given */
    bool slowest, post, capture;
    double timeout_s; /* of a capture, of a launch; 0: not given */
    char **argv;      /* after "--", or NULL */
    char **operands;  /* positional words of a sub-command, NULL-terminated */
    size_t noperands;
    int argc;
    char **args;                        /* of the program, for reading all again */
    unsigned char layer[OPTIONS_MAX];   /* enum option_layer, by place in the command's list */
    struct preset presets[PRESETS_MAX]; /* the user's */
    size_t npresets;
    struct arena storage; /* strings from the config file */
};

/*
 * Command line over environment (ROOFTOP_<NAME>, for what may stand in the config file, and
 * ROOFTOP_CONFIG) over config file over defaults. ERROR_USAGE / ERROR_INPUT. Call options_free
 * after either outcome. Strings point into argv, the environment or o->storage.
 */
int options_parse(struct options *o, int argc, char **argv, struct error *err);
int options_target(const struct options *o, struct target *t,
                   struct error *err);                   /* lists checked and split */
enum target_children options_children(const char *word); /* "new" (NULL too), "all", "none" */
/* Of an option's text: "64M", "1.5G", "2GiB", powers of 1024, as sizes of files are meant; at least
 * 1M. */
int options_bytes(const char *option, const char *text, uint64_t *bytes, struct error *err);
void options_free(struct options *o);
void options_help(FILE *out, const char *command);
/* "man" (roff), "bash", "zsh", "fish", "metrics" (Markdown). -EINVAL for anything else. */
int options_generate(FILE *out, const char *what);

/* The pieces, for the config reader, the generators and tests. */
const struct option_def *option_key(const char *name); /* of the configuration; NULL: none */
/* Where the value of the command's option came from; a default where it takes none of that name. */
enum option_layer options_layer(const struct options *o, const char *name);
/* Checks text and stores it; where names its origin in messages: "--interval", "FILE:3:1 interval".
 */
int option_set(struct options *o, const struct option_def *d, const char *text, const char *where,
               struct error *err);
/* The i-th choice (from the table, or the views and themes there are), or NULL after the last. */
const char *option_choice(const struct option_def *d, size_t i, char *buf, size_t size);

#endif
