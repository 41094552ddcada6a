import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** `stdio` of `spawn` from descriptor 3 on. */
export type RestOfStdio = readonly (number | 'ignore')[]

/** `O_CLOEXEC` on Linux. */
const closeOnExec = 0o2000000

/**
 * Starts a child without descriptors beyond stdio. Node passes on descriptors that it inherited without close-on-exec, and one
 * of a directory would be a way out of a box: they are replaced by `/dev/null`.
 */
export function withClosedRest<Child>(start: (rest: RestOfStdio) => Child): Child {
  const devNull = openSync('/dev/null', 'r')
  try {
    return start(closedRest(inheritedDescriptors(), devNull))
  } finally {
    closeSync(devNull)
  }
}

function closedRest(
  inherited: ReadonlySet<number>,
  devNull: number,
): readonly (number | 'ignore')[] {
  const length = Math.max(2, ...inherited) - 2
  return Array.from({ length }, (_, index) => (inherited.has(index + 3) ? devNull : 'ignore'))
}

/** Descriptors that this process inherited without close-on-exec, which Node passes on to every child. */
function inheritedDescriptors(): ReadonlySet<number> {
  if (process.platform !== 'linux') return new Set()
  const numbers = readdirSync('/proc/self/fd').map(Number)
  return new Set(numbers.filter((fd) => fd > 2 && isInherited(fd)))
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // The descriptor of the directory listing itself.
    return false
  }
}
