#include "common/simt/fiber_switch.h"

#if defined(__APPLE__)
#define SYMBOL(name) "_" name
#else
#define SYMBOL(name) name
#endif
#define BEGIN(name) ".text\n.p2align 4\n.globl " SYMBOL(name) "\n" SYMBOL(name) ":\n"

// A paused stack always looks the same, so the unwind rules (.cfi_*) hold before and after a switch, and a debugger
// can walk a stack that is paused. The last step of a resume is a jump and not `ret`: the processor predicts that a
// `ret` goes back to the last caller, which here is the fiber that was just paused.

#if defined(__x86_64__)

// rbp rbx r12 r13 r14 r15 survive a call in the System V ABI; the compiler saves the others around ours.
#define SAVE_REGISTERS                              \
  "pushq %rbp\n .cfi_def_cfa_offset 16\n"           \
  "pushq %rbx\n .cfi_def_cfa_offset 24\n"           \
  "pushq %r12\n .cfi_def_cfa_offset 32\n"           \
  "pushq %r13\n .cfi_def_cfa_offset 40\n"           \
  "pushq %r14\n .cfi_def_cfa_offset 48\n"           \
  "pushq %r15\n .cfi_def_cfa_offset 56\n"           \
  ".cfi_offset %rbp, -16\n .cfi_offset %rbx, -24\n" \
  ".cfi_offset %r12, -32\n .cfi_offset %r13, -40\n" \
  ".cfi_offset %r14, -48\n .cfi_offset %r15, -56\n" \
  "movq %rsp, (%rdi)\n"

asm(BEGIN("waitless_start_fiber")      //
    ".cfi_startproc\n" SAVE_REGISTERS  //
    "movq %rsi, %rsp\n"                //
    "pushq $0\n"                       // entry's return address: here debuggers stop
    "jmpq *%rdx\n"                     //
    ".cfi_endproc\n");

asm(BEGIN("waitless_switch_fiber")                  //
    ".cfi_startproc\n" SAVE_REGISTERS               //
    ".globl " SYMBOL("waitless_resume_fiber") "\n"  //
    SYMBOL("waitless_resume_fiber") ":\n"           //
    "movq %rsi, %rsp\n"                             //
    "popq %r15\n popq %r14\n popq %r13\n"           //
    "popq %r12\n popq %rbx\n popq %rbp\n"           //
    ".cfi_def_cfa_offset 8\n"                       //
    ".cfi_same_value %rbp\n .cfi_same_value %rbx\n .cfi_same_value %r12\n"
    ".cfi_same_value %r13\n .cfi_same_value %r14\n .cfi_same_value %r15\n"
    "popq %rdx\n .cfi_def_cfa_offset 0\n .cfi_register %rip, %rdx\n"
    "jmpq *%rdx\n"                                  //
    ".cfi_endproc\n");

#elif defined(__aarch64__)

// x19-x29 and the low halves of v8-v15 survive a call in AAPCS64; x30 is the return address.
#define SAVE_REGISTERS                                                        \
  "sub sp, sp, #160\n .cfi_def_cfa_offset 160\n"                              \
  "stp x19, x20, [sp, #0]\n .cfi_offset x19, -160\n .cfi_offset x20, -152\n"  \
  "stp x21, x22, [sp, #16]\n .cfi_offset x21, -144\n .cfi_offset x22, -136\n" \
  "stp x23, x24, [sp, #32]\n .cfi_offset x23, -128\n .cfi_offset x24, -120\n" \
  "stp x25, x26, [sp, #48]\n .cfi_offset x25, -112\n .cfi_offset x26, -104\n" \
  "stp x27, x28, [sp, #64]\n .cfi_offset x27, -96\n .cfi_offset x28, -88\n"   \
  "stp x29, x30, [sp, #80]\n .cfi_offset x29, -80\n .cfi_offset x30, -72\n"   \
  "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"                        \
  "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"                     \
  "mov x9, sp\n str x9, [x0]\n"

asm(BEGIN("waitless_start_fiber")      //
    ".cfi_startproc\n" SAVE_REGISTERS  //
    "mov sp, x1\n"                     //
    "mov x29, xzr\n mov x30, xzr\n"    // entry's return address: here debuggers stop
    "br x2\n"                          //
    ".cfi_endproc\n");

asm(BEGIN("waitless_switch_fiber")                  //
    ".cfi_startproc\n" SAVE_REGISTERS               //
    ".globl " SYMBOL("waitless_resume_fiber") "\n"  //
    SYMBOL("waitless_resume_fiber") ":\n"           //
    "mov sp, x1\n"                                  //
    "ldp x19, x20, [sp, #0]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n"
    "ldp x25, x26, [sp, #48]\n ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
    "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n"
    "ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
    "add sp, sp, #160\n .cfi_def_cfa_offset 0\n"    //
    "br x30\n"                                      //
    ".cfi_endproc\n");

#else
#error "simt can switch fibers on x86-64 and aarch64 only; fiber_switch.cpp is the place to add your processor"
#endif
