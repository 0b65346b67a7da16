/* ioctl: the request's name, and the arguments of the few most frequent requests. */
#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

#include <asm/ioctls.h>

#include <linux/fs.h>
#include <linux/ioctl.h>
#include <linux/perf_event.h>

#define VALUE (d->e->args[arg])

static bool emit_named(struct decoder *d, const struct constants *table, const char *prefix,
                       uint32_t nr)
{
    const char *name = constant_name(table, nr);
    if (name)
        emit(d, "%s%s", prefix, name);
    return name;
}

/* Requests of GPU drivers: their size differs between versions, so only type and number count. */
static bool emit_gpu_request(struct decoder *d, uint32_t request)
{
    enum { DRIVER = 0x40, DRIVER_END = 0xa0 };
    uint32_t nr = _IOC_NR(request);
    if (_IOC_TYPE(request) == 'F' && _IOC_DIR(request) == (_IOC_READ | _IOC_WRITE))
        return emit_named(d, &constants_nvidia_requests, "NV_ESC_", nr);
    if (_IOC_TYPE(request) == 'K' && _IOC_DIR(request))
        return emit_named(d, &constants_kfd_requests, "AMDKFD_IOC_", nr);
    if (_IOC_TYPE(request) != 'd')
        return false;
    if (nr < DRIVER || nr >= DRIVER_END)
        return emit_named(d, &constants_drm_requests, "DRM_IOCTL_", nr);
    const char *name = constant_name(&constants_amdgpu_requests, nr - DRIVER);
    emit(d, "DRM_COMMAND_BASE+%#x", nr - DRIVER);
    if (name)
        emit(d, " /* amdgpu: %s */", name);
    return true;
}

static void emit_parts(struct decoder *d, uint32_t request)
{
    static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
                                             "_IOC_READ|_IOC_WRITE"};
    emit(d, "_IOC(%s, %#x, %#x, %#x)", directions[_IOC_DIR(request) & 3], _IOC_TYPE(request),
         _IOC_NR(request), _IOC_SIZE(request));
}

void write_ioctl_request(struct decoder *d, unsigned arg)
{
    uint32_t request = (uint32_t)VALUE;
    const char *name = constant_name(&constants_ioctl_requests, request);
    if (name)
        emit(d, "%s", name);
    else if (!emit_gpu_request(d, request))
        emit_parts(d, request);
}

/* struct winsize */
static void emit_window(struct decoder *d, bool when, uint64_t address)
{
    uint16_t w[4];
    if (take(d, when, address, w, sizeof w))
        emit(d, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", w[0], w[1], w[2], w[3]);
    else
        emit_address(d, address);
}

static void emit_int(struct decoder *d, bool when, uint64_t address)
{
    int32_t number;
    if (take(d, when, address, &number, sizeof number))
        emit(d, "[%d]", number);
    else
        emit_address(d, address);
}

/* Only the driver knows what most requests read or write, so the argument is an address. */
void write_ioctl_arg(struct decoder *d, unsigned arg)
{
    static const struct constant queue[] = {{0, "TCIFLUSH"}, {1, "TCOFLUSH"}, {2, "TCIOFLUSH"}};
    static const struct constants queues = {queue, 3, "TC???FLUSH"}; /* asm-generic/termbits.h */
    switch ((uint32_t)d->e->args[1]) {
    case TIOCGWINSZ:
        if (has_result(d))
            emit_window(d, AT_RETURN, VALUE);
        else
            emit_address(d, VALUE);
        break;
    case TIOCSWINSZ:
        emit_window(d, AT_ENTRY, VALUE);
        break;
    case FIONREAD:
    case TIOCOUTQ:
    case TIOCGPGRP:
    case TIOCGSID:
    case TIOCGPTN:
        if (has_result(d))
            emit_int(d, AT_RETURN, VALUE);
        else
            emit_address(d, VALUE);
        break;
    case FIONBIO:
    case FIOASYNC:
    case TIOCSPGRP:
    case TIOCSPTLCK:
        emit_int(d, AT_ENTRY, VALUE);
        break;
    case TCFLSH:
        emit_constant(d, &queues, VALUE);
        break;
    case TIOCSCTTY:
    case TCSBRK:
    case PERF_EVENT_IOC_ENABLE:
    case PERF_EVENT_IOC_DISABLE:
    case PERF_EVENT_IOC_RESET:
    case PERF_EVENT_IOC_REFRESH:
        emit_number(d, (int)VALUE);
        break;
    default:
        emit_address(d, VALUE);
    }
}

bool ioctl_arg_absent(const struct decoder *d, unsigned arg)
{
    switch ((uint32_t)d->e->args[arg - 1]) {
    case FIOCLEX:
    case FIONCLEX:
    case TIOCEXCL:
    case TIOCNXCL:
    case TIOCNOTTY:
    case FIFREEZE:
    case FITHAW:
        return true;
    default:
        return false;
    }
}
