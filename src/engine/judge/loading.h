/*
 * What of a shared object would run when it is loaded, before anything holds it: constructors,
 * resolvers of IFUNC symbols, libraries. Who has such code is refused; the one constructor that
 * each compiler adds, which does nothing here, is left out of the copy that is loaded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/judge/judge.h"

/*
 * Reads an object of n bytes, and takes out of it what runs at its start and end. 1 with *refused:
 * more than the compiler's own would run, ld.so could write beside the object, or it needs
 * libraries that are neither the compiler's nor the baseline's. Else 0. A baseline may be
 * unreadable: then nothing is known of it.
 */
int loading_strip(unsigned char *object, size_t n, const unsigned char *baseline, size_t nbaseline,
                  struct judge_refusal *refused);
/* The same for files: a copy for loading stands then at `to`. Also -errno with err. */
int loading_strip_file(const char *object, const char *baseline, const char *to,
                       struct judge_refusal *refused, struct error *err);
/* Whether two objects are the same when they are loaded: whatever their names, symbols for
 * debuggers and notes say. False where one cannot be read. */
bool loading_same_files(const char *one, const char *other);
/*
 * Calls fn for each library that an object needs, none where it says itself where they are. Loaded
 * before it, they take no functions from it.
 */
void loading_libraries(const unsigned char *object, size_t n, void (*fn)(const char *name));
