#include "engine/trace/blit.h"

#include "base/text.h"

bool trace_is_blit(const char *name)
{
    /* The names are copyBuffer, copyBufferRectAligned, fillBufferAligned2D, fillImage and so on. */
    return text_begins(name, "__amd_rocclr_copy") || text_begins(name, "__amd_rocclr_fill");
}
