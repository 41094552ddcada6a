import { type RefusedCall, refusedCalls } from './refused-calls.ts'

/** One instruction of classic BPF: `struct sock_filter` of linux/filter.h. */
interface Instruction {
  readonly code: number
  /** Number of instructions to skip if the condition holds, and if it does not. */
  readonly ifTrue?: number
  readonly ifFalse?: number
  readonly value: number
}

const loadWord = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const ifAnyBit = 0x45
const answer = 0x06

const allow: Instruction = { code: answer, value: 0x7fff_0000 }
const unknownCall = 38

/** Offsets in `struct seccomp_data` of linux/seccomp.h. */
const numberAt = 0
const archAt = 4
const argumentsAt = 16

/**
 * Compiles the seccomp filter of a box for `bwrap --seccomp`: BPF in this machine's byte order. It refuses the calls in
 * `refusedCalls`, and every call of another table (32-bit programs, x32), where numbers have other meanings. Undefined on an
 * unknown architecture.
 */
export function filterProgram(arch: string, keepsSetgid: boolean): Buffer | undefined {
  const calls = callNumbers(arch)
  if (calls === undefined) return undefined
  const instructions = [
    ...onlyThisTable(calls),
    ...refusedCalls(keepsSetgid).flatMap((call) => refusal(call, calls)),
    allow,
  ]
  return Buffer.concat(instructions.map(toBytes))
}

function onlyThisTable({ audit, otherFrom }: CallNumbers): readonly Instruction[] {
  const other =
    otherFrom === undefined
      ? []
      : [{ code: ifAtLeast, ifFalse: 1, value: otherFrom }, refuse(unknownCall)]
  return [
    { code: loadWord, value: archAt },
    { code: ifEqual, ifTrue: 1, value: audit },
    refuse(unknownCall),
    { code: loadWord, value: numberAt },
    ...other,
  ]
}

/** Instructions for one call; they expect the number of the call to be loaded, and keep it loaded for other calls. */
function refusal(call: RefusedCall, { numbers }: CallNumbers): readonly Instruction[] {
  const number = numbers[call.name]
  if (number === undefined) return []
  const conditions = call.when.flatMap(({ argument, mask }, index) => [
    // Both architectures are little-endian: the lower half comes first.
    { code: loadWord, value: argumentsAt + 8 * argument },
    { code: ifAnyBit, ifFalse: 2 * (call.when.length - index - 1) + 1, value: mask },
  ])
  const body = [...conditions, refuse(call.errno), allow]
  return [{ code: ifEqual, ifFalse: body.length, value: number }, ...body]
}

function refuse(errno: number): Instruction {
  return { code: answer, value: 0x0005_0000 | errno }
}

function toBytes({ code, ifTrue = 0, ifFalse = 0, value }: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}

/** System calls of a processor architecture. */
interface CallNumbers {
  /** `AUDIT_ARCH_*` of linux/audit.h. */
  readonly audit: number
  /** First number of a second table for the same architecture (x32). */
  readonly otherFrom: number | undefined
  /** By name; calls that the architecture lacks are missing. */
  readonly numbers: Readonly<Record<string, number>>
}

/** Numbers shared by all architectures since Linux 5.1. */
const common = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  clone3: 435,
  openat2: 437,
  pidfd_getfd: 438,
  fchmodat2: 452,
} as const

const x64: CallNumbers = {
  audit: 0xc000_003e,
  otherFrom: 0x4000_0000,
  numbers: {
    ...common,
    open: 2,
    clone: 56,
    creat: 85,
    chmod: 90,
    fchmod: 91,
    mknod: 133,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    openat: 257,
    mknodat: 259,
    fchmodat: 268,
    unshare: 272,
    perf_event_open: 298,
    renameat2: 316,
    bpf: 321,
    userfaultfd: 323,
  },
}

/** From `asm-generic/unistd.h`. */
const arm64: CallNumbers = {
  audit: 0xc000_00b7,
  otherFrom: undefined,
  numbers: {
    ...common,
    mknodat: 33,
    fchmod: 52,
    fchmodat: 53,
    openat: 56,
    unshare: 97,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    clone: 220,
    perf_event_open: 241,
    renameat2: 276,
    bpf: 280,
    userfaultfd: 282,
  },
}

/** System calls by `process.arch`; undefined for an unknown architecture. */
export function callNumbers(arch: string): CallNumbers | undefined {
  if (arch === 'x64') return x64
  return arch === 'arm64' ? arm64 : undefined
}
