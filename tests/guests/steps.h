/* The stories of steps.c, in steps_code.S and steps_rings.S. */
#ifndef TESTS_GUESTS_STEPS_H
#define TESTS_GUESTS_STEPS_H

#include <stdint.h>

/* Call a story with these bits of RFLAGS set beside those that are set. */
void steps_with(void (*story)(void), uint64_t flags);

void story_near(void);
void story_strings(void);
void story_flags(void);
void story_shadows(void);
void story_events(void);
void story_far(void);
void story_compatibility(void);
void story_exits(void);
void story_halt(void);
void story_system_calls(void);
void story_watched(void);
void story_work(void);
void story_repeat(void);
void story_wait(void);

void story_refused(void);

/* A story in ring 3, with these RFLAGS: SYSCALL, SYSENTER, INT n; story_refused. */
void steps_user(uint64_t flags, void (*story)(void));
void story_user(void);
void story_user_refused(void);
void steps_syscall_entry(void);
void steps_sysenter_entry(void);

/* The handler of #UD is right after the instruction that raises it. */
void story_next(void);
void steps_next(void);

/* One handler of two vectors: INT 81H by a trap gate, and an interrupt that waits until its first instruction. */
void story_common(void);
void steps_common(void);

extern uint64_t steps_syscalls, steps_sysenters, steps_commons, steps_seen_flags, steps_sysenter_stack[];
extern uint32_t steps_watched[2], steps_ss;
extern const uint8_t steps_breakpoint[];

#endif
