/* Exports of Nsight Systems made in a test, and what was read of them as text. */
#ifndef ROOFTOP_TESTS_SUPPORT_NSYS_FILE_H
#define ROOFTOP_TESTS_SUPPORT_NSYS_FILE_H

#include <stddef.h>

#include "engine/trace/trace.h"

/* A new directory, removed with all that is in it at the end. */
int nsys_set_up(void **state);
int nsys_tear_down(void **state);
const char *nsys_folder(void);
const char *nsys_path(const char *name); /* in it; static */

/* Runs SQL texts on the file, which is made where there is none. */
#define nsys_sql(path, ...) nsys_run(path, (const char *const[]){__VA_ARGS__, NULL})
void nsys_run(const char *path, const char *const *sql);
/* The file's bytes and those beside it: a number that changes with any of them. */
unsigned long long nsys_digest(void);

/* Reads it, asserting that it goes well and that nothing in the directory changes. */
void nsys_read(struct trace *t, const char *path);
/* "parent/name start+duration" of every node in order, a line each. Free it. */
char *nsys_dump(const struct trace *t);
/* The node with this name; asserts that there is exactly one. */
uint32_t nsys_node(const struct trace *t, const char *name);
/* How many edges lead from a node of one name to a node of another under a parent. */
size_t nsys_links(const struct trace *t, const char *from, const char *to);

#endif
