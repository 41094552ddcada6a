/** Environment variable with the box's key, which every process of a box has unless a command clears it. */
export const boxMarker = 'COUNTERSIGN_BOX'

export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The complete environment of the executor (BASH-05); nothing is inherited. */
export function boxEnvironment(box: {
  readonly key: string
  readonly home: string
  readonly path: string
  readonly rg: string | undefined
}): Readonly<Record<string, string>> {
  return {
    PATH: box.path,
    HOME: box.home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    [boxMarker]: assertKey(box.key),
    ...(box.rg === undefined ? {} : { COUNTERSIGN_RG: box.rg }),
  }
}

/** Tells the executor to clear setuid bits after a call, as nothing prevents commands from setting them (THREAT-31). */
export const clearsSetuid = { COUNTERSIGN_CLEARS_SETUID: '1' } as const

/** Tells the executor that its commands have no network (BASH-11). */
export const withoutNetwork = { COUNTERSIGN_NETWORK: 'none' } as const

/** Validates a key, which is used in environment markers and search patterns: letters, digits and `._/:@-`, at most 200. */
export function assertKey(key: string): string {
  if (!/^[\w./:@-]{1,200}$/.test(key)) throw new Error(`not a box key: ${JSON.stringify(key)}`)
  return key
}

/** Arguments of Node in the box; grep needs V8's linear engine (DECISIONS 29). */
export function executorArguments(executorDir: string): readonly string[] {
  return ['--enable-experimental-regexp-engine', `${executorDir}/main.mjs`]
}

/** A program's command line in a box, where `node` is the Node at this path. */
export function withNode(command: readonly string[], node: string): readonly string[] {
  const [program, ...rest] = command
  return program === 'node' ? [node, ...rest] : command
}
