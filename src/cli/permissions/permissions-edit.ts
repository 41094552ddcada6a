import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { Environment } from '../../config/env.ts'
import { CommandError } from '../../domain/command-error.ts'
import { runCommand } from '../../util/run-command.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print, printError } from '../print.ts'
import type { ChangeInput, RulesToChange } from './change-rules.ts'
import { describeSaved, rulesFindings } from './permissions-set.ts'

interface Options {
  readonly worker?: string
  readonly force?: boolean
}

export function addPermissionsEdit(permissions: Command, invocation: Invocation): void {
  permissions
    .command('edit')
    .description('Edit the rules with $VISUAL or $EDITOR; they are checked before they are saved.')
    .option('--worker <name>', 'worker whose rules are meant (default: the configured one)')
    .option('--force', 'save even if rules are invalid or examples fail')
    .addHelpText('after', help)
    .action(async ({ worker, force }: Options) => {
      if (!(process.stdin.isTTY && process.stdout.isTTY))
        throw new CommandError(noTerminal, { code: 'NO_TERMINAL' })
      const config = await readConfiguration(invocation)
      const { environment } = invocation
      const signal = interruption()
      const input = { config, environment, signal, worker: worker ?? config.worker.name }
      await editRules(input, force === true)
    })
}

const noTerminal =
  'an editor needs a terminal: countersign permissions set < file takes rules from elsewhere'

async function editRules(input: ChangeInput, force: boolean): Promise<void> {
  const { loadRules, saveRules } = await import('./change-rules.ts')
  const before = await loadRules(input)
  const copy = await makeCopy(before.text)
  const edited = await editUntilValid(input.environment, copy, before, force).catch((error) => {
    throw withCopy(error, copy)
  })
  if (edited === undefined || edited === before.text) {
    await removeCopy(copy)
    return await print('nothing was changed\n')
  }
  const isSaved = await saveRules(input, before, edited).catch((error: unknown) => {
    throw withCopy(error, copy)
  })
  if (!isSaved) throw withCopy(new CommandError(overtaken, { code: 'RULES_CHANGED' }), copy)
  await removeCopy(copy)
  await print(await describeSaved(before.path, before.text, edited))
}

const overtaken = 'somebody else changed the rules meanwhile, and they stay as they are now'

/** Adds the path of the copy to an error, so that the edited text is not lost. */
function withCopy(error: unknown, copy: string): CommandError {
  const why = error instanceof Error ? error.message : String(error)
  const code = error instanceof CommandError ? error.code : 'RULES_NOT_SAVED'
  return new CommandError(`${why}; your text is in ${copy}`, { code, cause: error })
}

/** Writes the text into a private temporary directory. */
async function makeCopy(text: string): Promise<string> {
  const copy = join(await mkdtemp(join(tmpdir(), 'countersign-edit-')), 'permissions.jsonc')
  await writeFile(copy, text, { mode: 0o600, flag: 'wx' })
  return copy
}

async function removeCopy(copy: string): Promise<void> {
  await rm(dirname(copy), { recursive: true, force: true })
}

/** Runs the editor until the text is valid; undefined if it was discarded or not changed. */
async function editUntilValid(
  environment: Environment,
  copy: string,
  before: RulesToChange,
  force: boolean,
): Promise<string | undefined> {
  const { checkRules } = await import('../../rules/gate/permissions/check-rules.ts')
  for (;;) {
    await runEditor(environment, copy)
    const text = await readFile(copy, 'utf8')
    if (text === before.text) return undefined
    const checked = checkRules(text)
    await printError(`${rulesFindings(checked, copy, 'as you wrote them').join('\n')}\n`)
    const isDamaged = checked.problems.length > 0
    if (!isDamaged && checked.failed.length === 0) return text
    const answer = await askNextStep(force || !isDamaged)
    if (answer === 'save') return text
    if (answer === 'discard') return undefined
  }
}

type Answer = 'edit' | 'save' | 'discard'

async function askNextStep(maySave: boolean): Promise<Answer> {
  const answers: readonly Answer[] = maySave ? ['edit', 'save', 'discard'] : ['edit', 'discard']
  const asked = createInterface({ input: process.stdin, output: process.stdout })
  try {
    for (;;) {
      const line = await Promise.race([
        asked.question(
          `${answers.map((answer) => `(${answer[0]})${answer.slice(1)}`).join(', ')}? `,
        ),
        once(asked, 'close').then(() => undefined),
      ])
      if (line === undefined)
        throw new CommandError('nothing was saved', { code: 'RULES_NOT_SAVED' })
      const word = line.trim().toLowerCase()
      const found = answers.find((answer) => word !== '' && answer.startsWith(word))
      if (found !== undefined) return found
    }
  } finally {
    asked.close()
  }
}

/** Runs the editor through a shell, as git does, since the variable may contain options. It gets no credentials of ours. */
async function runEditor(environment: Environment, file: string): Promise<void> {
  const { commandEnvironment } = await import('../../app/settings/command-environment.ts')
  const editor = environment.get('VISUAL') ?? environment.get('EDITOR') ?? 'vi'
  const env = commandEnvironment(['*'], environment)
  const line = ['-c', `${editor} "$1"`, 'sh', file]
  await runCommand('/bin/sh', line, { stdio: 'inherit', env }).catch((cause: unknown) => {
    throw new CommandError(`the editor (${editor}) failed`, { code: 'EDITOR_FAILED', cause })
  })
}

const help = `
  $ npx countersign permissions edit
  $ EDITOR="code --wait" npx countersign permissions edit --worker build

It opens a copy, and checks the copy when the editor ends: every line must be understood,
and every example must hold. Otherwise you can edit on or throw it away; only --force saves
damaged rules. What changed is printed, and recorded in the audit. If somebody
else changed the rules meanwhile, theirs stay, and yours are in a file that it names.

Exit codes: 0 saved, or nothing was changed, 1 not saved, 2 wrong usage or
configuration.`
