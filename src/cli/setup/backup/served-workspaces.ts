import { appendFile, readFile, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import { isPathInside } from '../../../util/files.ts'
import { hasCode } from '../../../util/has-code.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

type Places = Pick<Config, 'dataDir' | 'worker'>

/** File in the data directory that lists named workspaces served from it, one JSON string a line. */
const fileOf = (dataDir: string) => join(dataDir, 'served-workspaces.jsonl')

/** Records that a worker serves the configured workspace, if it is named. */
export async function recordWorkspace({ dataDir, worker }: Places): Promise<void> {
  if (worker.workspace === undefined) return
  const path = await canonicalPath(worker.workspace)
  if ((await readServed(dataDir)).includes(path)) return
  await appendFile(fileOf(dataDir), `${JSON.stringify(path)}\n`, { mode: 0o600 })
}

/**
 * Returns absolute paths of named workspaces: those served from the data directory and the configured one, without those
 * inside the data directory.
 */
export async function findNamedWorkspaces({ dataDir, worker }: Places): Promise<readonly string[]> {
  const configured = worker.workspace === undefined ? [] : [await canonicalPath(worker.workspace)]
  const own = join(await canonicalPath(dataDir), 'workspaces')
  const all = new Set([...(await readServed(dataDir)), ...configured])
  return [...all].filter((path) => !isPathInside(own, path))
}

async function canonicalPath(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path))
}

/** Skips damaged lines. */
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
