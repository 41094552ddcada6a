import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AuditVerification } from '../app/verify-audit.ts'
import { interruption } from './interruption.ts'
import { type Invocation, readConfiguration } from './invocation.ts'
import { plainText } from './plain-text.ts'
import { print, printError } from './print.ts'

export function addAuditVerifyCommand(audit: Command, invocation: Invocation): void {
  audit
    .command('verify')
    .description('Prove that no row of the audit was changed, removed or put in between.')
    .option('--since-checkpoint <file>', 'also hold it against checkpoints saved elsewhere')
    .addHelpText('after', help)
    .action(async ({ sinceCheckpoint }: { sinceCheckpoint?: string }) => {
      const config = await readConfiguration(invocation)
      const { verifyAudit } = await import('../app/verify-audit.ts')
      const { environment, cwd } = invocation
      const verification = await verifyAudit({
        config,
        environment,
        signal: interruption(),
        ...(sinceCheckpoint !== undefined && { checkpointFile: resolve(cwd, sinceCheckpoint) }),
      })
      invocation.exitCode = await report(verification)
    })
}

async function report(verification: AuditVerification): Promise<number> {
  const { rows, chains, checkpoints, cuts, broken, unknownKeys } = verification
  if (unknownKeys.length > 0) {
    const keys = unknownKeys.map(plainText).join(', ')
    await printError(
      `warning: checkpoints signed by ${keys} could not be checked: add the public key to COUNTERSIGN_VERIFY_KEYS_FILE\n`,
    )
  }
  if (broken.length === 0) {
    const dropped = cuts === 0 ? '' : `, ${cuts} months dropped`
    await print(`ok: ${rows} rows in ${chains} chains, ${checkpoints} checkpoints${dropped}\n`)
    return 0
  }
  const lines = broken.map(({ chain, seq, why }) => {
    return `broken: chain ${plainText(chain)}, row ${seq}: ${plainText(why)}\n`
  })
  await print(lines.join(''))
  return 1
}

const help = `
  $ npx countersign audit verify
  $ npx countersign audit verify --since-checkpoint /backup/countersign.log

Every row is tied to the one before it by a hash, a chain a session. The ends of the
chains are signed every minute, and written to countersign.log too. Keep copies of
that file elsewhere: who can change the whole database could also write a new history,
and only a checkpoint saved outside shows it. FILE holds such checkpoints, one a line;
other lines of a log are passed by.

It prints "ok: N rows in M chains, K checkpoints", or the first broken row of each chain.

Exit codes: 0 whole, 1 broken or unreadable, 2 wrong usage or configuration.`
