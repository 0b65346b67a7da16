/* A verdict about two builds of a GPU kernel as documents, for output_made. */
#ifndef ROOFTOP_EXPORT_JUDGE_GPU_EXPORT_H
#define ROOFTOP_EXPORT_JUDGE_GPU_EXPORT_H

#include <stdio.h>

/* `what` is a struct gpu_judgement. */
void gpu_export_text(FILE *out, const void *what);
void gpu_export_json(FILE *out, const void *what);

#endif
