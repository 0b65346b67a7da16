/* The tables of catalog_*.c, one for each CPU family; each ends with name NULL. */
#pragma once

#include "backends/perf_event/catalog.h"

extern const struct event_def catalog_zen3[], catalog_zen4[], catalog_zen5[];
extern const struct event_def catalog_skl[], catalog_icl[], catalog_spr[], catalog_adl[];
extern const struct event_def catalog_armv8[];       /* no slot events */
extern const struct event_def catalog_armv8_slots[]; /* Armv8.4 and later: slots in sysfs */
extern const struct event_def catalog_neoverse[];    /* V1, N2, V2 */
extern const struct event_def catalog_generic[];
