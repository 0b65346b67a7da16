/* The fields of a process: columns of the process list, its orders, filters, and JSON. */
#ifndef ROOFTOP_ENGINE_LIVE_PROCS_FIELDS_H
#define ROOFTOP_ENGINE_LIVE_PROCS_FIELDS_H

#include "engine/live/snapshot.h"
#include "engine/value/list_field.h"

extern const struct list_field procs_fields[]; /* rows: struct proc */
enum procs_field {
#define LIST_TEXT(id, ...)   PROCS_FIELD_##id,
#define LIST_NUMBER(id, ...) PROCS_FIELD_##id,
#define LIST_VALUE(id, ...)  PROCS_FIELD_##id,
#define LIST_COLUMN(id, ...) PROCS_FIELD_##id,
#include "engine/live/procs_fields.def"
#undef LIST_TEXT
#undef LIST_NUMBER
#undef LIST_VALUE
#undef LIST_COLUMN
};

#endif
