// Node's own `spawn`, not execa: it takes no descriptor above 9.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { boxMarker, systemPath } from './box-environment.ts'

/** `O_CLOEXEC` on Linux. */
const closeOnExec = 0o2000000

/** Boxes with exactly this key, or with this prefix of the key. */
type BoxPattern = { readonly key: string } | { readonly prefix: string }

/**
 * Kills every process with a matching key in its environment, and returns the keys found. With `uid`, works as that user: in a
 * container, root may not read the environment of other users' processes. Finds nothing without `/proc`.
 */
export async function endLeftovers(pattern: BoxPattern, uid?: number): Promise<readonly string[]> {
  if (process.platform !== 'linux') return []
  const found = new Set<string>()
  for (let tries = 0; tries < 5; tries += 1) {
    const round = await endRound(toRegex(pattern), uid)
    for (const key of round.keys) found.add(key)
    if (!round.wasKilled) break
  }
  return [...found]
}

/** One round of killing. The shell itself is killed if a guard kills everything of its user. */
async function endRound(regex: string, uid: number | undefined) {
  const child = withClosedRest((rest) =>
    spawn('/bin/sh', ['-c', endScript, 'countersign-end', regex], {
      cwd: '/',
      env: { PATH: systemPath },
      stdio: ['ignore', 'pipe', 'ignore', ...rest],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    }),
  )
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += String(chunk)
  })
  const [, signal] = await once(child, 'close')
  return { keys: keysIn(output), wasKilled: signal === 'SIGKILL' }
}

/** Kills all processes of a box's user, unless another box of that user is running. */
export async function endUser(uid: number): Promise<void> {
  const script = `${isAnyBox} || kill -KILL -1`
  const child = withClosedRest((rest) =>
    spawn('/bin/sh', ['-c', script], {
      cwd: '/',
      env: { PATH: systemPath },
      stdio: ['ignore', 'ignore', 'ignore', ...rest],
      uid,
      gid: uid,
    }),
  )
  await once(child, 'close')
}

function keysIn(output: string): readonly string[] {
  const lines = output.split('\n').filter((line) => line !== '')
  return lines.map((line) => line.slice(boxMarker.length + 1))
}

/** Extended regular expression that matches one environment entry. */
export function toRegex(pattern: BoxPattern): string {
  const literal = (text: string) => text.replace(/[^\w/:@-]/g, '[$&]')
  if ('key' in pattern) return `^${boxMarker}=${literal(pattern.key)}$`
  return `^${boxMarker}=${literal(pattern.prefix)}`
}

/** Files that contain markers: the environment of commands, and the arguments of executors, whose environment cannot be read. */
const markedFiles = '/proc/[0-9]*/environ /proc/[0-9]*/cmdline'

/** Shell command: whether a box of this user is running. */
export const isAnyBox = `grep -qazE '^${boxMarker}=' ${markedFiles} 2>/dev/null`

/**
 * Shell loop that kills until nothing matches, as processes may fork meanwhile; needs `$pattern`. Arguments are readable across
 * users: a round that finds only processes of other users, which survive, is the last.
 */
export const killRounds = `
round=0
while [ $round -lt 50 ]; do
  files=$(grep -lazE -- "$pattern" ${markedFiles} 2>/dev/null)
  [ -n "$files" ] || break
  ours=
  for file in $files; do
    dir=\${file%/*}
    if kill -KILL "\${dir#/proc/}" 2>/dev/null || [ ! -e "$dir" ]; then ours=1; fi
  done
  [ -n "$ours" ] || break
  round=$((round + 1))
done
`

const endScript = `
pattern=$1
grep -hazoE -- "$pattern.*" ${markedFiles} 2>/dev/null | tr '\\0' '\\n'
${killRounds}
exit 0
`

/** `stdio` of `spawn` from descriptor 3 on. */
type RestOfStdio = readonly (number | 'ignore')[]

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
