/*
 * Posts messages by libcurl, which is opened when it is needed. Redirections are not followed: they
 * could take headers with secrets elsewhere.
 */
#pragma once

#include "export/delivery/answer.h"

/* Whether messages can be posted here; else err says what is missing. text (may be NULL; 128
 * bytes): which library it is. */
bool http_available(enum endpoint_protocol protocol, char *text, size_t size, struct error *err);

struct http;
/* The endpoint is borrowed: everything goes to its address, because its headers are secrets. NULL
 * with err: there is no libcurl. Call it the first time while there is one thread. */
struct http *http_open(const struct endpoint *e, struct error *err);
void http_close(struct http *h);
/* Posts a message to the endpoint and waits for the answer, at most the endpoint's time. stop is
 * asked a few times a second; true ends the request. */
void http_post(struct http *h, enum endpoint_protocol protocol, const void *data, size_t n,
               bool (*stop)(void *ctx), void *ctx, struct answer *out);
