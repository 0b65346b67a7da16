/* Sockets: addresses, kinds, options. */
#include "engine/syscalls/decode/types.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/if_packet.h>
#include <linux/netlink.h>

#define VALUE (d->e->args[arg])

static void emit_unix(struct decoder *d, const uint8_t *raw, size_t n)
{
    const uint8_t *path = raw + 2;
    size_t length = n - 2;
    if (length == 0) {
        emit_text(d, "{sa_family=AF_UNIX}");
        return;
    }
    emit_text(d, "{sa_family=AF_UNIX, sun_path=");
    if (path[0]) {
        emit_quoted(d, path, strnlen((const char *)path, length), false);
    } else { /* an abstract name */
        emit_text(d, "@");
        emit_quoted(d, path + 1, length - 1, false);
    }
    emit_text(d, "}");
}

static void emit_inet(struct decoder *d, const uint8_t *raw)
{
    struct sockaddr_in a;
    char text[INET_ADDRSTRLEN];
    memcpy(&a, raw, sizeof a);
    inet_ntop(AF_INET, &a.sin_addr, text, sizeof text);
    emit(d, "{sa_family=AF_INET, sin_port=htons(%u), sin_addr=inet_addr(\"%s\")}",
         ntohs(a.sin_port), text);
}

static void emit_inet6(struct decoder *d, const uint8_t *raw)
{
    struct sockaddr_in6 a;
    char text[INET6_ADDRSTRLEN];
    memcpy(&a, raw, sizeof a);
    inet_ntop(AF_INET6, &a.sin6_addr, text, sizeof text);
    emit(d,
         "{sa_family=AF_INET6, sin6_port=htons(%u), sin6_flowinfo=htonl(%u), inet_pton(AF_INET6, "
         "\"%s\", &sin6_addr), "
         "sin6_scope_id=%u}",
         ntohs(a.sin6_port), ntohl(a.sin6_flowinfo), text, a.sin6_scope_id);
}

static void emit_netlink(struct decoder *d, const uint8_t *raw)
{
    struct sockaddr_nl a;
    memcpy(&a, raw, sizeof a);
    emit_text(d, "{sa_family=AF_NETLINK, nl_pid=");
    if (is_for_all_runs(d))
        emit_task(d, (int32_t)a.nl_pid);
    else
        emit_unsigned(d, a.nl_pid);
    emit(d, ", nl_groups=%#08x}", a.nl_groups);
}

static void emit_packet(struct decoder *d, const uint8_t *raw)
{
    struct sockaddr_ll a;
    memcpy(&a, raw, sizeof a);
    emit_text(d, "{sa_family=AF_PACKET, sll_protocol=htons(");
    emit_constant(d, &constants_packet_protocols, ntohs(a.sll_protocol));
    emit(d, "), sll_ifindex=%d, sll_hatype=%u, sll_pkttype=%u, sll_halen=%u, sll_addr=[",
         a.sll_ifindex, a.sll_hatype, a.sll_pkttype, a.sll_halen);
    for (unsigned i = 0; i < a.sll_halen && i < sizeof a.sll_addr; i++)
        emit(d, i ? ", %#02x" : "%#02x", a.sll_addr[i]);
    emit_text(d, "]}");
}

static void emit_address_of(struct decoder *d, const uint8_t *raw, size_t n)
{
    uint16_t family;
    memcpy(&family, raw, sizeof family);
    if (family == AF_UNIX) {
        emit_unix(d, raw, n);
    } else if (family == AF_INET && n >= sizeof(struct sockaddr_in)) {
        emit_inet(d, raw);
    } else if (family == AF_INET6 && n >= 28) {
        emit_inet6(d, raw);
    } else if (family == AF_NETLINK && n >= sizeof(struct sockaddr_nl)) {
        emit_netlink(d, raw);
    } else if (family == AF_PACKET && n >= sizeof(struct sockaddr_ll)) {
        emit_packet(d, raw);
    } else {
        emit_text(d, "{sa_family=");
        emit_constant(d, &constants_socket_domain, family);
        if (n > 2) {
            emit_text(d, ", sa_data=");
            emit_quoted(d, raw + 2, n - 2, false);
        }
        emit_text(d, "}");
    }
}

void emit_sockaddr(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    uint8_t raw[128]; /* struct sockaddr_storage */
    size_t kept = n > sizeof raw ? sizeof raw : n;
    if (kept < 2 || !take(d, when, address, raw, kept))
        emit_address(d, address);
    else
        emit_address_of(d, raw, kept);
}

void write_sockaddr_in(struct decoder *d, unsigned arg)
{
    emit_sockaddr(d, AT_ENTRY, VALUE, (uint32_t)other(d, arg));
}

/* The kernel wrote what fits of the address into the caller's buffer, and its full length. */
void write_sockaddr_out(struct decoder *d, unsigned arg)
{
    uint32_t room = 0, length = 0;
    uint64_t at = other(d, arg);
    bool known = take(d, AT_ENTRY, at, &room, sizeof room);
    if (!known || !has_result(d) || !take(d, AT_RETURN, at, &length, sizeof length))
        emit_address(d, VALUE);
    else if (VALUE && length == 0)
        emit_address(d, VALUE);
    else
        emit_sockaddr(d, AT_RETURN, VALUE, length < room ? length : room);
}

/* [16], or [128 => 16]. */
void write_socklen_inout(struct decoder *d, unsigned arg)
{
    int32_t before, after;
    if (!take(d, AT_ENTRY, VALUE, &before, sizeof before)) {
        emit_address(d, VALUE);
        return;
    }
    if (has_result(d) && take(d, AT_RETURN, VALUE, &after, sizeof after) && after != before)
        emit(d, "[%d => %d]", before, after);
    else
        emit(d, "[%d]", before);
}

void write_socket_type(struct decoder *d, unsigned arg)
{
    enum { KIND = 0xf };
    uint32_t type = (uint32_t)VALUE, flags = type & ~(uint32_t)KIND;
    const char *name = constant_name(&constants_socket_types, type & KIND);
    if (name)
        emit_rest(d, name, &constants_socket_flags, flags);
    else if (flags)
        emit_flags(d, &constants_socket_flags, type); /* the other bits are the kind */
    else
        emit_constant(d, &constants_socket_types, type);
}

void write_socket_protocol(struct decoder *d, unsigned arg)
{
    switch ((int)other(d, arg)) {
    case AF_INET:
    case AF_INET6:
        emit_constant(d, &constants_ip_protocols, (uint32_t)VALUE);
        break;
    case AF_NETLINK:
        emit_constant(d, &constants_netlink_families, (uint32_t)VALUE);
        break;
    case AF_PACKET:
        emit_text(d, "htons(");
        emit_constant(d, &constants_packet_protocols, ntohs((uint16_t)VALUE));
        emit_text(d, ")");
        break;
    default:
        emit_unsigned(d, (unsigned)VALUE);
    }
}

static const struct constants *options_of(int level)
{
    switch (level) {
    case SOL_SOCKET:
        return &constants_sockopts_socket;
    case IPPROTO_IP:
        return &constants_sockopts_ip;
    case IPPROTO_IPV6:
        return &constants_sockopts_ipv6;
    case IPPROTO_TCP:
        return &constants_sockopts_tcp;
    case IPPROTO_UDP:
        return &constants_sockopts_udp;
    case 270: /* SOL_NETLINK */
        return &constants_sockopts_netlink;
    case 263: /* SOL_PACKET */
        return &constants_sockopts_packet;
    default:
        return NULL;
    }
}

void write_sockopt_name(struct decoder *d, unsigned arg)
{
    const struct constants *options = options_of((int)other(d, arg));
    if (options)
        emit_constant(d, options, (uint32_t)VALUE);
    else
        emit_unsigned(d, (unsigned)VALUE);
}

/* Writes an option that is a structure. All others are an int, or bytes. */
static bool emit_structure(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    int option = (int)d->e->args[2];
    int32_t v[3];
    if ((int)d->e->args[1] != SOL_SOCKET)
        return false;
    if (option == SO_LINGER && n == 8 && take(d, when, address, v, 8)) {
        emit(d, "{l_onoff=%d, l_linger=%d}", v[0], v[1]);
        return true;
    }
    if (option == SO_PEERCRED && n == 12 && take(d, when, address, v, 12)) {
        emit_credentials(d, v);
        return true;
    }
    if ((option == 20 || option == 21) &&
        n == 2 * long_size(d)) { /* SO_RCVTIMEO_OLD, SO_SNDTIMEO_OLD */
        emit_timeval(d, when, address);
        return true;
    }
    return false;
}

static void emit_sockopt(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    int32_t number;
    if (emit_structure(d, when, address, n))
        return;
    if (n != sizeof number || !take(d, when, address, &number, sizeof number)) {
        emit_buffer(d, when, address, n);
        return;
    }
    if ((int)d->e->args[1] == SOL_SOCKET && (int)d->e->args[2] == SO_ERROR && number)
        emit(d, "[%s]", syscall_errno_name(number) ? syscall_errno_name(number) : "?");
    else
        emit(d, "[%d]", number);
}

void write_sockopt_in(struct decoder *d, unsigned arg)
{
    emit_sockopt(d, AT_ENTRY, VALUE, (uint32_t)other(d, arg));
}

void write_sockopt_out(struct decoder *d, unsigned arg)
{
    uint32_t n;
    if (has_result(d) && take(d, AT_RETURN, other(d, arg), &n, sizeof n))
        emit_sockopt(d, AT_RETURN, VALUE, n);
    else
        emit_address(d, VALUE);
}
