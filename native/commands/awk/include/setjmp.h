/* awk jumps for one reason: `exit` leaves whatever was running. Nothing below it is needed again, so it never returns. */
#pragma once
typedef int jmp_buf;
int enter_phase(void);
_Noreturn void leave_phase(void);
#define setjmp(env) ((void)(env), enter_phase())
#define longjmp(env, value) leave_phase()
