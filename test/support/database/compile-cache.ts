import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const directory = fileURLToPath(
  new URL('../../../node_modules/.cache/countersign-tests', import.meta.url),
)
/** Imported, they leave in the cache what Node makes of the product, and of what starts it here. */
const programs = ['../../../docker/compile-ahead.ts', '../product-process.ts'].map(
  (path) => `import ${JSON.stringify(new URL(path, import.meta.url))}`,
)

/** For the environment of Node: what it compiles is kept beside the packages, which takes a third off each start. */
export const compileCache = { NODE_COMPILE_CACHE: directory } as const

/** Fills the cache with what it lacks or has changed since: a process that is killed does not leave there what it compiled. */
export async function compileAhead(): Promise<void> {
  const env = { ...process.env, ...compileCache }
  const words = ['--disable-warning=ExperimentalWarning', '--eval', programs.join('\n')]
  await promisify(execFile)(process.execPath, words, { env })
}
