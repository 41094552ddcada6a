import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AuditVerification } from '../../app/audit/verify-audit.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { oneLineJson, plainText, print, printError } from '../print.ts'

export function addAuditVerifyCommand(audit: Command, invocation: Invocation): void {
  audit
    .command('verify')
    .description('Verify that no row of the audit was changed, removed or inserted.')
    .option('--since-checkpoint <file>', 'also compare with checkpoints saved elsewhere')
    .option('--json', 'findings as one JSON object')
    .addHelpText('after', help)
    .action(async (_options: unknown, command: Command) => {
      const { sinceCheckpoint, json } = command.optsWithGlobals<VerifyOptions>()
      const config = await readConfiguration(invocation)
      const { verifyAudit } = await import('../../app/audit/verify-audit.ts')
      const { environment, cwd } = invocation
      const verification = await verifyAudit({
        config,
        environment,
        signal: interruption(),
        ...(sinceCheckpoint !== undefined && { checkpointFile: resolve(cwd, sinceCheckpoint) }),
      })
      const isWhole = verification.broken.length === 0
      if (json === true) await print(`${oneLineJson({ ok: isWhole, ...verification })}\n`)
      else await report(verification)
      invocation.exitCode = isWhole ? 0 : 1
    })
}

interface VerifyOptions {
  readonly sinceCheckpoint?: string
  /** `audit` has this option too and takes it at any position. */
  readonly json?: true
}

async function report(verification: AuditVerification): Promise<void> {
  const { rows, chains, checkpoints, cuts, broken, unknownKeys } = verification
  if (unknownKeys.length > 0) {
    const keys = unknownKeys.map(plainText).join(', ')
    await printError(
      `warning: checkpoints signed by ${keys} could not be checked: add the public key to COUNTERSIGN_VERIFY_KEYS_FILE\n`,
    )
  }
  if (broken.length === 0) {
    const dropped = cuts === 0 ? '' : `, ${cuts} months dropped`
    return await print(
      `ok: ${rows} rows in ${chains} chains, ${checkpoints} checkpoints${dropped}\n`,
    )
  }
  const lines = broken.map(({ chain, seq, why }) => {
    return `broken: chain ${plainText(chain)}, row ${seq}: ${plainText(why)}\n`
  })
  await print(lines.join(''))
}

const help = `
  $ npx countersign audit verify
  $ npx countersign audit verify --since-checkpoint /backup/countersign.log

Every row is tied to the one before it by a hash, a chain a session. The ends of the
chains are signed every minute, and written to countersign.log too. Keep copies of
that file elsewhere: who can change the whole database could also write a new history,
and only a checkpoint saved outside shows it. FILE holds such checkpoints, one a line;
other lines of a log are passed by. With --json: {ok, rows, chains, checkpoints, cuts,
broken: [{chain, seq, why}], unknownKeys}.

It prints "ok: N rows in M chains, K checkpoints", or the first broken row of each chain.

Exit codes: 0 whole, 1 broken or unreadable, 2 wrong usage or configuration.`
