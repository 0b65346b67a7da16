/*
 * Posts messages by libcurl, which is loaded when it is needed. It follows no redirections, which
 * could send headers with secrets elsewhere.
 */
#pragma once

#include "export/delivery/answer.h"

/* Whether messages can be posted here; else err says what is missing. text (may be NULL; 128
 * bytes): name of the library. */
bool http_available(enum endpoint_protocol protocol, char *text, size_t size, struct error *err);

struct http;
/* Borrows the endpoint. Everything goes to its address, because its headers are secrets. NULL with
 * err: there is no libcurl. The first call must be made while there is only one thread. */
struct http *http_open(const struct endpoint *e, struct error *err);
void http_close(struct http *h);
/* Posts a message to the endpoint and waits for the answer, at most the endpoint's timeout. Calls
 * stop a few times a second; true ends the request. */
void http_post(struct http *h, enum endpoint_protocol protocol, const void *data, size_t n,
               bool (*stop)(void *ctx), void *ctx, struct answer *out);
