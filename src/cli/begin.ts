import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }
import { readEnvironment } from '../config/env.ts'
import { missingFiles } from '../util/files.ts'
import { keepCompiled } from '../util/keep-compiled.ts'
import { isSupportedNode, newerNode } from './doctor/check-host.ts'

/** Runs a command of the program if this installation can; returns its exit code and never rejects. */
export async function begin(argv: readonly string[]): Promise<number> {
  const problem = installationProblem(process.versions.node)
  if (problem !== undefined) {
    process.stderr.write(`error[INSTALLATION_UNUSABLE]: ${problem}\n`)
    return 2
  }
  // Where countersign.toml names another data directory nothing is kept: that would have to be loaded first.
  keepCompiled(readEnvironment().get('COUNTERSIGN_DATA_DIR') ?? '.countersign', manifest.version)
  const { runCommandLine } = await import('./run-command-line.ts')
  return runCommandLine(argv)
}

/** Returns why this installation cannot run here. What is loaded by need would otherwise be missed hours later. */
function installationProblem(node: string): string | undefined {
  if (!isSupportedNode(node)) return `Countersign does not run on Node ${node}: ${newerNode}`
  const folder = fileURLToPath(new URL('..', import.meta.url))
  const [missing, ...more] = missingFiles(folder)
  if (missing === undefined) return undefined
  const rest = more.length === 0 ? '' : ` and ${more.length} others`
  return `the installation in ${folder} is not whole (${missing}${rest}): install it again, or build it with npm run build`
}
