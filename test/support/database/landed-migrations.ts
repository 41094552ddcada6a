import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const migrations = fileURLToPath(new URL('../../../migrations', import.meta.url))

/** Steps that databases may have taken, in the order in which they landed, in the format of `sha256sum`. */
export const landedFile = join(migrations, 'landed.txt')

/** A line of the list. */
export interface Landed {
  readonly file: string
  readonly sha256: string
}

export function parseLanded(text: string): readonly Landed[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [, sha256 = '', file = ''] = /^([0-9a-f]{64}) {2}(\S+)$/.exec(line) ?? []
    if (file === '') throw new Error(`migrations/landed.txt has a line that is none: ${line}`)
    return { file, sha256 }
  })
}

/** The steps that are in the directory, by name. */
export async function presentSteps(): Promise<readonly Landed[]> {
  const files = (await readdir(migrations)).filter((file) => file.endsWith('.ts')).sort()
  return await Promise.all(files.map(async (file) => ({ file, sha256: await sha256Of(file) })))
}

async function sha256Of(file: string): Promise<string> {
  const text = await readFile(join(migrations, file))
  return createHash('sha256').update(text).digest('hex')
}
