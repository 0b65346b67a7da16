/* A verdict about two builds of a GPU kernel as documents, for output_made. */
#pragma once

#include <stdio.h>

struct brief;
struct gpu_judgement;
void gpu_brief(struct brief *b, const struct gpu_judgement *g);
/* `what` is a struct gpu_judgement. */
void gpu_export_text(FILE *out, const void *what);
void gpu_export_json(FILE *out, const void *what);
