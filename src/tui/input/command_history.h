/*
 * What was typed on the command line, kept from session to session: a text file of one command a
 * line, the newest last. It is state, not configuration: it may be deleted at any time.
 */
#ifndef ROOFTOP_TUI_INPUT_COMMAND_HISTORY_H
#define ROOFTOP_TUI_INPUT_COMMAND_HISTORY_H

#include <stddef.h>

enum { COMMAND_HISTORY_MAX = 500 };

struct command_history;

struct command_history *command_history_new(void);
void command_history_free(struct command_history *h);
size_t command_history_len(const struct command_history *h);
/* back = 0 is the newest; "" beyond the oldest. */
const char *command_history_get(const struct command_history *h, size_t back);
/* Appends; an older line that is the same goes. Lines with control characters are not kept. */
void command_history_add(struct command_history *h, const char *line);
/* Takes in what a file holds: the last COMMAND_HISTORY_MAX lines that are whole UTF-8 text. */
void command_history_parse(struct command_history *h, const char *text, size_t len);
/* dir/history. A file that is not there is none read. Written beside and renamed over, so that
 * two rooftops at once never mix lines; failures are silent: history is a comfort. Returns 0 or
 * -errno. */
int command_history_load(struct command_history *h, const char *dir);
int command_history_save(const struct command_history *h, const char *dir);

#endif
