/*
 * rooftop replay: a captured GPU dispatch again. What touches the GPU runs in a child process of
 * this program, which is watched: its crash or hang is told, and ends only it.
 */
#ifndef ROOFTOP_CLI_REPLAY_REPLAY_H
#define ROOFTOP_CLI_REPLAY_REPLAY_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "cli/options/command.h"

/* What a child ended with. */
struct replay_outcome {
    int status;    /* exit status for it */
    cJSON *result; /* the document; NULL: there is an error */
    cJSON *error;  /* the event; NULL: there is a result */
};
void replay_outcome_free(struct replay_outcome *out);

/*
 * Starts `rooftop replay` with these words (words[0..2] are put in place here; NULL-terminated) and
 * follows it. told is called for each event but result and error. limit_s: how long it may be
 * silent once it uses the GPU. Fails only where it cannot be started.
 */
typedef void (*replay_told)(void *ctx, const cJSON *event, const char *line);
int replay_supervise(char **words, double limit_s, replay_told told, void *ctx,
                     struct replay_outcome *out, struct error *err);

/* The words for the child, which runs command: of the options, those it takes. code: code objects
 * of a comparison; NULL. */
enum { REPLAY_WORDS = 96 };
struct replay_words {
    char *argv[REPLAY_WORDS];
    char numbers[5][32];
};
void replay_words_make(struct replay_words *w, const struct options *o,
                       const struct command *command, const char *const *code, size_t ncode);
/* How long one launch may take, seconds. */
double replay_timeout(const struct options *o);
/* Of both: how long a child may be silent. */
double replay_patience(const struct options *o);

/* Texts of results. */
void replay_text_full_vm(FILE *out, const cJSON *result);
void replay_text_compare(FILE *out, const cJSON *result);
void replay_text_region(FILE *out, const cJSON *event);
void replay_text_check(FILE *out, const cJSON *result);
/* "Note: ..." a line each. */
void replay_text_notes(FILE *out, const cJSON *result);
/* "message (variant, stage)" */
void replay_text_error(char *out, size_t size, const cJSON *error);

/* ERROR_USAGE where no capture is named, or a file where none is taken. */
int replay_check_words(const struct options *o, struct error *err);
/* The exit status of a mistake on that command line, read as far as it could be. */
int replay_usage_status(const struct options *o, int status);

/* --- in the descriptions of its commands */

#define REPLAY_LACKS                                                                               \
    "no HSA runtime, no GPU, no virtual memory of GPUs, or the code is for another GPU"
#define REPLAY_EXITS                                                                               \
    EXITS({.code = EXIT_FAILED,                                                                    \
           .text = "a guarantee was not kept: address, mapping, access, loading"},                 \
          {.code = EXIT_INPUT, .text = "the capture is damaged, or is none"},                      \
          {.code = EXIT_UNSUPPORTED, .text = REPLAY_LACKS},                                        \
          {.code = EXIT_DIFFERS, .text = "memory differs from what it should be"},                 \
          {.code = EXIT_GPU}, {.code = EXIT_TIMEOUT})

#endif
