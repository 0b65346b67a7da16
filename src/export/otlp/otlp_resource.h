/*
 * What the spans are about, as OpenTelemetry's conventions name it: service, host, system; and what
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES add or replace.
 */
#pragma once

#include "base/arena.h"
#include "export/otlp/otlp_span.h"

struct otlp_resource {
    struct otlp_attrs attrs;
    struct arena arena; /* of their texts */
};

/* service: the name unless the environment has one; NULL: "unknown_service", as the specification
 * says. live: the spans come from this machine, so it is described. */
void otlp_resource_open(struct otlp_resource *r, const char *service, bool live);
void otlp_resource_close(struct otlp_resource *r);
