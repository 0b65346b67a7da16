/* A picture of many hosts as a document. */
#pragma once

#include <stdio.h>

#include "engine/fleet/fleet.h"
#include "export/brief.h"

#define FLEET_EXPORT_SCHEMA "rooftop.fleet/1"

void fleet_export_text(FILE *out, const struct fleet_picture *p, bool ascii);
/* line: all of it in one line, as jsonl has it. */
void fleet_export_json(FILE *out, const struct fleet_picture *p, bool line);
/* head: the line of names first. */
void fleet_export_csv(FILE *out, const struct fleet_picture *p, bool head);
/* Fills the short answer, but for what to do next. */
void fleet_brief(struct brief *b, const struct fleet_picture *p);
