/* A question to a proposer outside, rooftop.proposal/1. docs/OPTIMIZE.md describes its fields. */
#pragma once

#include "engine/optimize/proposer.h"

/* The document as text, which the caller frees. Only the last QUESTION_PAST verdicts are in it. */
enum { QUESTION_PAST = 50 };
char *question_document(const struct proposal_request *r);
/*
 * What an answer is: nothing but white space is none, a diff begins as one, else it is a whole
 * file. Takes ownership of text, of n bytes.
 */
void question_answer(struct proposal_answer *out, char *text, size_t n);
/* Writes a file of the candidate's folder; one that is there is replaced. 0 or -errno with err. */
int question_keep(const struct proposal_request *r, const char *name, const char *text, size_t n,
                  struct error *err);
