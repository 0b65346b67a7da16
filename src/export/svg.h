/*
 * The parts that all SVG documents share (https://www.w3.org/TR/SVG11). The writers print the rest
 * themselves; every text from outside goes through print_xml.
 */
#pragma once

#include <stdio.h>

/* The head of a picture in a monospaced font, with a light background. style: more rules of CSS. */
void svg_begin(FILE *out, int width, unsigned height, int font_pixels, const char *style);
void svg_end(FILE *out);
/* A text of at most `most` characters that begins at x on the base line y. */
void svg_text(FILE *out, int x, unsigned y, int most, const char *text);
/* The same without a line end, at a fraction of a pixel: for the inside of a group. */
void svg_text_in(FILE *out, double x, unsigned y, int most, const char *text);
