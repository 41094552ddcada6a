import { open } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from './config.ts'
import { errorCode } from './read-outside.ts'
import { readToml, type Table } from './read-toml.ts'

export type FiltersFile =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string; readonly tree: Table }
  /** `why` completes “the file …”. */
  | { readonly kind: 'refused'; readonly path: string; readonly why: string }

/** OUT-07: limit for a filters file. */
const maxBytes = 1_048_576

/** The filters file: the configured one, else the default beside the configuration file. */
export function filtersPathOf({ tools, configDir }: Pick<Config, 'tools' | 'configDir'>): string {
  const named = tools.filters.filtersPath
  return named === '' ? path.join(configDir, 'filters.toml') : named
}

/** OUT-02, OUT-07: reads the filters file; refused if too large, unreadable or invalid TOML. Never throws. */
export async function readFiltersFile(
  config: Pick<Config, 'tools' | 'configDir'>,
): Promise<FiltersFile> {
  const place = filtersPathOf(config)
  const refused = (why: string) => ({ kind: 'refused', path: place, why }) as const
  try {
    await using file = await open(place, 'r')
    const found = await file.stat()
    if (!found.isFile()) return refused('is no file')
    if (found.size > maxBytes) return refused('is larger than 1 MiB')
    const read = readToml(await file.readFile(), place)
    if (read.kind === 'ok') return { kind: 'file', path: place, tree: read.tree }
    return refused(read.problems.map(({ message }) => message).join('; '))
  } catch (error) {
    const code = errorCode(error)
    const isDefault = config.tools.filters.filtersPath === ''
    return isDefault && code === 'ENOENT' ? { kind: 'none' } : refused(`cannot be read: ${code}`)
  }
}
