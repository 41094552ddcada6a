import type { Command } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print } from '../print.ts'

export function addDbCommand(program: Command, invocation: Invocation): void {
  const db = program
    .command('db')
    .description('Print the address of the database, for programs such as psql.')
  db.command('url')
    .description('Print the address of the embedded database while the product runs.')
    .addHelpText('after', help)
    .action(async () => {
      const config = await readConfiguration(invocation)
      const { databaseUrl } = await import('./database-url.ts')
      await print(`${await databaseUrl(config)}\n`)
    })
}

const help = `
  $ psql "$(npx countersign db url)"
  $ pg_dump "$(npx countersign db url)" > backup.sql

The address is a socket that only this user can enter; it holds no password. It is
that of the database's owner: with it one can approve, so give it to nobody. The
queries in docs/how-to/read-the-audit.md can be typed there. With DATABASE_URL set, use that instead.

Exit codes: 0 printed, 1 nothing runs here, 2 wrong usage or configuration.`
