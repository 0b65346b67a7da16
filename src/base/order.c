#include "base/order.h"

#include <stdint.h>
#include <string.h>

#define ORDER(name, type)                                                                          \
    int name(const void *a, const void *b)                                                         \
    {                                                                                              \
        const type x = *(const type *)a, y = *(const type *)b;                                     \
        return (x > y) - (x < y);                                                                  \
    }

ORDER(order_doubles, double)
ORDER(order_int32, int32_t)
ORDER(order_uint32, uint32_t)
ORDER(order_int64, int64_t)
ORDER(order_uint64, uint64_t)

int order_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
