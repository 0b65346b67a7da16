/* What the calls of MPI say of a job: matched messages, waits, clocks. */
#pragma once

#include <cjson/cJSON.h>
#include <stdio.h>

#include "engine/job/job.h"

/* Lines of text; nothing if the job has no calls of MPI. */
void mpi_export_text(FILE *out, const struct job *j, bool ascii);
/* One line: "MPI: 1200 messages …"; the size is that of out. */
void mpi_export_say(const struct job *j, char *out, size_t size, bool ascii);
/* Adds "mpi" to a document: null if there are none. */
void mpi_export_json(cJSON *doc, const struct job *j);
