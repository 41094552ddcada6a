import type { Command } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print } from '../print.ts'

export function addMigrateCommand(program: Command, invocation: Invocation): void {
  program
    .command('migrate')
    .description('Apply the migrations of this version to the database.')
    .addHelpText('after', help)
    .action(async () => {
      const config = await readConfiguration(invocation)
      const { migrate } = await import('./migrate.ts')
      const { environment } = invocation
      const { steps, notes } = await migrate({ config, environment })
      const lines = [...notes, ...steps.map((step) => `done: ${step}`)]
      await print(`${(lines.length === 0 ? ['the database is up to date'] : lines).join('\n')}\n`)
    })
}

const help = `
start does this by itself. Run it apart where several processes share a database
and only one role may change its tables:

  $ DATABASE_URL=postgres://owner:…@db/countersign npx countersign migrate

With COUNTERSIGN_APP_DATABASE_URL=postgres://countersign_app:…@db/countersign it also makes that
role, with that password, for gateways and agents to connect as. It cannot change the audit.

It prints the steps it took. Several at once are safe: one works, the others wait.
A step that fails leaves the database as it was. A database of a newer version, or of
another line of versions, is left as it is: it says what differs, and what to do.

Exit codes: 0 the database is of this version, 1 it is not, 2 wrong usage or configuration.`
