import type { Command } from 'commander'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { oneLineJson, print } from '../print.ts'
import { toSince } from '../since-option.ts'

export function addAuditStatsCommand(audit: Command, invocation: Invocation): void {
  audit
    .command('stats')
    .description('Count approvals and refusals: how many, how long, by which rules, for whom.')
    .option('--json', 'numbers as one JSON object')
    .addHelpText('after', help)
    // --since is an option of `audit`, which takes it at any position.
    .action(async (_: unknown, command: Command) => {
      const { since = toSince('7d'), json } = command.optsWithGlobals<{
        since?: Date
        json?: true
      }>()
      const config = await readConfiguration(invocation)
      const { environment } = invocation
      const { auditStats } = await import('./audit-stats.ts')
      const stats = await auditStats({ config, environment, since, signal: interruption() })
      if (json === true) return await print(`${oneLineJson(stats)}\n`)
      const { statsText } = await import('./stats-text.ts')
      await print(statsText(stats))
    })
}

const help = `
  $ npx countersign audit stats
  $ npx countersign audit stats --since 30d
  $ npx countersign audit stats --json | jq .median_ms

It counts the last seven days, or those since --since, a time (2026-11-21T10:00Z) or an age
(30d): how many calls asked a person, how these questions ended and how long people took;
which rules refused calls, and whose calls; and which calls were approved most. gate suggest
proposes rules for calls that are always approved.

Exit codes: 0 counted, 1 it could not be read, 2 wrong usage or configuration.`
