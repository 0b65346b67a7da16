// A build of reduce.hip's `reverse_group` with LDS of its own in front of the dynamic part: replay
// has to ask for both.
#include "device.h"

extern __shared__ uint dynamic_lds[];

KERNEL reverse_group(const uint *in, uint *out)
{
    __shared__ uint own[512];
    int i = global_x(), t = local_x(), size = group_sizes()[0];
    own[t + 256] = in[i];
    dynamic_lds[t] = in[i];
    barrier();
    out[i] = (dynamic_lds[size - 1 - t] + own[size - 1 - t + 256]) / 2;
}
