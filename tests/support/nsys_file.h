/* Makes exports of Nsight Systems in a test, and prints what was read of them. */
#pragma once

#include <stddef.h>

#include "engine/trace/trace.h"

/* Makes a directory; the tear-down removes it with its content. */
int nsys_set_up(void **state);
int nsys_tear_down(void **state);
const char *nsys_folder(void);
const char *nsys_path(const char *name); /* a path in the directory; static */

/* Runs SQL texts on a file, which is created if necessary. */
#define nsys_sql(path, ...) nsys_run(path, (const char *const[]){__VA_ARGS__, NULL})
void nsys_run(const char *path, const char *const *sql);
/* A digest of all files of the directory: it changes if any byte changes. */
unsigned long long nsys_digest(void);

/* Reads the file; asserts success, and that nothing in the directory changes. */
void nsys_read(struct trace *t, const char *path);
/* A line "parent/name start+duration" for each node in order. The caller frees it. */
char *nsys_dump(const struct trace *t);
/* The only node with this name; asserts that exactly one exists. */
uint32_t nsys_node(const struct trace *t, const char *name);
/* How many edges lead from a node of one name to a node of another under a parent. */
size_t nsys_links(const struct trace *t, const char *from, const char *to);
