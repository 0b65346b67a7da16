/*
 * The summary of an opened file (engine/summary/summary.h) as a document: the lines that the first
 * view shows.
 */
#pragma once

#include <stdio.h>

#include "engine/summary/summary.h"
#include "export/brief.h"

/* path: the file, for the heading and for commands. */
void summary_export_text(FILE *out, const struct summary *s, const char *path);
/* Schema "rooftop.summary/1". */
void summary_export_json(FILE *out, const struct summary *s, const char *path);
/* One line each: "label,text,more". */
void summary_export_csv(FILE *out, const struct summary *s);
/* Fills the short answer: the verdict, its evidence (further verdicts), and the first lines. */
void summary_brief(struct brief *b, const struct summary *s, const char *path);
