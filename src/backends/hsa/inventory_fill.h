/* Asks the runtime itself. Calls hsa_init(), so only in a process of its own. */
#ifndef ROOFTOP_BACKENDS_HSA_INVENTORY_FILL_H
#define ROOFTOP_BACKENDS_HSA_INVENTORY_FILL_H

#include "backends/hsa/inventory.h"

int hsa_inventory_fill(struct hsa_inventory *into, struct error *err);

#endif
