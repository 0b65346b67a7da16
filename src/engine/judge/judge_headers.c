#include "engine/judge/judge_headers.h"

#include <ctype.h>
#include <string.h>

#include "base/words.h"

/* ISO C++23, 16.4.2.3: the C++ library's headers, and those of C without their ending. */
static const char without_ending[] =
    "algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv "
    "chrono cinttypes climits clocale cmath codecvt compare complex concepts condition_variable "
    "coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar "
    "cwctype deque exception execution expected filesystem flat_map flat_set format "
    "forward_list fstream functional future generator initializer_list iomanip ios iosfwd iostream "
    "istream iterator latch limits list locale map mdspan memory memory_resource mutex new numbers "
    "numeric optional ostream print queue random ranges ratio regex scoped_allocator semaphore set "
    "shared_mutex source_location span spanstream sstream stack stacktrace stdexcept stdfloat "
    "stop_token streambuf string string_view strstream syncstream system_error thread tuple "
    "type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector "
    "version";

bool judge_header_is_harmless(const char *name, size_t n)
{
    char text[128];
    if (n == 0 || n >= sizeof text || name[0] == '/')
        return false;
    for (size_t i = 0; i < n; i++)
        if ((!isalnum((unsigned char)name[i]) && !strchr("_+-./", name[i])) || !name[i] ||
            (name[i] == '.' && i + 1 < n && name[i + 1] == '.'))
            return false;
    memcpy(text, name, n);
    text[n] = '\0';
    const char *dot = strrchr(text, '.');
    return words_have(without_ending, text) || (dot && words_have(".h .hpp .cuh", dot));
}
