/* Traces in Chrome's format. */
#include "graph_input.h"

extern const struct reader_ops reader_chrome;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_graph_input(&reader_chrome, data, size);
    return 0;
}
