/*
 * The menu of what can be done with one row. The view of the row makes it; overlays/menu.c shows
 * it. An entry is an action or a command line. An entry that is not possible stays, with the
 * reason.
 */
#pragma once

#include "tui/input/keys.h"

enum { MENU_MAX = 20, MENU_TEXT_MAX = 96, MENU_COMMAND_MAX = 512 };

struct menu_entry {
    char letter; /* typed to choose it; unique in its menu */
    char label[MENU_TEXT_MAX];
    enum action action;             /* performed with the cursor on the row; or */
    char command[MENU_COMMAND_MAX]; /* run as if typed after ':' ; "" none */
    bool copy;                      /* or: `command` is what to put into the clipboard */
    char why_not[MENU_TEXT_MAX];    /* "" = it can be done */
};

struct menu {
    char title[MENU_TEXT_MAX];
    struct menu_entry entries[MENU_MAX];
    int n;
};

/* All of these append an entry; beyond MENU_MAX nothing happens. */
void menu_action(struct menu *m, char letter, enum action act, const char *label_fmt, ...)
    __attribute__((format(printf, 4, 5)));
void menu_command(struct menu *m, char letter, const char *command, const char *label_fmt, ...)
    __attribute__((format(printf, 4, 5)));
void menu_copy(struct menu *m, char letter, const char *text, const char *label_fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a filter FIELD="text", with any text; denied if it is too long for a query. */
void menu_filter(struct menu *m, char letter, const char *field, const char *text,
                 const char *label_fmt, ...) __attribute__((format(printf, 5, 6)));
/* Denies the last entry with a reason; NULL does nothing. The first reason counts. */
void menu_deny(struct menu *m, const char *why);
