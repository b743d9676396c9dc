// Jobs and timers of a component. There is no other source of events.
#ifndef WORKBOOKS_LOOP_H
#define WORKBOOKS_LOOP_H

#include "quickjs.h"

// Gives the program `setTimeout` and `clearTimeout`, and watches for rejections that nobody handles.
void loop_open(JSContext *ctx);

// Whether no promise was rejected without a handler; else its reason is the exception.
bool loop_clean(JSContext *ctx);

#endif
