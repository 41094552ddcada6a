/** The name under which every process of a box carries the box's key, unless a command clears it. */
export const boxMarker = 'COUNTERSIGN_BOX'

export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** All that the executor sees of an environment (BASH-05): nothing comes from ours. */
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

/** Tells an executor that nothing keeps commands from setting setuid bits, so that it takes them away (THREAT-31). */
export const clearsSetuid = { COUNTERSIGN_CLEARS_SETUID: '1' } as const

/** Tells an executor that its commands have no network (BASH-11). */
export const withoutNetwork = { COUNTERSIGN_NETWORK: 'none' } as const

/** Keys become environment markers and search patterns: letters, digits and `._/:@-`, at most 200. */
export function assertKey(key: string): string {
  if (!/^[\w./:@-]{1,200}$/.test(key)) throw new Error(`not a box key: ${JSON.stringify(key)}`)
  return key
}

/** Arguments of Node in the box; grep needs V8's linear engine (DECISIONS 29). */
export function executorArguments(executorDir: string): readonly string[] {
  return ['--enable-experimental-regexp-engine', `${executorDir}/main.mjs`]
}
