/*
 * The history of the command line: a text file with one command on each line, the newest last. It
 * is state, not configuration, so it may be deleted at any time.
 */
#pragma once

#include <stddef.h>

enum { COMMAND_HISTORY_MAX = 500 };

struct command_history;

struct command_history *command_history_new(void);
void command_history_free(struct command_history *h);
size_t command_history_len(const struct command_history *h);
/* back = 0 is the newest; "" beyond the oldest. */
const char *command_history_get(const struct command_history *h, size_t back);
/* Appends a line and removes an older equal one. Lines with control characters are not kept. */
void command_history_add(struct command_history *h, const char *line);
/* Reads a file's content: the last COMMAND_HISTORY_MAX lines that are valid UTF-8. */
void command_history_parse(struct command_history *h, const char *text, size_t len);
/* Load and save dir/history. A missing file is an empty history. Saving writes a new file and
 * renames it, so that two rooftop processes never mix lines. Return 0 or -errno, which callers may
 * ignore. */
int command_history_load(struct command_history *h, const char *dir);
int command_history_save(const struct command_history *h, const char *dir);
