/* The JSON of rocprofv3. */
#include "graph_input.h"

extern const struct reader_ops reader_rocprof_json;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_graph_input(&reader_rocprof_json, data, size);
    return 0;
}
