/*
 * Reads the history of benchmarks on threads of its own, because judging years of runs takes
 * seconds and a disk may not answer: all series, and the samples of two points.
 */
#pragma once

#include "engine/bench/history_pair.h"

struct history_loader;
/* path: of the database, borrowed; NULL: bench.db in the state folder. */
struct history_loader *history_loader_new(const char *path);
/* Does not wait: a thread that still works frees what it has when it ends. NULL allowed. */
void history_loader_free(struct history_loader *l);
/* readable when a result is there, or reading all series has got further */
int history_loader_fd(const struct history_loader *l);

/* Starts to read all series again; a reading in progress is cancelled. */
void history_loader_start(struct history_loader *l);
/* The share of the series that were read, 0 to 1; negative: none are being read. */
double history_loader_share(const struct history_loader *l);
void history_loader_give_up(struct history_loader *l);
/* If reading is over, returns true: *out is the caller's, or NULL with err and *rc < 0 (-ECANCELED:
 * given up). note: a message for the user, "" = none. Makes the descriptor unreadable. */
bool history_loader_take(struct history_loader *l, struct history_list **out, char note[256],
                         int *rc, struct error *err);

/* Starts to read and compare two points; an earlier request is cancelled. */
void history_loader_ask_pair(struct history_loader *l, const int64_t id[2]);
bool history_loader_reads_pair(const struct history_loader *l);
/* As history_loader_take. */
bool history_loader_take_pair(struct history_loader *l, struct history_pair **out, int *rc,
                              struct error *err);

/* Reads all series on the calling thread, for use without a screen. */
int history_loader_now(const char *path, struct history_list *out, char note[256],
                       struct error *err);
