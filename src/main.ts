#!/usr/bin/env node
import manifest from '../package.json' with { type: 'json' }

const [, , first = '', ...others] = process.argv
// Scripts ask for it before each use: it waits for nothing that a command needs.
if (['--version', '-V'].includes(first) && others.length === 0) {
  // As with `| head`: nobody may read it.
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${manifest.version}\n`)
} else {
  const { begin } = await import('./cli/begin.ts')
  process.exitCode = await begin(process.argv)
}
