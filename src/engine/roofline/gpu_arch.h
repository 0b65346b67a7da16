/* Looks up architectures in the lists of names that table rows hold. */
#pragma once

#include <stdbool.h>
#include <string.h>

/* Whether the list of words archs contains arch; a word that ends in * stands for all names that
 * begin like it. arch: "gfx90a"; a colon and what follows ("gfx90a:sramecc+:xnack-") is ignored. */
static inline bool gpu_is_arch(const char *archs, const char *arch)
{
    size_t len = strcspn(arch, ": ");
    for (const char *word = archs; *word;) {
        size_t n = strcspn(word, " ");
        bool start = word[n - 1] == '*';
        if (start ? len >= n - 1 && strncmp(word, arch, n - 1) == 0
                  : len == n && strncmp(word, arch, n) == 0)
            return true;
        word += n + (word[n] == ' ');
    }
    return false;
}
