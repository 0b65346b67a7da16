/*
 * Requests of texts over HTTP, several at once, by libcurl: bounded in bytes (after unpacking), in
 * time and in redirections. One thread uses it; http_wake may be called from any.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct http_limits {
    size_t bytes;        /* of one answer, unpacked */
    uint64_t timeout_ns; /* of one request, from its begin to its last byte */
};

/* How requests say who asks. All NULL: they do not. */
struct credentials {
    char *bearer; /* a token */
    char *basic;  /* USER:PASSWORD */
};
/*
 * Reads "bearer TOKEN" or "basic USER:PASSWORD" from the file, or where path is NULL from
 * ROOFTOP_PROM_AUTH in the environment. Neither: no credentials. Never part of an error.
 */
int credentials_read(struct credentials *c, const char *path, struct error *err);
void credentials_free(struct credentials *c);

struct http_reply {
    char *body; /* n bytes and a 0; the caller frees it; NULL: there is no answer */
    size_t n;
    int status;    /* of HTTP; 0: no answer */
    char type[96]; /* Content-Type; "": none */
    char why[160]; /* why there is no answer; "": there is one */
};

struct http_gets;
/* slots: most requests at once. c may be NULL; it must outlive the result. NULL with err:
 * ERROR_UNSUPPORTED without libcurl, saying what would help. */
struct http_gets *http_gets_new(size_t slots, struct http_limits limits,
                                const struct credentials *c, struct error *err);
void http_gets_free(struct http_gets *g); /* ends what goes on; NULL allowed */
/* Begins a request in a slot that has none. form: the body of a POST; NULL: GET. Both are copied.
 */
void http_begin(struct http_gets *g, size_t slot, const char *url, const char *form,
                const char *accept);
/* Lets requests go on until something happens, at most ms. */
void http_wait(struct http_gets *g, int ms);
void http_wake(struct http_gets *g); /* ends http_wait */
/* Takes a request that is over; false: none is. */
bool http_take(struct http_gets *g, size_t *slot, struct http_reply *reply);

/* Checks an address that the user gave: http or https, a host, no name or password inside. 0 or
 * -EINVAL with err. what: the option, for the message. */
int http_address_check(const char *url, const char *what, struct error *err);
/* Text as a part of a form or an address: bytes that have a meaning there as %XX. malloc'ed. */
char *http_escaped(const char *text);
