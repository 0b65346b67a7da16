/* What results of replays are kept under: which kernel, which capture whatever its folder is called
 * by now, which code object. */
#ifndef ROOFTOP_ENGINE_REPLAY_REPLAY_KEY_H
#define ROOFTOP_ENGINE_REPLAY_REPLAY_KEY_H

#include "engine/capture/capture.h"

enum { REPLAY_HASH_TEXT = 17 };

struct replay_key {
    char kernel[256];               /* its mangled name, cut */
    char capture[REPLAY_HASH_TEXT]; /* XXH3-64 of what says what it holds */
    char code[REPLAY_HASH_TEXT];    /* of the code object that ran */
};
/* Reads files of the capture. head: of it. What cannot be read is "". */
void replay_key_of(struct replay_key *out, const struct capture *head);
/* Another code object in place of the captured one. */
void replay_key_code(struct replay_key *key, const char *hsaco);

#endif
