/*
 * Bits of control registers, IA32_EFER and RFLAGS. For C and assembly. Names are the manual's: SDM Vol. 3A, "Control
 * Registers", "Extended Feature Enable Register"; Vol. 1, "EFLAGS Register".
 */
#ifndef BASE_CONTROL_H
#define BASE_CONTROL_H

#ifdef __ASSEMBLER__
#define CONTROL_BIT(n) (1 << (n))
#else
#define CONTROL_BIT(n) (1ull << (n))
#endif

#define CR0_PE CONTROL_BIT(0)
#define CR0_MP CONTROL_BIT(1)
#define CR0_TS CONTROL_BIT(3)
#define CR0_ET CONTROL_BIT(4)
#define CR0_NE CONTROL_BIT(5)
#define CR0_WP CONTROL_BIT(16)
#define CR0_NW CONTROL_BIT(29)
#define CR0_CD CONTROL_BIT(30)
#define CR0_PG CONTROL_BIT(31)

#define CR4_PSE CONTROL_BIT(4)
#define CR4_PAE CONTROL_BIT(5)
#define CR4_MCE CONTROL_BIT(6)
#define CR4_PGE CONTROL_BIT(7)
#define CR4_LA57 CONTROL_BIT(12)
#define CR4_VMXE CONTROL_BIT(13)
#define CR4_SMXE CONTROL_BIT(14)
#define CR4_PCIDE CONTROL_BIT(17)
#define CR4_OSXSAVE CONTROL_BIT(18)
#define CR4_KL CONTROL_BIT(19)
#define CR4_SMEP CONTROL_BIT(20)
#define CR4_SMAP CONTROL_BIT(21)
#define CR4_PKE CONTROL_BIT(22)
#define CR4_CET CONTROL_BIT(23)
#define CR4_UINTR CONTROL_BIT(25)
#define CR4_FRED CONTROL_BIT(32)

#define EFER_LME CONTROL_BIT(8)
#define EFER_LMA CONTROL_BIT(10)
#define EFER_NXE CONTROL_BIT(11)

#define RFLAGS_CF CONTROL_BIT(0)
#define RFLAGS_FIXED CONTROL_BIT(1) /* reads as 1, and must be written so */
#define RFLAGS_TF CONTROL_BIT(8)
#define RFLAGS_IF CONTROL_BIT(9)
#define RFLAGS_NT CONTROL_BIT(14)
#define RFLAGS_RF CONTROL_BIT(16)
#define RFLAGS_VM CONTROL_BIT(17)

#endif
