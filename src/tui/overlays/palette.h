#ifndef ROOFTOP_TUI_OVERLAYS_PALETTE_H
#define ROOFTOP_TUI_OVERLAYS_PALETTE_H

struct app;

/* Opens the command line with this text already typed. */
void palette_open(struct app *a, const char *text);

#endif
