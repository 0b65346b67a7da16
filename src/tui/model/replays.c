#include "tui/model/replays.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

void replays_key(const char *path, char out[REPLAYS_KEY_MAX])
{
    snprintf(out, REPLAYS_KEY_MAX, "c:%016" PRIx64, hash_text(0, path));
}

const struct replay_row *replays_find(const struct replays *r, const char *key)
{
    char own[REPLAYS_KEY_MAX];
    for (size_t i = 0; r && r->list && i < r->list->n; i++) {
        replays_key(r->list->rows[i].path, own);
        if (strcmp(own, key) == 0)
            return &r->list->rows[i];
    }
    return NULL;
}
