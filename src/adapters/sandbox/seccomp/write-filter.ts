import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../../util/new-id.ts'
import { filterProgram } from './filter-program.ts'

/** Writes a box's filter below `cacheDir` and answers its file; undefined on processors whose calls are not known. */
export async function writeFilter(
  cacheDir: string,
  keepsSetgid: boolean,
): Promise<string | undefined> {
  const program = filterProgram(process.arch, keepsSetgid)
  if (program === undefined) return undefined
  await mkdir(cacheDir, { recursive: true })
  const file = join(cacheDir, keepsSetgid ? 'filter-setgid.bpf' : 'filter.bpf')
  const draft = `${file}-${newId()}`
  await writeFile(draft, program, { mode: 0o644 })
  await rename(draft, file)
  return file
}
