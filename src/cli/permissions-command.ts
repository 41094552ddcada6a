import type { Command } from 'commander'
import type { PermissionsView } from '../app/show-permissions.ts'
import { type Invocation, readConfiguration } from './invocation.ts'
import { plainText } from './plain-text.ts'
import { print, printError } from './print.ts'

export function addPermissionsCommand(program: Command, invocation: Invocation): void {
  const permissions = program
    .command('permissions')
    .description("A worker's rules: what runs without asking, what asks, what is refused.")
  addShow(permissions, invocation)
  addPath(permissions, invocation)
}

interface Options {
  readonly worker?: string
}

function addShow(permissions: Command, invocation: Invocation): void {
  permissions
    .command('show')
    .description('Print the rules that count now, and whether they can be understood.')
    .option('--worker <name>', 'of this worker (else the configured one)')
    .addHelpText('after', showHelp)
    .action(async ({ worker }: Options) => {
      const config = await readConfiguration(invocation)
      const { showPermissions } = await import('../app/show-permissions.ts')
      const view = await showPermissions(config, worker)
      await print(textOf(view))
      await printError(`${findings(view).join('\n')}\n`)
      if (view.problems.length > 0) invocation.exitCode = 1
    })
}

function addPath(permissions: Command, invocation: Invocation): void {
  permissions
    .command('path')
    .description('Print where the rules are, to edit them.')
    .option('--worker <name>', 'of this worker (else the configured one)')
    .addHelpText('after', '\n  $ $EDITOR "$(npx countersign permissions path)"')
    .action(async ({ worker }: Options) => {
      const config = await readConfiguration(invocation)
      const { permissionsPath } = await import('../app/show-permissions.ts')
      await print(`${permissionsPath(config, worker)}\n`)
    })
}

function textOf({ text }: PermissionsView): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  return `${lines.map(plainLine).join('\n')}\n`
}

/** Tabs stay: people indent with them. */
function plainLine(line: string): string {
  return line.split('\t').map(plainText).join('\t')
}

function findings(view: PermissionsView): readonly string[] {
  const { path, isThere, rules, problems } = view
  if (problems.length > 0) {
    const lines = problems.map(({ line, message }) => `${path}:${line}: ${plainText(message)}`)
    return [...lines, 'damaged: no rule of this file counts, and every call asks']
  }
  const place = isThere ? path : `${path} is not there yet: these are the defaults`
  const off = 'warning: the gate is switched off: these rules allow everything, and nothing asks'
  return [`ok: ${rules} rules, ${place}`, ...(view.allowsEverything ? [off] : [])]
}

const showHelp = `
  $ npx countersign permissions show
  $ npx countersign permissions show --worker build

The rules go to standard output, the verdict on them to standard error. The last rule
that matches wins; what no rule matches asks. Rules are read again at every call, so
an edited file counts at once. docs/permissions.md explains them.

Exit codes: 0 they are understood, 1 they are damaged (then every call asks),
2 wrong usage or configuration.`
