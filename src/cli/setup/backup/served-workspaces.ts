import { appendFile, readFile, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { hasCode } from '../../../util/has-code.ts'
import { isPathInside } from '../../../util/is-path-inside.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

type Places = Pick<Config, 'dataDir' | 'worker'>

/** Of the data directory: paths of named workspaces that a worker served from it, a JSON string a line. */
const fileOf = (dataDir: string) => join(dataDir, 'served-workspaces.jsonl')

/** Notes in the data directory that a worker serves the workspace of the configuration, where it names one. */
export async function noteWorkspace({ dataDir, worker }: Places): Promise<void> {
  if (worker.workspace === undefined) return
  const path = await present(worker.workspace)
  if ((await readServed(dataDir)).includes(path)) return
  await appendFile(fileOf(dataDir), `${JSON.stringify(path)}\n`, { mode: 0o600 })
}

/**
 * Named workspaces that a backup of the data directory is to know: those that were served from it, and the one of the
 * configuration. Absolute, without those that the data directory itself holds.
 */
export async function findNamedWorkspaces({ dataDir, worker }: Places): Promise<readonly string[]> {
  const configured = worker.workspace === undefined ? [] : [await present(worker.workspace)]
  const own = join(await present(dataDir), 'workspaces')
  const all = new Set([...(await readServed(dataDir)), ...configured])
  return [...all].filter((path) => !isPathInside(own, path))
}

async function present(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path))
}

/** Lines that a crash or a hand damaged are passed over. */
async function readServed(dataDir: string): Promise<readonly string[]> {
  const text = await readFile(fileOf(dataDir), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return ''
    throw error
  })
  return text.split('\n').flatMap((line) => {
    const parsed = z.string().startsWith('/').safeParse(tryParseJson(line))
    return parsed.success ? [parsed.data] : []
  })
}
