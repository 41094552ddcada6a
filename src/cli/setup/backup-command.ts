import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print, printError } from '../print.ts'
import { packageVersion } from '../version-command.ts'

export function addBackupCommand(program: Command, invocation: Invocation): void {
  program
    .command('backup')
    .description('Save database, keys, rules and workspaces in one file.')
    .argument('[file]', 'where to; - is standard output (default: countersign-<time>.tar.gz)')
    .option('--named-workspaces', 'include workspaces named by --workspace or by the configuration')
    .addHelpText('after', help)
    .action(async (given: string | undefined, options: { readonly namedWorkspaces?: true }) => {
      const file = given ?? `countersign-${new Date().toISOString().replaceAll(':', '')}.tar.gz`
      const config = await readConfiguration(invocation)
      const { makeBackup } = await import('./backup/make-backup.ts')
      const { environment, cwd } = invocation
      const place = file === '-' ? file : resolve(cwd, file)
      const version = packageVersion()
      const withNamed = options.namedWorkspaces === true
      const made = await makeBackup({ config, environment, file: place, version, withNamed })
      for (const { path, included } of made.namedWorkspaces)
        await printError(`${plainText(workspaceLine(path, included, withNamed))}\n`)
      for (const line of made.leftOut) await printError(`not in the backup: ${plainText(line)}\n`)
      const words = `${made.rows} rows and ${made.files} files in ${file}. It holds keys and conversations: keep it secret.\n`
      await (file === '-' ? printError : print)(words)
      if (made.leftOut.length > 0) invocation.exitCode = 1
    })
}

function workspaceLine(path: string, included: string | undefined, isWanted: boolean): string {
  if (included !== undefined) return `included: the workspace ${path}`
  const why = isWanted ? 'it is not there' : '--named-workspaces includes it'
  return `not included: the workspace ${path} (${why})`
}

const help = `
  $ npx countersign backup                     while the product runs, or while it does not
  $ npx countersign backup - | age -r … > countersign.tar.gz.age

The database is read as it is at one moment, then the signing key and verify-keys.pem, the
workers' rules, workspaces, snapshots for /undo, and the journals. A directory that
start --workspace or [worker] workspace named is your own: each one that was ever served from
this data directory is listed, and --named-workspaces includes it. Not in the backup: the
configuration, the log, passwords and tokens, and what waits in Redis.

The file is a tar (tar -xzf) of JSON lines and plain files, with mode 0600. It is there only
once it is whole; restore reads it. It may not lie in [worker] workspace or another place that
commands or file tools reach.

Exit codes: 0 made, 1 it failed, or files are not in it (each is named), 2 wrong usage or
configuration.`
