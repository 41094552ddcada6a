import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print, printError } from '../print.ts'

interface RestoreOptions {
  readonly force?: true
  readonly moved?: true
  readonly byColumn?: true
}

export function addRestoreCommand(program: Command, invocation: Invocation): void {
  program
    .command('restore')
    .description('Restore a backup into an empty database and data directory.')
    .argument('<file>', 'what countersign backup wrote; - is standard input')
    .option('--force', 'replace the existing database and files')
    .option('--moved', 'continue running turns, as nothing ran since the backup')
    .option(
      '--by-column',
      'restore the columns that a backup of another line of versions shares with this one',
    )
    .addHelpText('after', help)
    .action(async (file: string, options: RestoreOptions) => {
      const config = await readConfiguration(invocation)
      const { restoreBackup } = await import('./backup/restore-backup.ts')
      const { environment, cwd } = invocation
      await using input = await inputFile(file === '-' ? config.dataDir : undefined)
      const restored = await restoreBackup({
        config,
        environment,
        file: input.path ?? resolve(cwd, file),
        force: options.force === true,
        isMoved: options.moved === true,
        byColumn: options.byColumn === true,
      })
      const { madeAt, stoppedTurns, auditRows, broken, notes } = restored
      for (const note of notes) await printError(`${plainText(note)}\n`)
      for (const line of broken) await printError(`the audit is broken: ${plainText(line)}\n`)
      const isWhole = auditRows !== undefined && broken.length === 0
      const audit = isWhole ? `${auditRows} rows of the audit hold together` : 'see above'
      await print(`restored the backup of ${madeAt}: ${stoppedTurns} turns stopped, ${audit}\n`)
      if (!isWhole) invocation.exitCode = 1
    })
}

/** Copies standard input to a file in the data directory, since it is read twice. */
async function inputFile(
  dataDir: string | undefined,
): Promise<AsyncDisposable & { readonly path?: string }> {
  if (dataDir === undefined) return { [Symbol.asyncDispose]: async () => undefined }
  const path = join(dataDir, 'restore-input.tar.gz')
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await rm(path, { force: true })
  await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) }
}

const help = `
  $ npx countersign restore countersign-2026-11-25T120000.000Z.tar.gz

Stop everything first. The backup is read to its end before anything is changed; one that is
damaged, or of a newer version, is refused. An older one is brought to this version. It is all
or nothing: rows come in one transaction, files lie beside those they replace until it commits.
Broken off before that, everything is as it was; broken off while files are renamed, nothing
starts, and no command works, until the same restore is run again.

--force replaces the rows, keys, workspaces, snapshots and rules that are there. Workspaces that
were named by --workspace come into named-workspaces/ in the data directory, never to where they
were.

What was under way when the backup was made may have been done since. So nothing of it is
done again: turns that worked are stopped, calls that ran count as interrupted, approved ones
do not run, messages on their way are not sent, and people are told. Questions that waited
for an answer still wait where nothing else of their turn was under way.
With --moved all of it goes on: only for a backup that was made while nothing ran, when
nothing ran since.

Exit codes: 0 restored, 1 it failed, or the chain of the audit is broken or could not be
verified, 2 wrong usage or configuration.`
