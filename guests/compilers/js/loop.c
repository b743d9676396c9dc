#include "loop.h"
#include "modules.h"
#include <stdlib.h>
#include <time.h>

struct timer {
    int64_t due; // nanoseconds of the monotonic clock
    int32_t id;
    JSValue call;
    int count;
    JSValue *arguments;
    struct timer *next;
};

struct rejection {
    JSValue promise, reason;
    struct rejection *next;
};

static struct timer *timers; // the next one due is the first
static int32_t last_id;
static struct rejection *rejections;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void free_timer(JSContext *ctx, struct timer *timer)
{
    JS_FreeValue(ctx, timer->call);
    for (int n = 0; n < timer->count; n++)
        JS_FreeValue(ctx, timer->arguments[n]);
    free(timer->arguments);
    free(timer);
}

static JSValue set_timeout(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    double delay = 0;
    if (!JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "setTimeout wants a function");
    if (argc > 1 && JS_ToFloat64(ctx, &delay, argv[1]) < 0)
        return JS_EXCEPTION;
    struct timer *timer = calloc(1, sizeof *timer);
    int count = argc > 2 ? argc - 2 : 0;
    JSValue *arguments = calloc(count + 1, sizeof *arguments);
    if (timer == NULL || arguments == NULL) {
        free(timer);
        free(arguments);
        return JS_ThrowOutOfMemory(ctx);
    }
    for (int n = 0; n < count; n++)
        arguments[n] = JS_DupValue(ctx, argv[n + 2]);
    // A delay that is no number is none, and one of years is a day.
    delay = delay > 0 ? delay : 0;
    delay = delay < 86400e3 ? delay : 86400e3;
    *timer = (struct timer){ now() + (int64_t)(delay * 1e6), ++last_id, JS_DupValue(ctx, argv[0]), count, arguments };
    struct timer **at = &timers;
    while (*at != NULL && (*at)->due <= timer->due)
        at = &(*at)->next;
    timer->next = *at;
    *at = timer;
    return JS_NewInt32(ctx, timer->id);
}

static JSValue clear_timeout(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
    int32_t id = 0;
    if (JS_ToInt32(ctx, &id, argv[0]) < 0)
        return JS_EXCEPTION;
    for (struct timer **at = &timers; *at != NULL; at = &(*at)->next) {
        struct timer *timer = *at;
        if (timer->id == id) {
            *at = timer->next;
            free_timer(ctx, timer);
            break;
        }
    }
    return JS_UNDEFINED;
}

static void track(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque)
{
    struct rejection **at = &rejections;
    if (!handled) {
        struct rejection *rejection = malloc(sizeof *rejection);
        if (rejection == NULL)
            abort();
        *rejection = (struct rejection){ JS_DupValue(ctx, promise), JS_DupValue(ctx, reason), rejections };
        rejections = rejection;
        return;
    }
    for (; *at != NULL; at = &(*at)->next) {
        struct rejection *rejection = *at;
        if (JS_VALUE_GET_PTR(rejection->promise) == JS_VALUE_GET_PTR(promise)) {
            *at = rejection->next;
            JS_FreeValue(ctx, rejection->promise);
            JS_FreeValue(ctx, rejection->reason);
            free(rejection);
            return;
        }
    }
}

void loop_open(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyStr(ctx, global, "setTimeout", JS_NewCFunction(ctx, set_timeout, "setTimeout", 2));
    JS_SetPropertyStr(ctx, global, "clearTimeout", JS_NewCFunction(ctx, clear_timeout, "clearTimeout", 1));
    JS_FreeValue(ctx, global);
    JS_SetHostPromiseRejectionTracker(JS_GetRuntime(ctx), track, NULL);
}

bool loop_clean(JSContext *ctx)
{
    if (rejections == NULL)
        return true;
    JS_Throw(ctx, JS_DupValue(ctx, rejections->reason));
    return false;
}

// Runs what is due next, after waiting for it. Zero when there is nothing, negative with an exception.
static int step(JSContext *ctx)
{
    JSContext *of;
    int ran = JS_ExecutePendingJob(JS_GetRuntime(ctx), &of);
    if (ran != 0 || timers == NULL)
        return ran;
    int64_t wait = timers->due - now();
    if (wait > 0) {
        struct timespec time = { wait / INT64_C(1000000000), wait % INT64_C(1000000000) };
        clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    }
    struct timer *timer = timers;
    timers = timer->next;
    JSValue done = JS_Call(ctx, timer->call, JS_UNDEFINED, timer->count, (JSValueConst *)timer->arguments);
    free_timer(ctx, timer);
    int outcome = JS_IsException(done) ? -1 : 1;
    JS_FreeValue(ctx, done);
    return outcome;
}

JSValue await_value(JSContext *ctx, JSValue value)
{
    for (;;) {
        JSValue settled;
        switch (JS_PromiseState(ctx, value)) {
        case JS_PROMISE_NOT_A_PROMISE:
            return value;
        case JS_PROMISE_FULFILLED:
            settled = JS_PromiseResult(ctx, value);
            JS_FreeValue(ctx, value);
            return settled;
        case JS_PROMISE_REJECTED:
            JS_PromiseMarkAsHandled(ctx, value);
            settled = JS_PromiseResult(ctx, value);
            JS_FreeValue(ctx, value);
            return JS_Throw(ctx, settled);
        case JS_PROMISE_PENDING:
            break;
        }
        int ran = step(ctx);
        if (ran <= 0) {
            JS_FreeValue(ctx, value);
            return ran < 0 ? JS_EXCEPTION : JS_ThrowTypeError(ctx, "the promise can never settle: nothing is left to run");
        }
    }
}
