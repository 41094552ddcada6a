import type { Command } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { Invocation } from './invocation.ts'
import { oneLineJson } from './one-line-json.ts'
import { print } from './print.ts'

export function addVersionCommand(program: Command, _: Invocation): void {
  program
    .command('version')
    .description('Print the versions of Countersign and of Node.')
    .option('--json', 'as a JSON object')
    .action(async ({ json }: { json?: true }) => {
      const { node } = process.versions
      const machine = `${process.platform}-${process.arch}`
      const versions = { countersign: packageVersion(), node, machine }
      if (json === true) return await print(`${oneLineJson(versions)}\n`)
      await print(`countersign ${packageVersion()}\nnode ${node} (${machine})\n`)
    })
}

/** The version in package.json. */
export function packageVersion(): string {
  return manifest.version
}
