/* Hues for names, equal in all views, so that neighbours in a timeline differ. */
#pragma once

#include "tui/canvas/canvas.h"

enum { HUES = 5 };

struct style hue(int i); /* 0 to HUES - 1 */
struct style hue_of(const char *name);
/* Styles of the parts of a path; they differ in all themes, also with 16 colours. No name gets the
 * hue of communication. */
struct style hue_of_compute(void);
struct style hue_of_copies(void);
struct style hue_of_launches(void);
struct style hue_of_communication(void);

/*
 * The character for the last cell of a span that another span follows: a full block with a gap at
 * its right, a lighter shade, '|' in ASCII. ch: the character without a neighbour.
 */
uint32_t hue_edge(uint32_t ch, bool ascii);
