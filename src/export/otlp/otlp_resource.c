#include "export/otlp/otlp_resource.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/ascii.h"
#include "base/env.h"

/* Replaces an attribute, or adds it. */
static void set_resource_attribute(struct otlp_resource *r, const char *key, const char *value)
{
    for (uint32_t i = 0; i < r->attrs.n; i++)
        if (strcmp(r->attrs.list[i].key, key) == 0) {
            r->attrs.list[i].text = value;
            r->attrs.list[i].n = strlen(value);
            return;
        }
    otlp_text(&r->attrs, key, value);
}

/* Adds key=value,key=value, with percent-encoded values. Leaves out the whole list if it does not
 * have this form, as the specification asks. */
static void set_list(struct otlp_resource *r, const char *list)
{
    for (const char *p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const char *equals = strpbrk(p, "=,");
        if (!equals || *equals != '=' || equals == p)
            return;
    }
    char *copy = arena_strdup(&r->arena, list), *rest = NULL;
    for (char *pair = strtok_r(copy, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(pair, '=');
        if (!value)
            continue;
        *value++ = '\0';
        set_resource_attribute(r, ascii_percent(ascii_trim(pair)),
                               ascii_percent(ascii_trim(value)));
    }
}

/* The word of the conventions for an architecture of Linux. */
static const char *otel_architecture_of(const char *machine)
{
    if (strcmp(machine, "x86_64") == 0)
        return "amd64";
    return strcmp(machine, "aarch64") == 0 ? "arm64" : machine;
}

static void describe_host(struct otlp_resource *r)
{
    struct utsname u;
    if (uname(&u) != 0)
        return;
    set_resource_attribute(r, "host.name", arena_strdup(&r->arena, u.nodename));
    set_resource_attribute(r, "host.arch",
                           arena_strdup(&r->arena, otel_architecture_of(u.machine)));
    set_resource_attribute(r, "os.type", "linux");
    set_resource_attribute(r, "os.version", arena_strdup(&r->arena, u.release));
}

void otlp_resource_open(struct otlp_resource *r, const char *service, bool live)
{
    *r = (struct otlp_resource){0};
    set_resource_attribute(r, "service.name",
                           arena_strdup(&r->arena, service ? service : "unknown_service"));
    set_resource_attribute(r, "telemetry.sdk.name", "rooftop");
    set_resource_attribute(r, "telemetry.sdk.language", "c");
    set_resource_attribute(r, "telemetry.sdk.version", ROOFTOP_VERSION);
    if (live)
        describe_host(r);
    if (env_get("OTEL_RESOURCE_ATTRIBUTES"))
        set_list(r, env_get("OTEL_RESOURCE_ATTRIBUTES"));
    if (env_get("OTEL_SERVICE_NAME"))
        set_resource_attribute(r, "service.name", env_get("OTEL_SERVICE_NAME"));
}

void otlp_resource_close(struct otlp_resource *r)
{
    arena_free(&r->arena);
    *r = (struct otlp_resource){0};
}
