import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { sha256 } from '../../util/digest.ts'
import { openFrom } from './reachable.ts'
import { exists, stageFolder } from './stage-folder.ts'

/**
 * Writes the executor as plain JavaScript to `<cacheDir>/executor-<hash>/` and returns that directory; its entry is `main.mjs`.
 * `executorDir` is that of the bundle, which contains only this file, or that of the checkout; then the modules shared with the
 * gate, from the directory `shared` next to it, are in `shared/`. An existing directory is reused.
 */
export async function stageExecutor(executorDir: string, cacheDir: string): Promise<string> {
  const sources = await readSources(executorDir)
  const write = (dir: string) => writeModules(sources, dir)
  return stageFolder(cacheDir, `executor-${hashOf(sources)}`, write)
}

interface Source {
  /** Relative to the executor's directory. */
  readonly path: string
  readonly text: string
}

async function readSources(dir: string): Promise<readonly Source[]> {
  const own = await readFolder(dir)
  if (own.some(({ path }) => path === 'main.mjs')) return own
  if (!own.some(({ path }) => path === 'main.ts'))
    throw new Error(`neither main.ts nor main.mjs in the executor's folder ${dir}`)
  const shared = join(dir, '../shared')
  if (!(await exists(shared))) return own
  const others = await readFolder(shared)
  return [...own, ...others.map(({ path, text }) => ({ path: join('shared', path), text }))]
}

async function readFolder(dir: string): Promise<readonly Source[]> {
  const entries = await readdir(dir, { recursive: true })
  const paths = entries.filter((path) => /\.(?:ts|mjs)$/.test(path)).sort()
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(dir, path), 'utf8') })),
  )
}

function hashOf(sources: readonly Source[]): string {
  return sha256(JSON.stringify([process.version, sources])).slice(0, 16)
}

async function writeModules(sources: readonly Source[], dir: string): Promise<void> {
  for (const source of sources) {
    const file = join(dir, source.path.replace(/\.ts$/, '.mjs'))
    const first = await mkdir(dirname(file), { recursive: true })
    if (first !== undefined) await openFrom(first, dirname(file))
    const text = source.path.endsWith('.ts') ? toPlainModule(source) : source.text
    await writeFile(file, text)
    await chmod(file, 0o644)
  }
}

/**
 * Converts a TypeScript module to JavaScript, with relative imports of `.mjs` and of the copied `shared`. Throws if an import
 * leaves the directory.
 */
export function toPlainModule(source: Source): string {
  const depth = source.path.replace(/^shared\//, '').split('/').length - 1
  return stripTypeScriptTypes(source.text).replace(
    /((?:\bfrom|\bimport)\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]*)\.ts\2/g,
    (_all, before: string, quote: string, named: string) => {
      const isShared = stepsUp(named) === depth + 1 && /^(?:\.\.\/)+shared\//.test(named)
      const specifier = isShared ? named.replace('../', depth === 0 ? './' : '') : named
      if (stepsUp(specifier) > depth)
        throw new Error(`executor/${source.path} imports ${specifier}.ts, outside its folder`)
      return `${before}${quote}${specifier}.mjs${quote}`
    },
  )
}

function stepsUp(specifier: string): number {
  return specifier.split('/').filter((part) => part === '..').length
}
