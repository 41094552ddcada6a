/** Bits of a file's mode with which a program runs as its owner or group (`S_ISUID`, `S_ISGID`). */
const setuidBit = 0o4000
const setgidBit = 0o2000
/** The bit that `S_IFCHR` and `S_IFBLK` share, and no other type has. */
const deviceBit = 0o20000
/** `O_CREAT`, and the bit of `O_TMPFILE` that `O_DIRECTORY` is no part of. */
const makesFile = 0o100 | 0o20000000
const cloneNewUser = 0x1000_0000
const renameWhiteout = 4

/** As if the kernel did not know the call: programs fall back to an older one. */
const unknownCall = 38
const notPermitted = 1

/** One argument of a call, and bits of it: the condition holds where any of them is set. */
interface Bits {
  /** Number of the argument, from 0. Its lower 32 bits count. */
  readonly argument: number
  readonly mask: number
}

/** A call that a box refuses: always, or where all of `when` hold. */
export interface RefusedCall {
  readonly name: string
  /** The error that the caller gets. */
  readonly errno: number
  readonly when: readonly Bits[]
}

/**
 * THREAT-31: what no process of a box may do, so that a command leaves no program on the host that runs as whoever started
 * Countersign. Calls whose modes a filter cannot see, because they stand in memory (`openat2`, io_uring), are unknown there. So
 * are those that reach keys and kernel interfaces that no namespace divides. `keepsSetgid`: the workspace's own folders carry
 * the setgid bit, which every `chmod` in them repeats; then it stays allowed.
 */
export function refusedCalls(keepsSetgid: boolean): readonly RefusedCall[] {
  const bits = keepsSetgid ? setuidBit : setuidBit | setgidBit
  const mode = (name: string, argument: number, more: readonly Bits[] = []): RefusedCall => ({
    name,
    errno: notPermitted,
    when: [...more, { argument, mask: bits }],
  })
  const node = (name: string, argument: number): RefusedCall => ({
    name,
    errno: notPermitted,
    when: [{ argument, mask: bits | deviceBit }],
  })
  const flag = (name: string, argument: number, mask: number): RefusedCall => ({
    name,
    errno: notPermitted,
    when: [{ argument, mask }],
  })
  return [
    mode('chmod', 1),
    mode('fchmod', 1),
    mode('fchmodat', 2),
    mode('fchmodat2', 2),
    mode('creat', 1),
    // Without these flags the mode is left undefined by its caller.
    mode('open', 2, [{ argument: 1, mask: makesFile }]),
    mode('openat', 3, [{ argument: 2, mask: makesFile }]),
    node('mknod', 1),
    node('mknodat', 2),
    flag('renameat2', 4, renameWhiteout),
    flag('clone', 0, cloneNewUser),
    flag('unshare', 0, cloneNewUser),
    ...unknownCalls.map((name) => ({ name, errno: unknownCall, when: [] })),
  ]
}

const unknownCalls = [
  'openat2',
  'clone3',
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
  // The starter's keyrings are reached from any namespace.
  ...['add_key', 'request_key', 'keyctl'],
  ...['bpf', 'perf_event_open', 'userfaultfd', 'pidfd_getfd'],
]
