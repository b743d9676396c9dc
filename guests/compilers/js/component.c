// A component of the world `workbooks:engine` that runs a JavaScript module.
//
// Its arguments say which: NAME ENTRY IN OUT MODULES, where IN and OUT are `string` or `json` and MODULES is a JSON object
// of module name to source. `run` gives the input to the default export of ENTRY and answers with what that gives.
// A failure is the last thing written to standard error, and ends the instance with status 1.
#include "console.h"
#include "dock.h"
#include "loop.h"
#include "modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>

// Beyond this much of our own stack a program is told that it is too deep; a parser, beyond a third of it. The host would
// stop it at 8 MiB of machine stack, of which every call needs far more; the tests go down every way there is.
#define STACK (768 << 10)
// One write takes no more.
#define MESSAGE 4000

enum argument { NAME, ENTRY, IN, OUT, MODULES, COUNT };

struct text {
    const char *bytes;
    size_t length;
};

__attribute__((export_name("cabi_realloc"))) void *cabi_realloc(void *old, size_t had, size_t align, size_t size)
{
    void *memory = realloc(old, size ? size : 1);
    if (memory == NULL)
        abort();
    return memory;
}

static _Noreturn void fail_with(const char *message, size_t length)
{
    fflush(stderr);
    write(STDERR_FILENO, message, length);
    _Exit(1);
}

static _Noreturn void fail(JSContext *ctx)
{
    static char message[MESSAGE];
    fail_with(message, exception_text(ctx, message, sizeof message));
}

static JSValue checked(JSContext *ctx, JSValue value)
{
    if (JS_IsException(value))
        fail(ctx);
    return value;
}

// The arguments as the host gives them. A reactor's libc does not fetch them.
static char **arguments(void)
{
    size_t count, size;
    if (__wasi_args_sizes_get(&count, &size) != 0 || count != COUNT)
        fail_with("this is an engine: it wants a packaged program", 46);
    uint8_t **words = malloc((count + 1) * sizeof *words), *bytes = malloc(size);
    if (words == NULL || bytes == NULL || __wasi_args_get(words, bytes) != 0)
        abort();
    return (char **)words;
}

static bool is_json(const char *type)
{
    return strcmp(type, "json") == 0;
}

static JSValue input_value(JSContext *ctx, const char *type, struct text input)
{
    if (!is_json(type))
        return JS_NewStringLen(ctx, input.bytes, input.length);
    return JS_ParseJSON(ctx, input.bytes, input.length, "input");
}

static JSValue output_text(JSContext *ctx, const char *type, JSValue value)
{
    if (is_json(type)) {
        JSValue json = JS_JSONStringify(ctx, value, JS_UNDEFINED, JS_UNDEFINED);
        if (JS_IsUndefined(json))
            return JS_ThrowTypeError(ctx, "the answer has no JSON: return a value");
        return json;
    }
    if (JS_IsString(value) || JS_IsNumber(value) || JS_IsBool(value) || JS_IsBigInt(value))
        return JS_ToString(ctx, value);
    return JS_ThrowTypeError(ctx, "the answer is not text: return a string, or declare another type than string");
}

__attribute__((export_name("run"))) struct text *run(char *bytes, size_t length)
{
    char **argument = arguments();
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *ctx = runtime ? JS_NewContext(runtime) : NULL;
    if (ctx == NULL)
        abort();
    JS_SetMaxStackSize(runtime, STACK);
    console_open(ctx);
    loop_open(ctx);
    JSValue dock = dock_open(ctx);
    if (!modules_open(ctx, argument[MODULES]))
        fail(ctx);
    JSValue module = checked(ctx, modules_evaluate(ctx, checked(ctx, modules_compile(ctx, argument[ENTRY]))));
    JSValue function = checked(ctx, JS_GetPropertyStr(ctx, module, "default"));
    if (!JS_IsFunction(ctx, function)) {
        JS_ThrowTypeError(ctx, "the module has no function as its default export: write `export default (input) => ..`");
        fail(ctx);
    }
    JSValue input = checked(ctx, input_value(ctx, argument[IN], (struct text){ bytes, length }));
    JSValueConst given[] = { input, dock };
    JSValue answer = checked(ctx, await_value(ctx, JS_Call(ctx, function, JS_UNDEFINED, 2, given)));
    if (!loop_clean(ctx))
        fail(ctx);
    static struct text text;
    text.bytes = text_of(ctx, &text.length, checked(ctx, output_text(ctx, argument[OUT], answer)));
    if (text.bytes == NULL)
        fail(ctx);
    fflush(stderr);
    // Nothing is freed: the instance ends with the call.
    return &text;
}
