// `qjs`, and beside it what packaged programs are started with:
//
//     qjs --packaged ENTRY MODULES ARGUMENT..    runs the module ENTRY; MODULES is a JSON object of name to source
//     qjs --check SHAPE ENTRY MODULES            compiles it and runs nothing
#include "modules.h"
#include "quickjs-libc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Beyond this much of our own stack a program is told that it is too deep; a parser, beyond a third of it. The host would
// stop it at 8 MiB of machine stack, of which every call needs far more; the tests go down every way there is.
#define STACK (768 << 10)
#define MESSAGE 4000

int qjs_main(int argc, char **argv);

static int fail(JSContext *ctx)
{
    static char message[MESSAGE];
    fflush(stdout);
    fprintf(stderr, "%.*s\n", (int)exception_text(ctx, message, sizeof message), message);
    return 1;
}

JSValue await_value(JSContext *ctx, JSValue value)
{
    return js_std_await(ctx, value);
}

static int packaged(JSContext *ctx, const char *entry)
{
    JSValue compiled = modules_compile(ctx, entry);
    if (JS_IsException(compiled))
        return fail(ctx);
    js_module_set_import_meta(ctx, compiled, false, true);
    if (JS_IsException(modules_evaluate(ctx, compiled)) || js_std_loop(ctx) != 0)
        return fail(ctx);
    return 0;
}

static int check(JSContext *ctx, const char *shape, const char *entry)
{
    JSValue compiled = modules_compile(ctx, entry);
    if (JS_IsException(compiled))
        return fail(ctx);
    if (strcmp(shape, "component") == 0 && !modules_has_default(ctx, compiled)) {
        fprintf(stderr, "%s has no default export: write `export default (input) => ..`\n", entry);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    // WASI has no working directory; whoever starts us says where we are.
    const char *here = getenv("PWD");
    if (here != NULL)
        (void)!chdir(here);
    bool runs = argc >= 4 && strcmp(argv[1], "--packaged") == 0;
    bool checks = argc == 5 && strcmp(argv[1], "--check") == 0;
    if (!runs && !checks)
        return qjs_main(argc, argv);
    JSRuntime *runtime = JS_NewRuntime();
    if (runtime == NULL)
        return 2;
    JS_SetMaxStackSize(runtime, STACK);
    js_std_init_handlers(runtime);
    JSContext *ctx = JS_NewContext(runtime);
    if (ctx == NULL)
        return 2;
    js_init_module_std(ctx, "qjs:std");
    js_init_module_os(ctx, "qjs:os");
    JS_SetHostPromiseRejectionTracker(runtime, js_std_promise_rejection_tracker, NULL);
    char *shape = argv[2], *entry = argv[checks ? 3 : 2], *modules = argv[checks ? 4 : 3];
    if (!modules_open(ctx, modules))
        return fail(ctx);
    // As everywhere, the script's own name comes before its arguments.
    argv[3] = entry;
    js_std_add_helpers(ctx, argc - 3, argv + 3);
    return checks ? check(ctx, shape, entry) : packaged(ctx, entry);
}
