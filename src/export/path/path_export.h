/* A critical path as a document. */
#pragma once

#include <stdio.h>

#include "engine/path/critical_path.h"
#include "engine/path/path_shares.h"
#include "engine/path/what_if.h"
#include "engine/trace/trace.h"
#include "export/brief.h"

struct path_document {
    const struct trace *trace;
    const struct critical_path *path;
    const struct path_shares *shares; /* what the path consists of */
    const struct what_if_best *best;  /* what doubling the speed of a name would gain */
    uint32_t nbest;
    const struct what_if *what_if; /* the predicted path; NULL = no prediction was asked for */
    const char *asked;             /* the assumed changes, one on each line */
    bool ascii;
};

struct path_export {
    const char *name; /* "text" */
    void (*write)(FILE *out, const struct path_document *d);
};
extern const struct path_export path_exports[]; /* terminated by name == NULL */
const struct path_export *path_export_find(const char *name);

/* Fills the verdict from the parts of the path, and rows from `best`. */
void path_brief(struct brief *b, const struct path_document *d);
/* Text for people: what the path consists of, what would shorten it, its steps, and the nodes with
 * most slack. */
void path_export_text(FILE *out, const struct path_document *d);
/* Schema "rooftop.path/1": docs/TREE.md. */
void path_export_json(FILE *out, const struct path_document *d);
/* If what_if is set, this and the functions below show the new path. */
void path_export_csv(FILE *out, const struct path_document *d);
/* The graph with the path drawn in red. */
void path_export_dot(FILE *out, const struct path_document *d);
/* Lanes of threads and queues over the time of the path. */
void path_export_svg(FILE *out, const struct path_document *d);

/* A transfer that the next transfer of the same memory undoes: to the device and back, or the other
 * way round. */
struct ping_pong {
    uint32_t first, second; /* nodes */
};
/* Finds them, ordered by memory, then time. Stores at most max and returns how many there are. Only
 * transfers of one memory that are neighbours in time count. */
size_t graph_ping_pong(const struct graph *calls, struct ping_pong *out, size_t max);

/* Writes how the clocks of several files were aligned; nothing for a single file. */
void path_export_clocks(FILE *out, const struct trace *t, bool ascii);
