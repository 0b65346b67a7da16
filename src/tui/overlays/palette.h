#pragma once

struct app;

/* Opens the command line with this text already typed. */
void palette_open(struct app *a, const char *text);
