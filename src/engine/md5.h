/* MD5 (RFC 1321), for formats that check themselves with it. Not against anyone's malice. */
#ifndef ROOFTOP_ENGINE_MD5_H
#define ROOFTOP_ENGINE_MD5_H

#include <stddef.h>
#include <stdint.h>

void md5(const void *bytes, size_t n, uint8_t digest[16]);

#endif
