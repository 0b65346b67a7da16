/* The key under which results of replays are stored: the kernel, the capture (by content, so that
 * its folder may be renamed), and the code object. */
#pragma once

#include "engine/capture/capture.h"

enum { REPLAY_HASH_TEXT = 17 };

struct replay_key {
    char kernel[256];               /* mangled name, cut to fit */
    char capture[REPLAY_HASH_TEXT]; /* XXH3-64 of the files that describe the capture's content */
    char code[REPLAY_HASH_TEXT];    /* of the code object that ran */
};
/* Makes the key from a capture's head; reads its files. A part that cannot be read is "". */
void replay_key_of(struct replay_key *out, const struct capture *head);
/* Replaces the captured code object in the key by another one. */
void replay_key_code(struct replay_key *key, const char *hsaco);
