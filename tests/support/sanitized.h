/* Whether a sanitizer is compiled in: what only statistics or time need is then done less often. */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#elif !defined(__has_feature)
enum { SANITIZED = 0 };
#elif __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
