#include "common/simt/fiber_switch.h"

// A paused stack always looks the same, so the unwind rules (.cfi_*) hold before and after a switch, and a debugger
// can walk a stack that is paused. The last step of a resume is a jump and not `ret`: the processor predicts that a
// `ret` goes back to the last caller, which here is the fiber that was just paused.

#if defined(__APPLE__)
#define SYMBOL(name) "_" name
#else
#define SYMBOL(name) name
#endif
#define LABEL(name) ".globl " SYMBOL(name) "\n" SYMBOL(name) ":\n"
#define FUNCTION(name) ".text\n .p2align 4\n" LABEL(name)

// clang-format off
#if defined(__x86_64__)

// rbp rbx r12 r13 r14 r15 survive a call in the System V ABI; the compiler saves the others around ours.
asm(R"(
    .macro SAVE_REGISTERS
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    .cfi_def_cfa_offset 56
    .cfi_offset %rbp, -16
    .cfi_offset %rbx, -24
    .cfi_offset %r12, -32
    .cfi_offset %r13, -40
    .cfi_offset %r14, -48
    .cfi_offset %r15, -56
    movq %rsp, (%rdi)
    .endm
)"
FUNCTION("waitless_start_fiber") R"(
    .cfi_startproc
    SAVE_REGISTERS
    movq %rsi, %rsp
    pushq $0                # the return address of entry, where debuggers stop
    jmpq *%rdx
    .cfi_endproc
)"
FUNCTION("waitless_switch_fiber") R"(
    .cfi_startproc
    SAVE_REGISTERS
)"
LABEL("waitless_resume_fiber") R"(
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    .cfi_def_cfa_offset 8
    .cfi_same_value %rbp
    .cfi_same_value %rbx
    .cfi_same_value %r12
    .cfi_same_value %r13
    .cfi_same_value %r14
    .cfi_same_value %r15
    popq %rdx
    .cfi_def_cfa_offset 0
    .cfi_register %rip, %rdx
    jmpq *%rdx
    .cfi_endproc
)");

#elif defined(__aarch64__)

// x19-x29 and the low halves of v8-v15 survive a call in AAPCS64; x30 is the return address.
asm(R"(
    .macro SAVE_REGISTERS
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    .cfi_def_cfa_offset 160
    .cfi_offset x29, -80
    .cfi_offset x30, -72
    mov x9, sp
    str x9, [x0]
    .endm
)"
FUNCTION("waitless_start_fiber") R"(
    .cfi_startproc
    SAVE_REGISTERS
    mov sp, x1
    mov x29, xzr
    mov x30, xzr            // the return address of entry, where debuggers stop
    br x2
    .cfi_endproc
)"
FUNCTION("waitless_switch_fiber") R"(
    .cfi_startproc
    SAVE_REGISTERS
)"
LABEL("waitless_resume_fiber") R"(
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    .cfi_def_cfa_offset 0
    br x30
    .cfi_endproc
)");

#else
#error "simt can switch fibers on x86-64 and aarch64 only; fiber_switch.cpp is the place to add your processor"
#endif
