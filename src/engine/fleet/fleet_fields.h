/* The fields of a host: columns, orders and filters, columns of CSV and members of JSON. */
#pragma once

#include "engine/fleet/fleet.h"
#include "engine/value/list_field.h"
#include "engine/value/list_order.h"

enum {
#define LIST_FILE   "engine/fleet/fleet_fields.def"
#define LIST_ID(id) FLEET_FIELD_##id
#include "engine/value/list_field_ids.h"
};
extern const struct list_field fleet_fields[]; /* rows: struct fleet_row */
extern const struct list_rows fleet_rows;      /* of a struct fleet_picture; the worst first */

/* The metric in which the host is farthest from the others, if it is an outlier there; "": none.
 * And how far; NaN. */
const char *fleet_row_worst(const struct fleet_row *r);
double fleet_row_distance(const struct fleet_row *r);

enum { FLEET_WORDS = 256 };
/* What there is to say of a host in words: why it is lost, or how far it is from the others:
 * "cpu 95 %: 12 deviations above the median, 10 %". "" where there is nothing. Returns out. */
const char *fleet_row_words(const struct fleet_picture *p, const struct fleet_row *r, bool ascii,
                            char out[FLEET_WORDS]);
/* All hosts in one sentence: "8 hosts: 7 live, 1 lost; 1 far from the others". Returns out. */
const char *fleet_words(const struct fleet_picture *p, char out[FLEET_WORDS]);
/* Whether any host has a number of the metric. */
bool fleet_metric_known(const struct fleet_picture *p, enum fleet_metric m);
