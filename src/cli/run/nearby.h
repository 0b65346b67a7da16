/* What the working folder has, for messages about a file or folder that was not named. */
#pragma once

#include <stddef.h>

/*
 * Appends to a help text the newest files here that rooftop opens: "; here are a.json and b.db", or
 * nothing. At most the newest 64 files are looked into. Returns out.
 */
char *nearby_profiles(const char *help, char *out, size_t size);
/* The same for captured dispatches, here and in rooftop_captures. */
char *nearby_captures(const char *help, char *out, size_t size);
/* "did you mean FILE?", for the path of a file that is not there; "" where no name is near. */
char *nearby_name(const char *path, char *out, size_t size);
