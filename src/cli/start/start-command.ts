import type { Command } from 'commander'
import type { Invocation } from '../invocation.ts'

export function addStartCommand(program: Command, invocation: Invocation): void {
  program
    .command('start')
    .description('Run everything in this process: database, agent, tools, and a chat.')
    .option('--workspace <dir>', 'directory in which tools work (default: one per conversation)')
    .addHelpText('after', help)
    .action(async (options: { workspace?: string }) => {
      const { startCommand } = await import('./start.ts')
      invocation.exitCode = await startCommand(options)
    })
}

const help = `
With TELEGRAM_BOT_TOKEN or SLACK_BOT_TOKEN set it serves that platform. Without, it opens a
chat in this terminal. Lines piped into it are taken as messages, and /approve, /always and
/deny as decisions:

  $ npx countersign start
  $ npx countersign start --workspace ~/project
  $ echo 'list the files here' | npx countersign start

Ctrl-C in the chat stops the turn that runs, and ends the program when none does. At SIGTERM
it ends once running work has ended, after [limits] shutdown_grace at the latest; a second
SIGTERM ends it at once. Without a model's key in the environment the offline model answers.
[sandbox] driver chooses the sandbox; doctor says which one works here.

Exit codes: 0 ended, 1 it could not run, or a turn of piped input failed, 2 wrong usage
or configuration, 3 the input ended and an approval still waits (its id is printed).`
