/*
 * The lines that were typed after a colon: a text file with one command on each line, the newest
 * last. It is state, not configuration, so it may be deleted at any time.
 */
#pragma once

#include <stddef.h>

enum { TYPED_LINES_MAX = 500 };

struct typed_lines;

struct typed_lines *typed_lines_new(void);
void typed_lines_free(struct typed_lines *h);
size_t typed_lines_len(const struct typed_lines *h);
/* back = 0 is the newest; "" beyond the oldest. */
const char *typed_lines_get(const struct typed_lines *h, size_t back);
/* Appends a line and removes an older equal one. Lines with control characters are not kept. */
void typed_lines_add(struct typed_lines *h, const char *line);
/* Reads a file's content: the last TYPED_LINES_MAX lines that are valid UTF-8. */
void typed_lines_parse(struct typed_lines *h, const char *text, size_t len);
/* Load and save dir/history. A missing file has no lines. Saving writes a new file and
 * renames it, so that two rooftop processes never mix lines. Return 0 or -errno, which callers may
 * ignore. */
int typed_lines_load(struct typed_lines *h, const char *dir);
int typed_lines_save(const struct typed_lines *h, const char *dir);
