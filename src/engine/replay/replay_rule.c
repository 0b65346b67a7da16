#include "engine/replay/replay_rule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct replay_rule replay_rule_exact(void)
{
    return (struct replay_rule){MEMORY_U8, {.exact = true}};
}

static int refuse_part(const char *part, struct error *err)
{
    return error_set(err, ERROR_USAGE, EINVAL,
                     "as in f32, or f32,abs=1e-6,rel=1e-5,ulps=4, or exact", "--tolerance",
                     "'%s' cannot be understood", part);
}

static bool parse_tolerance(const char *text, double *out)
{
    char *end;
    errno = 0;
    *out = strtod(text, &end);
    return end != text && !*end && !errno && isfinite(*out) && *out >= 0;
}

static bool one_part(const char *part, struct memory_tolerance *t)
{
    double v;
    const char *equals = strchr(part, '=');
    if (!equals || !parse_tolerance(equals + 1, &v))
        return false;
    if (strncmp(part, "abs=", 4) == 0)
        t->absolute = v;
    else if (strncmp(part, "rel=", 4) == 0)
        t->relative = v;
    else if (strncmp(part, "ulps=", 5) == 0 && v < 1e15)
        t->ulps = (uint64_t)v;
    else
        return false;
    return true;
}

int replay_rule_parse(const char *text, struct replay_rule *out, struct error *err)
{
    char copy[128], *rest = NULL;
    *out = replay_rule_exact();
    if (strcmp(text, "exact") == 0)
        return 0;
    if (strlen(text) >= sizeof copy)
        return refuse_part(text, err);
    memcpy(copy, text, strlen(text) + 1);
    const char *type = strtok_r(copy, ",", &rest);
    if (!type || !memory_type_find(type, &out->type))
        return refuse_part(type ? type : "", err);
    out->tolerance = (struct memory_tolerance){.nan = MEMORY_NAN_EQUAL};
    for (const char *part; (part = strtok_r(NULL, ",", &rest));)
        if (!one_part(part, &out->tolerance))
            return refuse_part(part, err);
    return 0;
}
