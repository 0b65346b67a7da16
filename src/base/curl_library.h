/*
 * libcurl, opened when it is needed, so that rooftop also runs without it. Options and infos are
 * curl's own (curl/curl.h); the functions are called through this table.
 */
#pragma once

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#define ROOFTOP_HAS_CURL 1

#undef curl_easy_setopt /* its checks need the library's own name */
#undef curl_easy_getinfo

struct curl_library {
    CURLcode (*global_init)(long);
    CURL *(*init)(void);
    void (*cleanup)(CURL *);
    CURLcode (*setopt)(CURL *, CURLoption, ...);
    CURLcode (*perform)(CURL *);
    CURLcode (*getinfo)(CURL *, CURLINFO, ...);
    void (*reset)(CURL *);
    struct curl_slist *(*append)(struct curl_slist *, const char *);
    void (*free_all)(struct curl_slist *);
    const char *(*text)(CURLcode);
    curl_version_info_data *(*version)(CURLversion);
    /* several requests at once */
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_add)(CURLM *, CURL *);
    CURLMcode (*multi_remove)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned, int, int *);
    CURLMcode (*multi_wakeup)(CURLM *);
    CURLMsg *(*multi_read)(CURLM *, int *);
};
#else
#define ROOFTOP_HAS_CURL 0 /* its headers were missing at build time */
#endif

/* Returns NULL if libcurl is not installed, or its headers were missing at build time. Make the
 * first call while there is one thread. */
struct curl_library;
const struct curl_library *curl_library(void);
