import { type Command, InvalidArgumentError } from 'commander'
import type { PrunedAudit } from '../../app/audit/prune-audit.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print } from '../print.ts'

export function addAuditPruneCommand(audit: Command, invocation: Invocation): void {
  audit
    .command('prune')
    .description('Drop months of the audit that are older than the retention.')
    .option('--days <count>', 'days to keep, instead of [audit] retention_days', toDays)
    .option('--dry-run', 'only print what would be dropped')
    .addHelpText('after', help)
    .action(async ({ days, dryRun }: { days?: number; dryRun?: true }) => {
      const config = await readConfiguration(invocation)
      const { pruneAudit } = await import('../../app/audit/prune-audit.ts')
      const { environment } = invocation
      const isTrial = dryRun === true
      const pruned = await pruneAudit({
        config,
        environment,
        signal: interruption(),
        isTrial,
        ...(days !== undefined && { days }),
      })
      invocation.exitCode = await report(pruned, isTrial)
    })
}

function toDays(text: string): number {
  const days = Number(text)
  if (/^\d+$/.test(text) && days >= 1 && days <= 36_500) return days
  throw new InvalidArgumentError('Expected a whole number from 1 to 36500.')
}

async function report(pruned: PrunedAudit, isTrial: boolean): Promise<number> {
  if (pruned.kind === 'busy') {
    await print('nothing dropped: somebody else prunes right now\n')
    return 1
  }
  const { months } = pruned
  if (months.length === 0) await print('nothing to drop\n')
  for (const month of months) {
    const before = month.before.toISOString().slice(0, 10)
    const line =
      month.kind === 'kept'
        ? `kept: the month before ${before}: ${plainText(month.why)}`
        : `${isTrial ? 'would drop' : 'dropped'}: the month before ${before}, ${month.rows} rows of ${month.chains} chains`
    await print(`${line}\n`)
  }
  return months.some(({ kind }) => kind === 'kept') ? 1 : 0
}

const help = `
  $ npx countersign audit prune --dry-run
  $ npx countersign audit prune
  $ npx countersign audit prune --days 400

Rows are kept in one table a month (UTC), and only whole months are dropped: those in
which every row is older than [audit] retention_days. Before that, every chain with
rows there is verified and has to have a signed checkpoint behind its last row there;
else the month is kept, and so are those after it. The last row of each chain is then
signed and kept, so that audit verify still proves how the rest goes on from it.

Dropping needs the role that owns the tables, and the signing key of the agents. start
and agent do the same once a day where they have both.

Exit codes: 0 dropped or nothing to drop, 1 a month had to be kept, somebody else
prunes right now, or it failed, 2 wrong usage or configuration.`
