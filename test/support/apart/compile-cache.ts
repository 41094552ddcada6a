import { execFile } from 'node:child_process'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { roles } from './roles.ts'

const directory = join(tmpdir(), `countersign-compiled-${userInfo().username}`)
const app = fileURLToPath(new URL('../../../src/app', import.meta.url))
let filled: Promise<string> | undefined

/**
 * Where Node finds our modules compiled, for NODE_COMPILE_CACHE: tests that start dozens of processes spend half their
 * time on it otherwise. Filled once, since a process that is killed leaves nothing there.
 */
export function compileCache(): Promise<string> {
  filled ??= fill()
  return filled
}

async function fill(): Promise<string> {
  const imports = roles.map((role) => `await import('${app}/run-${role}-process.ts');`)
  const args = [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    imports.join(''),
  ]
  const { PATH = '' } = process.env
  await promisify(execFile)(process.execPath, args, {
    env: { PATH, NODE_COMPILE_CACHE: directory },
  })
  return directory
}
