/* What fills the pipes and ports, as documents. `what` is a struct ports_report, for output_made.
 */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

struct ports_report;

struct brief;
void ports_brief(struct brief *b, const struct ports_report *r);
void ports_export_text(FILE *out, const void *what);
void ports_export_json(FILE *out, const void *what);
/* Makes the JSON document, as a part of another one. */
cJSON *ports_export_object(const struct ports_report *r);
void ports_export_csv(FILE *out, const void *what);
