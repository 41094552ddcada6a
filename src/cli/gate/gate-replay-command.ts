import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ReplayReport } from '../../rules/gate/replay/tally.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { oneLineJson, print } from '../print.ts'
import { sinceOption } from '../since-option.ts'

interface Options {
  readonly since: Date
  readonly rules?: string
  readonly operator?: string
  readonly json?: true
}

export function addGateReplayCommand(gate: Command, invocation: Invocation): void {
  gate
    .command('replay')
    .description('Evaluate past calls by other rules, and show what would change.')
    .addOption(sinceOption('7d'))
    .option('--rules <file>', 'permissions.jsonc to use (default: those of the workers)')
    .option('--operator <file>', 'countersign.toml whose [tools] section to use')
    .option('--json', 'the report as one JSON object')
    .addHelpText('after', help)
    .action(async (options: Options) => {
      const report = await replayed(options, invocation)
      if (options.json === true) return await print(`${oneLineJson(report)}\n`)
      const { replayText } = await import('./replay-text.ts')
      await print(replayText(report, options.since))
    })
}

async function replayed(options: Options, invocation: Invocation): Promise<ReplayReport> {
  const config = await readConfiguration(invocation)
  const { environment, cwd } = invocation
  const { since, rules, operator } = options
  const { replayRules } = await import('./replay-rules.ts')
  return await replayRules({
    config,
    environment,
    since,
    signal: interruption(),
    ...(rules !== undefined && { rulesFile: resolve(cwd, rules) }),
    ...(operator !== undefined && { operatorFile: resolve(cwd, operator) }),
  })
}

const help = `
  $ npx countersign gate replay --since 30d --rules new-permissions.jsonc
  $ npx countersign gate replay --operator new-countersign.toml
  $ npx countersign gate replay --json | jq '.changes[] | {before, after, count}'

Before rules are changed: what would they have said to the calls that the audit knows?
Each change is shown with its count, what people had answered, the rule that decides
now, and examples. Without --rules and --operator it tells what the present rules say to
calls that were judged by earlier ones. What was granted to the caller then still counts,
and so does what no rule decides, such as a quota.

A call whose secrets were taken out of its arguments cannot be judged again; such calls
are counted apart. Nothing is run or changed; the role that reads the audit suffices, but
then paths are judged in /workspace.

Exit codes: 0 replayed, 1 it could not be read, 2 wrong usage, rules or configuration.`
