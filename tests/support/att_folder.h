/* Folders of thread traces: a copy of tests/data/att, changed file by file. */
#pragma once

#include <stddef.h>

#define ATT_DISPATCH "ui_output_agent_2_dispatch_1"

struct att_folder {
    char dir[64]; /* the parent folder */
    char trace[128];
};

/* A new folder with the files of the fixture, or with an empty folder of a dispatch. */
void att_folder_make(struct att_folder *f, int copy);
/* Writes a file of the dispatch; text NULL removes it. */
void att_folder_write(const struct att_folder *f, const char *name, const char *text);
/* Replaces the first `from` in a file by `to`; fails the test if it is not there. */
void att_folder_change(const struct att_folder *f, const char *name, const char *from,
                       const char *to);
void att_folder_remove(struct att_folder *f);
