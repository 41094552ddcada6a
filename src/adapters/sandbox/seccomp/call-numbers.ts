/** A kind of processor, as filters know it. */
export interface CallNumbers {
  /** `AUDIT_ARCH_*` of linux/audit.h. */
  readonly audit: number
  /** Numbers from here on are of a second table of the same kind (x32). */
  readonly otherFrom: number | undefined
  /** By name; a call that this kind of processor does not have is not there. */
  readonly numbers: Readonly<Record<string, number>>
}

/** Numbers that calls have had in common since Linux 5.1. */
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

/** The table of `asm-generic/unistd.h`. */
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

/** Numbers of system calls by `process.arch`; undefined where they are not known here. */
export function callNumbers(arch: string): CallNumbers | undefined {
  if (arch === 'x64') return x64
  return arch === 'arm64' ? arm64 : undefined
}
