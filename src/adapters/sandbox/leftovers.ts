// Node's own `spawn`, not execa: it takes no descriptor above 9.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { boxMarker, systemPath } from './box-environment.ts'
import { withClosedRest } from './with-closed-rest.ts'

/** Which boxes: those with exactly this key, or all whose key begins so. */
export type BoxPattern = { readonly key: string } | { readonly prefix: string }

/**
 * Ends every process that carries a matching key in its environment, and answers the keys that were found. With
 * `uid`, works as that user: in a container, root may not read the environment of another user's processes.
 * Finds nothing where there is no `/proc`.
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

/** A guard that ends everything of its user ends this shell too. */
async function endRound(regex: string, uid: number | undefined) {
  const child = withClosedRest((rest) =>
    spawn('/bin/sh', ['-c', endScript, 'countersign-end', regex], {
      cwd: '/',
      env: { PATH: systemPath },
      stdio: ['ignore', 'pipe', 'ignore', ...rest],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    }),
  )
  let said = ''
  child.stdout?.on('data', (chunk) => {
    said += String(chunk)
  })
  const [, signal] = await once(child, 'close')
  return { keys: keysIn(said), wasKilled: signal === 'SIGKILL' }
}

/** Ends all that a box's user still runs, unless another box of that user lives. */
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

/** An extended regular expression for one entry of an environment. */
export function toRegex(pattern: BoxPattern): string {
  const literal = (text: string) => text.replace(/[^\w/:@-]/g, '[$&]')
  if ('key' in pattern) return `^${boxMarker}=${literal(pattern.key)}$`
  return `^${boxMarker}=${literal(pattern.prefix)}`
}

/** Where markers stand: of commands in their environment, of executors, whose own nobody may read, in their arguments. */
const markedFiles = '/proc/[0-9]*/environ /proc/[0-9]*/cmdline'

/** Shell: whether a box of this user lives. */
export const isAnyBox = `grep -qazE '^${boxMarker}=' ${markedFiles} 2>/dev/null`

/**
 * Kills until nothing matches, since a process may fork while it is looked for; `$pattern` is set before. Arguments
 * are readable across users: a round that finds only processes of others, which live on, is the last.
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
