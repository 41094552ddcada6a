import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { Invocation } from './invocation.ts'
import { print } from './print.ts'

export function addVersionCommand(program: Command, _: Invocation): void {
  program
    .command('version')
    .description('Print the versions of Countersign and of Node.')
    .action(async () => {
      const { node } = process.versions
      const machine = `${process.platform}-${process.arch}`
      await print(`countersign ${packageVersion()}\nnode ${node} (${machine})\n`)
    })
}

/** The version in package.json. */
export function packageVersion(): string {
  return manifest.version
}
