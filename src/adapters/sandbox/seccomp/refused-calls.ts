/** Mode bits that make a program run as its owner or group (`S_ISUID`, `S_ISGID`). */
const setuidBit = 0o4000
const setgidBit = 0o2000
/** The bit that only `S_IFCHR` and `S_IFBLK` have. */
const deviceBit = 0o20000
/** `O_CREAT`, and the bit of `O_TMPFILE` that `O_DIRECTORY` lacks. */
const makesFile = 0o100 | 0o20000000
const cloneNewUser = 0x1000_0000
const renameWhiteout = 4

/** ENOSYS: programs fall back to an older call. */
const unknownCall = 38
const notPermitted = 1

/** Bits of an argument; the condition holds if any of them is set. */
interface Bits {
  /** Index of the argument. Only its lower 32 bits are tested. */
  readonly argument: number
  readonly mask: number
}

/** A call that a box refuses: always, or if all of `when` hold. */
export interface RefusedCall {
  readonly name: string
  /** Error returned to the caller. */
  readonly errno: number
  readonly when: readonly Bits[]
}

/**
 * Calls that are refused so that a command cannot leave a program on the host that runs as the user who started Countersign
 * (THREAT-31). Calls whose mode is in memory, where a filter cannot see it (`openat2`, io_uring), fail as unknown, and so do
 * calls that reach keys and kernel interfaces outside of namespaces. `keepsSetgid`: directories of the workspace have the
 * setgid bit, which every `chmod` in them repeats, so it stays allowed.
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
    // Without these flags the mode is undefined.
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
  // Keyrings of the starting user are accessible from any namespace.
  ...['add_key', 'request_key', 'keyctl'],
  ...['bpf', 'perf_event_open', 'userfaultfd', 'pidfd_getfd'],
]
