import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'

/** What `spawn` takes as `stdio` from descriptor 3 on. */
export type RestOfStdio = readonly (number | 'ignore')[]

/** `O_CLOEXEC` of Linux. */
const closeOnExec = 0o2000000

/**
 * Starts a child that is handed no descriptor beyond stdio. Node passes on what whoever started us left open without
 * close-on-exec, and one of a folder would be a way out of a box: `/dev/null` takes its place.
 */
export function withClosedRest<Child>(start: (rest: RestOfStdio) => Child): Child {
  const stopper = openSync('/dev/null', 'r')
  try {
    return start(stopped(inheritedDescriptors(), stopper))
  } finally {
    closeSync(stopper)
  }
}

function stopped(inherited: ReadonlySet<number>, stopper: number): readonly (number | 'ignore')[] {
  const length = Math.max(2, ...inherited) - 2
  return Array.from({ length }, (_, index) => (inherited.has(index + 3) ? stopper : 'ignore'))
}

/**
 * Descriptors that whoever started us left open without close-on-exec, which Node hands down to every child. One of a
 * folder would be a way out of a box.
 */
function inheritedDescriptors(): ReadonlySet<number> {
  if (process.platform !== 'linux') return new Set()
  const numbers = readdirSync('/proc/self/fd').map(Number)
  return new Set(numbers.filter((fd) => fd > 2 && isHandedDown(fd)))
}

function isHandedDown(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // Was the listing's own descriptor.
    return false
  }
}
