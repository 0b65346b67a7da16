#include "export/otlp/otlp_span.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* --- attributes --- */

static struct otlp_attr *add_span_attribute(struct otlp_attrs *a, const char *key,
                                            enum otlp_type type)
{
    if (a->n == OTLP_ATTRS) {
        a->dropped++;
        return NULL;
    }
    a->list[a->n] = (struct otlp_attr){.key = key, .type = type};
    return &a->list[a->n++];
}

void otlp_text_n(struct otlp_attrs *a, const char *key, const char *text, size_t n)
{
    struct otlp_attr *attr = text ? add_span_attribute(a, key, OTLP_TEXT) : NULL;
    if (attr) {
        attr->text = text;
        attr->n = n;
    }
}

void otlp_text(struct otlp_attrs *a, const char *key, const char *text)
{
    otlp_text_n(a, key, text, text ? strlen(text) : 0);
}

void otlp_texts(struct otlp_attrs *a, const char *key, const char *texts, size_t n)
{
    struct otlp_attr *attr = texts ? add_span_attribute(a, key, OTLP_TEXTS) : NULL;
    if (attr) {
        attr->text = texts;
        attr->n = n;
    }
}

void otlp_int(struct otlp_attrs *a, const char *key, int64_t number)
{
    struct otlp_attr *attr = add_span_attribute(a, key, OTLP_INT);
    if (attr)
        attr->number = number;
}

void otlp_uint(struct otlp_attrs *a, const char *key, uint64_t number)
{
    otlp_int(a, key, number > INT64_MAX ? INT64_MAX : (int64_t)number);
}

void otlp_double(struct otlp_attrs *a, const char *key, double real)
{
    struct otlp_attr *attr = isfinite(real) ? add_span_attribute(a, key, OTLP_DOUBLE) : NULL;
    if (attr)
        attr->real = real;
}

void otlp_bool(struct otlp_attrs *a, const char *key, bool is)
{
    struct otlp_attr *attr = add_span_attribute(a, key, OTLP_BOOL);
    if (attr)
        attr->number = is;
}

/* --- bytes --- */

void otlp_put(struct otlp_bytes *b, const void *data, size_t n)
{
    if (n == 0)
        return;
    if (b->cap - b->n < n) {
        while (b->cap - b->n < n)
            b->cap = b->cap ? 2 * b->cap : 4096;
        b->data = xrealloc(b->data, b->cap, 1);
    }
    memcpy(b->data + b->n, data, n);
    b->n += n;
}

void otlp_bytes_free(struct otlp_bytes *b)
{
    free(b->data);
    *b = (struct otlp_bytes){0};
}
