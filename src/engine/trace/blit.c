#include "engine/trace/blit.h"

#include "base/text.h"

bool trace_is_blit(const char *name)
{
    /* copyBuffer, copyBufferRectAligned, copyImageToBuffer…; fillBufferAligned2D, fillImage… */
    return text_begins(name, "__amd_rocclr_copy") || text_begins(name, "__amd_rocclr_fill");
}
