/*
 * The service, host and system of the spans, named by OpenTelemetry's conventions;
 * OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES add attributes or replace them.
 */
#pragma once

#include "base/arena.h"
#include "export/otlp/otlp_span.h"

struct otlp_resource {
    struct otlp_attrs attrs;
    struct arena arena; /* memory of the texts */
};

/* service: the name unless the environment has one; NULL: "unknown_service", as the specification
 * says. live: the spans come from this machine, so describe it. */
void otlp_resource_open(struct otlp_resource *r, const char *service, bool live);
void otlp_resource_close(struct otlp_resource *r);
