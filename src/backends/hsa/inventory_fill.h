/* Asks the runtime itself. It calls hsa_init(), so call it only in a separate process. */
#pragma once

#include "backends/hsa/inventory.h"

int hsa_inventory_fill(struct hsa_inventory *into, struct error *err);
