/*
 * rooftop gpu replay: runs a captured GPU dispatch again. A child process of this program uses the
 * GPU and is supervised: its crash or hang is reported and ends only the child.
 */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "cli/options/command.h"

/* How a child ended. */
struct replay_outcome {
    int status;    /* exit status of the command */
    cJSON *result; /* the resulting document; NULL: see error */
    cJSON *error;  /* the error event; NULL: see result */
};
void replay_outcome_free(struct replay_outcome *out);

/*
 * Starts `rooftop gpu replay` with these words (NULL-terminated; words[0..2] are filled in here)
 * and follows its events. told is called for each event except result and error. limit_s: how long
 * the child may be silent once it uses the GPU. Returns 0, or -1 with err if the child could not be
 * started.
 */
typedef void (*replay_told)(void *ctx, const cJSON *event, const char *line);
int replay_supervise(char **words, double limit_s, replay_told told, void *ctx,
                     struct replay_outcome *out, struct error *err);

/* Makes the words for a child that runs `command`, with those options that it takes. code: the
 * code objects of a comparison; NULL: none. */
enum { REPLAY_WORDS = 96 };
struct replay_words {
    char *argv[REPLAY_WORDS];
    char numbers[5][32];
};
void replay_words_make(struct replay_words *w, const struct options *o,
                       const struct command *command, const char *const *code, size_t ncode);
/* Seconds that one launch may take. */
double replay_timeout(const struct options *o);
/* Seconds that a child may be silent. */
double replay_patience(const struct options *o);

/* Print results as text. */
void replay_text_full_vm(FILE *out, const cJSON *result);
void replay_text_compare(FILE *out, const cJSON *result);
struct brief;
/* The short answer of a result. command: "replay full-vm". */
void replay_brief(struct brief *b, const cJSON *result, const char *command);
void replay_text_region(FILE *out, const cJSON *event);
void replay_text_check(FILE *out, const cJSON *result);
/* Prints a line "Note: ..." for each note. */
void replay_text_notes(FILE *out, const cJSON *result);
/* Formats "message (variant, stage)". */
void replay_text_error(char *out, size_t size, const cJSON *error);

/* 0 or -errno with ERROR_USAGE: no capture is named, or a file is named where none is expected. */
int replay_check_words(const struct options *o, struct error *err);
/* The exit status of a usage error, which reserve-check changes. o: the options as far as they
 * were parsed. */
int replay_usage_status(const struct options *o, int status);

/* --- for the descriptions of its commands */

#define REPLAY_LACKS                                                                               \
    "no HSA runtime, no GPU, no virtual memory of GPUs, or the code is for another GPU"
#define REPLAY_EXITS                                                                               \
    EXITS({.code = EXIT_FAILED,                                                                    \
           .text = "a guarantee was not kept: address, mapping, access, loading"},                 \
          {.code = EXIT_INPUT, .text = "the capture is damaged, or the path is no capture"},       \
          {.code = EXIT_UNSUPPORTED, .text = REPLAY_LACKS},                                        \
          {.code = EXIT_DIFFERS, .text = "memory differs from what it should be"},                 \
          {.code = EXIT_GPU}, {.code = EXIT_TIMEOUT})
