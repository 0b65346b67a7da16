#include "base/curl_library.h"

#include <stddef.h>

#if ROOFTOP_HAS_CURL
#include <pthread.h>
#include <stdbool.h>

#include "base/library.h"

static struct curl_library library;
static bool there;
static pthread_once_t opened = PTHREAD_ONCE_INIT;

static void open_curl_library(void)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    static const struct library_function functions[] = {
        {"curl_global_init", &library.global_init},
        {"curl_easy_init", &library.init},
        {"curl_easy_cleanup", &library.cleanup},
        {"curl_easy_setopt", &library.setopt},
        {"curl_easy_perform", &library.perform},
        {"curl_easy_getinfo", &library.getinfo},
        {"curl_easy_reset", &library.reset},
        {"curl_slist_append", &library.append},
        {"curl_slist_free_all", &library.free_all},
        {"curl_easy_strerror", &library.text},
        {"curl_version_info", &library.version},
        {"curl_multi_init", &library.multi_init},
        {"curl_multi_cleanup", &library.multi_cleanup},
        {"curl_multi_add_handle", &library.multi_add},
        {"curl_multi_remove_handle", &library.multi_remove},
        {"curl_multi_perform", &library.multi_perform},
        {"curl_multi_poll", &library.multi_poll},
        {"curl_multi_wakeup", &library.multi_wakeup},
        {"curl_multi_info_read", &library.multi_read},
    };
    there = library_open(names, sizeof names / sizeof *names, functions,
                         sizeof functions / sizeof *functions) &&
            library.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const struct curl_library *curl_library(void)
{
    pthread_once(&opened, open_curl_library);
    return there ? &library : NULL;
}
#else
const struct curl_library *curl_library(void)
{
    return NULL;
}
#endif
