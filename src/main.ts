#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' }
import { isSupportedNode, newerNode } from './cli/doctor/check-node.ts'

const { node } = process.versions
const [, , first = '', ...others] = process.argv
// Scripts ask for it before each use: it waits for nothing that a command needs.
if (['--version', '-V'].includes(first) && others.length === 0) {
  // As with `| head`: nobody may read it.
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${manifest.version}\n`)
} else if (isSupportedNode(node)) {
  const { runCommandLine } = await import('./cli/run-command-line.ts')
  process.exitCode = await runCommandLine(process.argv)
} else {
  process.stderr.write(`Countersign does not run on Node ${node}: ${newerNode}\n`)
  process.exitCode = 2
}
