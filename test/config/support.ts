import { Environment } from '../../src/config/env.ts'
import { type LoadResult, loadConfig } from '../../src/config/load.ts'
import type { ConfigProblem } from '../../src/config/problems.ts'

type Variables = Readonly<Record<string, string>>

/** Loads as a process in `/srv/bot` would, with these files on its disk. */
export function loadWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  variables: Variables = {},
): LoadResult {
  return loadConfig({
    cwd: '/srv/bot',
    environment: new Environment(variables),
    readFile: (name) => {
      const content = Object.hasOwn(files, name) ? files[name] : undefined
      if (content === undefined) throw Object.assign(new Error(name), { code: 'ENOENT' })
      return Buffer.from(content)
    },
  })
}

export function loadToml(toml: string | Uint8Array, variables: Variables = {}): LoadResult {
  return loadWith({ '/srv/bot/countersign.toml': toml }, variables)
}

/** The configuration, or a failure that shows what is wrong with it. */
export function configOf(result: LoadResult) {
  if (result.kind === 'ok') return result.config
  throw new Error(JSON.stringify(result.problems, null, 2))
}

export function problemsOf(result: LoadResult): readonly ConfigProblem[] {
  return result.kind === 'invalid' ? result.problems : []
}
