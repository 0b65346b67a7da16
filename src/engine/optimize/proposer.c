#include "engine/optimize/proposer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "unroll, command:PROG": what may stand after --proposer. */
static const char *list_known_proposers(char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; proposers[i] && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s%s%s", i ? ", " : "", proposers[i]->name,
                              proposers[i]->argument ? ":" : "",
                              proposers[i]->argument ? proposers[i]->argument : "");
    return out;
}

int proposer_open(struct proposer *out, const char *spec, struct error *err)
{
    char names[160];
    const size_t n = strcspn(spec, ":");
    const char *argument = spec[n] ? spec + n + 1 : NULL;
    *out = (struct proposer){.ops = NULL};
    for (size_t i = 0; proposers[i]; i++) {
        const struct proposer_ops *ops = proposers[i];
        if (strlen(ops->name) != n || strncmp(ops->name, spec, n) != 0)
            continue;
        if (ops->argument && !(argument && *argument))
            return error_set(err, ERROR_USAGE, EINVAL, NULL, "--proposer", "'%s' needs ':%s'",
                             ops->name, ops->argument);
        if (!ops->argument && argument)
            return error_set(err, ERROR_USAGE, EINVAL, NULL, "--proposer",
                             "'%s' takes nothing after a colon", ops->name);
        const int rc = ops->open(&out->state, argument, err);
        if (rc == 0)
            out->ops = ops;
        return rc;
    }
    return error_set(err, ERROR_USAGE, EINVAL, NULL, "--proposer",
                     "there is no proposer '%.*s'; there are: %s", n > 64 ? 64 : (int)n, spec,
                     list_known_proposers(names, sizeof names));
}

void proposer_close(struct proposer *p)
{
    if (p->ops)
        p->ops->close(p->state);
    *p = (struct proposer){.ops = NULL};
}
