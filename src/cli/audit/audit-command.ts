import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { toSince } from '../since-option.ts'
import { addAuditPruneCommand } from './audit-prune-command.ts'
import { addAuditStatsCommand } from './audit-stats-command.ts'
import { addAuditVerifyCommand } from './audit-verify-command.ts'
import type { AuditOptions } from './print-audit.ts'

export function addAuditCommand(program: Command, invocation: Invocation): void {
  const audit = program
    .command('audit')
    .description('List calls: by whom, who allowed them and how they ended.')
    .option('--caller <id>', 'calls of this person, such as console:ada')
    .option('--tool <name>', 'calls of this tool')
    .addOption(
      new Option('--verdict <verdict>', 'calls with this verdict').choices([
        'allow',
        'ask',
        'deny',
      ]),
    )
    .option('--session <id>', 'calls of this session', toSession)
    .option('--since <when>', 'calls since a time (2026-11-21T10:00Z) or an age (2h, 3d)', toSince)
    .option(
      '--limit <count>',
      'maximum number of calls, newest first (100; all with --json or --csv)',
      toLimit,
    )
    .addOption(new Option('--json', 'stored rows as JSON lines').conflicts('csv'))
    .option('--csv', 'comma-separated values, a line per call')
    .option('--follow', 'keep showing new calls until Ctrl-C')
    .addHelpText('after', help)
    .action(async (options: AuditOptions) => {
      const config = await readConfiguration(invocation)
      const { printAudit } = await import('./print-audit.ts')
      await printAudit({ config, environment: invocation.environment }, options)
    })
  addAuditStatsCommand(audit, invocation)
  addAuditVerifyCommand(audit, invocation)
  addAuditPruneCommand(audit, invocation)
}

const mostCalls = 100_000

function toLimit(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= 1 && count <= mostCalls) return count
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${mostCalls}.`)
}

function toSession(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text
  throw new InvalidArgumentError('Expected the id of a session, as audit --json shows it.')
}

const help = `
  $ npx countersign audit
  $ npx countersign audit --verdict deny --since 2d
  $ npx countersign audit --caller console:ada --tool bash --limit 20
  $ npx countersign audit --follow
  $ npx countersign audit --csv > calls.csv
  $ npx countersign audit --json | jq 'select(.kind == "settled") | .exit_code'
  $ npx countersign audit stats
  $ npx countersign audit verify

One line a call, the oldest first; times are UTC. --json prints each stored row of
those calls instead: what was decided, and how it ended. --json and --csv print all of
them, however many, unless --limit is given. A filter that no call fits prints nothing
and is no error. docs/how-to/read-the-audit.md explains every column.

It works while the product runs and while it does not.

Exit codes: 0 listed, 1 it could not be read, 2 wrong usage or configuration.`
