/* Comparisons for qsort and bsearch: numbers and texts in rising order. */
#pragma once

int order_doubles(const void *a, const void *b);
int order_int32(const void *a, const void *b); /* pids, too */
int order_uint32(const void *a, const void *b);
int order_int64(const void *a, const void *b);
int order_uint64(const void *a, const void *b);
int order_texts(const void *a, const void *b); /* pointers to texts, by their bytes */
