import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { newId } from '../../util/new-id.ts'

/**
 * How PostgreSQL runs: as this user; as root, in a user namespace where it is nobody in particular;
 * or as root without such namespaces, from a copy that the user `nobody` owns.
 */
export type EmbeddedMode = 'plain' | 'user-namespace' | 'copied'

const RunFile = z.object({
  pid: z.int().positive(),
  mode: z.enum(['plain', 'user-namespace', 'copied']),
  connection: z.object({ host: z.string(), user: z.string(), database: z.string() }),
})

/** What `<dataDir>/run.json` tells commands beside a running product. */
export type RunFile = Readonly<z.infer<typeof RunFile>>

/** Replaces `<dataDir>/run.json` at once, so that no reader sees half of it. */
export async function writeRunFile(dataDir: string, content: RunFile): Promise<void> {
  const beside = join(dataDir, `run.json~${newId()}`)
  await writeFile(beside, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(beside, join(dataDir, 'run.json'))
}

/** What run.json says; undefined when it is missing or not ours. It may be of a run that has ended. */
export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    return RunFile.parse(JSON.parse(await readFile(join(dataDir, 'run.json'), 'utf8')))
  } catch {
    return undefined
  }
}

/** Takes run.json away, when it is there. */
export async function removeRunFile(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'run.json'), { force: true })
}
