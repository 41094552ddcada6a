import { type Command, Option } from 'commander'
import { type Role, roles } from '../../app/processes/check-state.ts'
import { interruption } from '../interruption.ts'
import type { Invocation } from '../invocation.ts'
import { oneLineJson, plainText, print } from '../print.ts'
import type { Finding } from './finding.ts'

export function addDoctorCommand(program: Command, invocation: Invocation): void {
  program
    .command('doctor')
    .description('Check everything the product needs, and explain how to fix each problem.')
    .addOption(
      new Option(
        '--for <role>',
        'check what one separate process needs, with its environment',
      ).choices([...roles]),
    )
    .option('--json', 'each finding as a line of JSON')
    .option('--print-config-reference', 'print every configuration key as markdown instead')
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      if (options.printConfigReference) {
        const { configReference } = await import('../../config/reference.ts')
        await print(configReference())
      } else {
        invocation.exitCode = await runDoctor(invocation, options)
      }
    })
}

interface DoctorOptions {
  readonly for?: Role
  readonly json?: true
  readonly printConfigReference?: true
}

async function runDoctor(
  { environment, cwd }: Invocation,
  { for: role, json }: DoctorOptions,
): Promise<number> {
  const { examine } = await import('./examine.ts')
  const signal = interruption()
  let exitCode = 0
  for await (const finding of examine(environment, cwd, role)) {
    await print(`${json === true ? oneLineJson(finding) : lineOf(finding)}\n`)
    if (finding.level === 'fail') exitCode = 1
    if (signal.aborted) break
  }
  signal.throwIfAborted()
  return exitCode
}

function lineOf({ level, what, finding, mend }: Finding): string {
  const words = `${level.padEnd(4)}  ${what}: ${finding}`
  return plainText(mend === undefined ? words : `${words} → ${mend}`)
}

const help = `
  $ npx countersign doctor
  $ npx countersign doctor --for worker
  $ npx countersign doctor --json | jq 'select(.level != "ok")'
  $ npx countersign doctor --print-config-reference > docs/reference/configuration.md

Each check is a line: ok, warn or fail, the thing that was checked, the finding, and after an
arrow how to fix it; with --json {level, what, finding, mend}. It checks Node, the
configuration, the data directory, the database, its migrations and the last verification of
the audit, the queue, the clock, the sandbox, the keys, the tokens of chat platforms, the
model (by name, at its provider), the tools and the permissions. It changes nothing and
prints no secret. Where the product has not run yet, database and sandbox are tried in a
temporary directory.

Exit codes: 0 nothing failed (warnings may be there), 1 something failed, 2 wrong usage.`
