/* Why a job hangs, as documents; docs/JOBS.md. */
#pragma once

#include <stdio.h>

#include "engine/job/hang.h"
#include "export/brief.h"

void hang_export_text(FILE *out, const struct hang *h, bool ascii);
void hang_export_json(FILE *out, const struct hang *h); /* schema "rooftop.hang/1" */
void hang_export_csv(FILE *out, const struct hang *h);
void hang_brief(struct brief *b, const struct hang *h, bool ascii);

/* The answer in a sentence. Returns out. */
enum { HANG_LINE = 240 };
const char *hang_say_verdict(const struct hang *h, char out[HANG_LINE], bool ascii);
/* What it rests on, one line each. Returns their number. */
enum { HANG_EVIDENCE = 4 };
int hang_say_evidence(const struct hang *h, char out[HANG_EVIDENCE][HANG_LINE], bool ascii);
