/*
 * A snapshot as CSV (RFC 4180): one row per value, columns
 * time,kind,name,cpu,value,unit,valid,why,running. See docs/SNAPSHOT.md.
 */
#pragma once

#include <stdio.h>

#include "engine/live/snapshot.h"
#include "engine/value/list_field.h"

void export_csv_header(FILE *out);
void export_csv(FILE *out, const struct snapshot *s);
/* Writes a row for something that is not in the snapshot. */
void export_csv_row(FILE *out, const char *time, const char *kind, const char *name,
                    const struct value *v);
/* Writes a row for each CSV field of a list's row, named `before` and the field's name. */
void export_csv_fields(FILE *out, const char *time, const char *kind, const char *before,
                       const struct list_field *fields, const void *row);
