/* Module variables of a replayed code object, found by name at their new addresses. */
#pragma once

#include "backends/replay/device/device.h"

struct replay_variable {
    uint64_t address;   /* present address */
    uint64_t was, size; /* captured address; bytes */
    uint8_t *contents;  /* owned */
};

/* Reads the captured contents and finds the present addresses. */
int replay_variables_find(struct replay_code *k, struct replay_notes *notes,
                          struct replay_failure *f);
int replay_variables_write(struct replay_code *k, struct replay_failure *f);
void replay_variables_free(struct replay_code *k);
/* The present address for a captured address inside a variable; 0: it is in none. */
uint64_t replay_variables_moved(const struct replay_code *k, uint64_t address);
