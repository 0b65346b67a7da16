/* Files of NCCL's Inspector. */
#include "graph_input.h"

extern const struct reader_ops reader_inspector;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_graph_input(&reader_inspector, data, size);
    return 0;
}
