import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { newId } from '../../util/ids.ts'

/**
 * Mode in which PostgreSQL runs: as this user; as root in a user namespace; or, without user namespaces, as `nobody` from
 * a copy.
 */
export type EmbeddedMode = 'plain' | 'user-namespace' | 'copied'

const RunFile = z.object({
  pid: z.int().positive(),
  mode: z.enum(['plain', 'user-namespace', 'copied']),
  connection: z.object({ host: z.string(), user: z.string(), database: z.string() }),
})

/** Content of `<dataDir>/run.json`, by which other commands find a running product. */
export type RunFile = Readonly<z.infer<typeof RunFile>>

/** Replaces `<dataDir>/run.json` atomically. */
export async function writeRunFile(dataDir: string, content: RunFile): Promise<void> {
  const temporary = join(dataDir, `run.json~${newId()}`)
  await writeFile(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(temporary, join(dataDir, 'run.json'))
}

/** Reads run.json; undefined if missing or invalid. It may belong to a run that has ended. */
export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    return RunFile.parse(JSON.parse(await readFile(join(dataDir, 'run.json'), 'utf8')))
  } catch {
    return undefined
  }
}

/** Removes run.json if it exists. */
export async function removeRunFile(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'run.json'), { force: true })
}
