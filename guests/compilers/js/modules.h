// The modules of a packaged program, and how a failure is told.
#ifndef WORKBOOKS_MODULES_H
#define WORKBOOKS_MODULES_H

#include "quickjs.h"
#include <stddef.h>

// Takes a JSON object of module name to source. False leaves an exception.
bool modules_open(JSContext *ctx, const char *json);

// Compiles the module of that name and what it imports, without running anything. An exception when it cannot.
JSValue modules_compile(JSContext *ctx, const char *name);

// Evaluates a compiled module and waits for it. Its namespace, or an exception.
JSValue modules_evaluate(JSContext *ctx, JSValue compiled);

// Whether a compiled module has a default export. It does not have to have run.
bool modules_has_default(JSContext *ctx, JSValueConst compiled);

// Waits for a promise: its value, or its reason as an exception. What is no promise is its own value.
JSValue await_value(JSContext *ctx, JSValue value);

// The exception under way as text, with its stack; `into` holds at most `size` bytes. Gives the length.
size_t exception_text(JSContext *ctx, char *into, size_t size);

// A string's UTF-8, each lone surrogate replaced: what is outside takes no other. Free with JS_FreeCString.
const char *text_of(JSContext *ctx, size_t *length, JSValueConst value);

#endif
