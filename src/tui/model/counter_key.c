#include "tui/model/counter_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

void counter_key(const struct counter *k, char out[VIEW_TEXT_MAX])
{
    uint64_t h = hash_text(hash_text(0, k->set), k->name);
    snprintf(out, VIEW_TEXT_MAX, "c:%.40s#%016" PRIx64, k->name, h);
}

const struct counter *counter_find(const struct snapshot *s, const char *key)
{
    char k[VIEW_TEXT_MAX];
    for (size_t i = 0; s && i < s->ncounters; i++) {
        counter_key(&s->counters[i], k);
        if (strcmp(k, key) == 0)
            return &s->counters[i];
    }
    return NULL;
}
