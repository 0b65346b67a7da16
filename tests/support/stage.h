/* An app on a canvas, with keyboard and mouse, for tests of the screen. */
#pragma once

#include "tui/app/app.h"
#include "tui/app/app_state.h"

struct stage {
    struct app *a;
    struct canvas c;
    char screen[131072]; /* the picture as text, updated by every function below */
    char row[2048];
    unsigned asked; /* enum app_request bits of the last key or click */
};

/* Opens the app with a scene after `ticks` seconds. */
void stage_open(struct stage *s, const char *scene, int cols, int rows, int ticks);
void stage_close(struct stage *s);
void stage_feed(struct stage *s, const char *scene, int tick);
const char *stage_look(struct stage *s);
void stage_key(struct stage *s, uint32_t key);
void stage_type(struct stage *s, const char *text);
void stage_click(struct stage *s, int x, int y, int button);
/* Chooses the view of that name, as its own key does. */
void stage_view(struct stage *s, const char *name);
/* Types ":line" and Enter. */
void stage_command(struct stage *s, const char *line);
bool stage_sees(const struct stage *s, const char *text);
/* Finds the first cell of a text; false if it is not on the screen. */
bool stage_find(struct stage *s, const char *text, int *x, int *y);
const char *stage_row(struct stage *s, int y);
