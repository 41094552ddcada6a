import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The sorts of tests, each a project of vitest. */
export type Kind = 'unit' | 'db' | 'flow' | 'system' | 'nightly'

/** Test files by kind, as paths from the root of the repository. */
export type Kinds = Readonly<Record<Kind, readonly string[]>>

const root = resolve(import.meta.dirname, '../../..')
const relativeImport = /(?:\bfrom|\bimport\()\s*'(\.[^']+)'/g
/** Names that start a process, a box or a server, or look for one. */
const startsProcess = /node:child_process|startEmbeddedPostgres/
const usesDatabase = /\binject\('(?:postgres|preparedCluster)'\)/

/**
 * Sorts all test files by what they and the test code that they import use: `nightly` by their name
 * (`*.nightly.test.ts`), `flow` by their folder, `system` if they start processes, `db` if they use the database of the
 * run, else `unit`.
 */
export function findKinds(): Kinds {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, 'test', name))
  const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  const kinds = { unit: [], db: [], flow: [], system: [], nightly: [] } as Record<Kind, string[]>
  for (const file of files.filter((name) => name.endsWith('.test.ts')).sort()) {
    kinds[kindOf(file, sources)].push(relative(root, file))
  }
  return kinds
}

function kindOf(file: string, sources: ReadonlyMap<string, string>): Kind {
  if (file.endsWith('.nightly.test.ts')) return 'nightly'
  if (file.startsWith(join(root, 'test', 'flow'))) return 'flow'
  const texts = [...withImports(file, sources)].map((each) => sources.get(each) ?? '')
  if (texts.some((text) => startsProcess.test(text))) return 'system'
  return texts.some((text) => usesDatabase.test(text)) ? 'db' : 'unit'
}

/** A file and the test code that it imports, however far away. */
function withImports(file: string, sources: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set([file])
  for (const each of found) {
    for (const [, path = ''] of (sources.get(each) ?? '').matchAll(relativeImport)) {
      const imported = join(dirname(each), path)
      if (sources.has(imported)) found.add(imported)
    }
  }
  return found
}
