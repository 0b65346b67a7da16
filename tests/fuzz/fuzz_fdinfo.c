/* Any bytes as the fdinfo of a DRM client. */
#include <stdlib.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fdinfo f;
    char *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    if (size)
        memcpy(exact, data, size);
    bool taken = fdinfo_parse(&f, exact, size);
    if (taken != (f.driver[0] && f.pci[0]))
        abort();
    if (strlen(f.driver) >= sizeof f.driver || strlen(f.pci) >= sizeof f.pci)
        abort();
    if (f.vram > UINT64_C(1) << 62 || f.gtt > UINT64_C(1) << 62)
        abort();
    free(exact);
    return 0;
}
