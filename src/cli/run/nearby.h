/* What the working folder has, for messages about a file or folder that was not named. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Whether a command reads a file, so that only such files are offered to it. It looks into the
 * file; it is asked about at most 64 files. */
typedef bool nearby_reads(const char *path);
nearby_reads nearby_any;     /* sessions and profiles of every kind */
nearby_reads nearby_profile; /* profiles, also those with samples only */
nearby_reads nearby_calls;   /* profiles with calls and times of spans */
nearby_reads nearby_file;    /* files of every kind */

/*
 * Appends to a help text the newest files here that the command reads: "; here: a.json, b.db", or
 * nothing. At most the newest 64 files are looked into. Returns out.
 */
char *nearby_profiles(const char *help, nearby_reads *reads, char *out, size_t size);
/* The same for captured dispatches, here and in rooftop_captures. */
char *nearby_captures(const char *help, char *out, size_t size);
/* "did you mean FILE?", for the path of a file that is not there; "" where no name is near. */
char *nearby_name(const char *path, nearby_reads *reads, char *out, size_t size);
/* Adds that as help to an error about a file that is not there and that has no help yet. */
void nearby_help(struct error *err, nearby_reads *reads);
