import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Gives the worker of a product these rules, as its operator would. */
export async function writeRules(dataDir: string, rules: string): Promise<void> {
  const folder = join(dataDir, 'workers', 'default')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'permissions.jsonc'), rules)
}
