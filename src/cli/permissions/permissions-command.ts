import type { Command } from 'commander'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print, printError } from '../print.ts'
import { addPermissionsEdit } from './permissions-edit.ts'
import { addPermissionsSet, rulesFindings } from './permissions-set.ts'
import { addPermissionsTest } from './permissions-test.ts'
import type { PermissionsView } from './show-permissions.ts'

export function addPermissionsCommand(program: Command, invocation: Invocation): void {
  const permissions = program
    .command('permissions')
    .description("Show, change or test a worker's rules: which calls run, ask or are refused.")
  addShow(permissions, invocation)
  addPermissionsEdit(permissions, invocation)
  addPermissionsSet(permissions, invocation)
  addPermissionsTest(permissions, invocation)
  addPath(permissions, invocation)
}

interface Options {
  readonly worker?: string
}

function addShow(permissions: Command, invocation: Invocation): void {
  permissions
    .command('show')
    .description('Print the rules in force, and whether they are valid.')
    .option('--worker <name>', 'worker whose rules are meant (default: the configured one)')
    .addHelpText('after', showHelp)
    .action(async ({ worker }: Options) => {
      const config = await readConfiguration(invocation)
      const { showPermissions } = await import('./show-permissions.ts')
      const { environment } = invocation
      const view = await showPermissions({ config, environment, signal: interruption() }, worker)
      await print(textOf(view))
      await printError(`${findings(view).join('\n')}\n`)
      if (view.problems.length > 0 || view.failed.length > 0) invocation.exitCode = 1
    })
}

function addPath(permissions: Command, invocation: Invocation): void {
  permissions
    .command('path')
    .description('Print the path of the rules.')
    .option('--worker <name>', 'worker whose rules are meant (default: the configured one)')
    .addHelpText('after', pathHelp)
    .action(async ({ worker }: Options) => {
      const config = await readConfiguration(invocation)
      const { permissionsPath } = await import('../../app/find-rules.ts')
      const { permissionsPlace } = await import('../../app/settings/permissions-place.ts')
      const path = permissionsPath(config, worker)
      if (permissionsPlace(config) === 'file') return await print(`${path}\n`)
      await printError(`no file: ${path}; countersign permissions edit changes them\n`)
      invocation.exitCode = 1
    })
}

function textOf({ text }: PermissionsView): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  return `${lines.map(plainLine).join('\n')}\n`
}

/** Keeps tabs, which people use for indentation. */
function plainLine(line: string): string {
  return line.split('\t').map(plainText).join('\t')
}

function findings(view: PermissionsView): readonly string[] {
  const { path, isThere, unread } = view
  const place = isThere ? path : `${path}, not there yet: these are the defaults`
  const found = rulesFindings(view, path, place)
  if (unread === undefined) return found
  return [...found, `warning: nobody reads ${unread}: the rules are kept in the database`]
}

const showHelp = `
  $ npx countersign permissions show
  $ npx countersign permissions show --worker build

The rules go to standard output, the verdict on them to standard error. The last rule
that matches wins; what no rule matches asks. Rules are read again at every call, so
an edit counts at once. docs/how-to/write-rules.md explains them.

Exit codes: 0 they are understood, 1 they are damaged (then every call asks) or an
example does not hold (then all that is not denied asks), 2 wrong usage or
configuration.`

const pathHelp = `
  $ less "$(npx countersign permissions path)"

Rules that are kept in the database have no path: the command says so, and exits
with 1. countersign permissions edit changes them wherever they are.`
