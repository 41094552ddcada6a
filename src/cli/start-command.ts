import type { Command } from 'commander'
import type { Invocation } from './invocation.ts'

export function addStartCommand(program: Command, invocation: Invocation): void {
  program
    .command('start')
    .description('Run everything in this process: database, agent, tools, and a chat here.')
    .option('--workspace <dir>', 'where tools work, instead of a directory a conversation')
    .addHelpText('after', help)
    .action(async (options: { workspace?: string }) => {
      const { startCommand } = await import('./start.ts')
      invocation.exitCode = await startCommand(options)
    })
}

const help = `
On a terminal it opens a chat. Lines piped into it are taken as messages, and
/approve, /always and /deny as decisions:

  $ npx countersign start
  $ npx countersign start --workspace ~/project
  $ echo 'list the files here' | npx countersign start

Ctrl-C stops the turn that runs, and ends the program when none does. SIGTERM ends it
once what runs has ended; a second one at once. Without a model's key in the
environment it answers offline. Which sandbox it uses, [sandbox] driver decides.

Exit codes: 0 ended, 1 it could not run, or a turn of piped input failed, 2 wrong usage
or configuration, 3 the input ended and an approval still waits (its id is printed).`
