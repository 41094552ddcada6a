/** System calls of a processor architecture. */
export interface CallNumbers {
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
