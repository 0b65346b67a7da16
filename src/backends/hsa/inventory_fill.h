/* Asks the runtime itself. Calls hsa_init(), so only in a process of its own. */
#pragma once

#include "backends/hsa/inventory.h"

int hsa_inventory_fill(struct hsa_inventory *into, struct error *err);
