// The rest of what the runtime calls: settings that have no effect on an emulated GPU, and what is
// not supported.
#include "emu.h"

#define DOES_NOTHING(name, ...)                                                                    \
    EXPORT HSAKMT_STATUS name(__VA_ARGS__)                                                         \
    {                                                                                              \
        return HSAKMT_STATUS_SUCCESS;                                                              \
    }
#define NOT_SUPPORTED(name, ...)                                                                   \
    EXPORT HSAKMT_STATUS name(__VA_ARGS__)                                                         \
    {                                                                                              \
        emu_log("%s: not supported", #name);                                                       \
        return HSAKMT_STATUS_NOT_SUPPORTED;                                                        \
    }

// NOLINTBEGIN(misc-unused-parameters): signatures as in hsakmt.h
#pragma GCC diagnostic ignored "-Wunused-parameter"

DOES_NOTHING(hsaKmtRuntimeEnable, void *debug, bool ttmp)
DOES_NOTHING(hsaKmtRuntimeDisable, void)
DOES_NOTHING(hsaKmtSetTrapHandler, HSAuint32 node, void *handler, HSAuint64 size, void *buffer,
             HSAuint64 buffer_size)
DOES_NOTHING(hsaKmtSetMemoryPolicy, HSAuint32 node, HSAuint32 policy, HSAuint32 alternate,
             void *base, HSAuint64 size)
DOES_NOTHING(hsaKmtSetQueueCUMask, HSA_QUEUEID queue, HSAuint32 count, HSAuint32 *mask)
DOES_NOTHING(hsaKmtUpdateQueue, HSA_QUEUEID queue, HSAuint32 percentage,
             HSA_QUEUE_PRIORITY priority, void *address, HSAuint64 size, HsaEvent *event)

EXPORT HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID queue, HSAuint32 count, HSAuint32 *first)
{
    *first = 0;
    return HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable)
{
    return enable ? HSAKMT_STATUS_NOT_SUPPORTED : HSAKMT_STATUS_SUCCESS;
}

EXPORT HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *enable)
{
    *enable = 0;
    return HSAKMT_STATUS_SUCCESS;
}

NOT_SUPPORTED(hsaKmtSVMSetAttr, void *start, HSAuint64 size, unsigned count,
              HSA_SVM_ATTRIBUTE *attributes)
NOT_SUPPORTED(hsaKmtSVMGetAttr, void *start, HSAuint64 size, unsigned count,
              HSA_SVM_ATTRIBUTE *attributes)
NOT_SUPPORTED(hsaKmtShareMemory, void *address, HSAuint64 size, HsaSharedMemoryHandle *handle)
NOT_SUPPORTED(hsaKmtRegisterSharedHandle, const HsaSharedMemoryHandle *handle, void **address,
              HSAuint64 *size)
NOT_SUPPORTED(hsaKmtRegisterSharedHandleToNodes, const HsaSharedMemoryHandle *handle,
              void **address, HSAuint64 *size, HSAuint64 count, HSAuint32 *nodes)
NOT_SUPPORTED(hsaKmtRegisterGraphicsHandleToNodes, HSAuint64 handle, HsaGraphicsResourceInfo *info,
              HSAuint64 count, HSAuint32 *nodes)

#if EMU_HAS_VMEM
EXPORT HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(HSAuint32 *mask)
{
    *mask = 0;
    return HSAKMT_STATUS_SUCCESS;
}
DOES_NOTHING(hsaKmtReplaceAsanHeaderPage, void *address)
DOES_NOTHING(hsaKmtReturnAsanHeaderPage, void *address)
NOT_SUPPORTED(hsaKmtDbgEnable, void **info, HSAuint32 *size)
NOT_SUPPORTED(hsaKmtDbgDisable, void)
NOT_SUPPORTED(hsaKmtDbgGetDeviceData, void **data, HSAuint32 *count, HSAuint32 *size)
NOT_SUPPORTED(hsaKmtDbgGetQueueData, void **data, HSAuint32 *count, HSAuint32 *size, bool suspend)
NOT_SUPPORTED(hsaKmtOpenSMI, HSAuint32 node, int *fd)
NOT_SUPPORTED(hsaKmtSPMAcquire, HSAuint32 node)
NOT_SUPPORTED(hsaKmtSPMRelease, HSAuint32 node)
NOT_SUPPORTED(hsaKmtSPMSetDestBuffer, HSAuint32 node, HSAuint32 size, HSAuint32 *timeout,
              HSAuint32 *copied, void *destination, bool *lost)
#endif
// NOLINTEND(misc-unused-parameters)
