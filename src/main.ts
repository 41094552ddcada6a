#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { isSupportedNode, newerNode } from './cli/doctor/check-host.ts'
import { readEnvironment } from './config/env.ts'
import { missingFiles } from './util/files.ts'
import { keepCompiled } from './util/keep-compiled.ts'

const [, , first = '', ...others] = process.argv
// Scripts ask for it before each use: it waits for nothing that a command needs.
if (['--version', '-V'].includes(first) && others.length === 0) {
  // As with `| head`: nobody may read it.
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${manifest.version}\n`)
} else {
  const problem = installationProblem(process.versions.node)
  if (problem === undefined) {
    // Where countersign.toml names another data directory nothing is kept: that would have to be loaded first.
    keepCompiled(readEnvironment().get('COUNTERSIGN_DATA_DIR') ?? '.countersign', manifest.version)
    const { runCommandLine } = await import('./cli/run-command-line.ts')
    process.exitCode = await runCommandLine(process.argv)
  } else {
    process.stderr.write(`error[INSTALLATION_UNUSABLE]: ${problem}\n`)
    process.exitCode = 2
  }
}

/** Returns why this installation cannot run here. What is loaded by need would otherwise be missed hours later. */
function installationProblem(node: string): string | undefined {
  if (!isSupportedNode(node)) return `Countersign does not run on Node ${node}: ${newerNode}`
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const [missing, ...more] = missingFiles(folder)
  if (missing === undefined) return undefined
  const rest = more.length === 0 ? '' : ` and ${more.length} others`
  return `the installation in ${folder} is not whole (${missing}${rest}): install it again, or build it with npm run build`
}
