import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { CommandError } from '../../domain/command-error.ts'
import type { CheckedRules } from '../../rules/gate/permissions/check-rules.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { plainText, print, printError } from '../print.ts'

const off = 'warning: the gate is switched off: these rules allow everything, and nothing asks'

interface Options {
  readonly worker?: string
  readonly force?: boolean
}

export function addPermissionsSet(permissions: Command, invocation: Invocation): void {
  permissions
    .command('set')
    .description('Replace the rules by those of a file or of standard input.')
    .argument('[file]', 'the file with the rules (else standard input)')
    .option('--worker <name>', 'worker whose rules are meant (default: the configured one)')
    .option('--force', 'save even if rules are invalid or examples fail')
    .addHelpText('after', help)
    .action(async (file: string | undefined, options: Options) => {
      await setRules(invocation, file, options)
    })
}

async function setRules(
  invocation: Invocation,
  file: string | undefined,
  { worker, force }: Options,
): Promise<void> {
  const config = await readConfiguration(invocation)
  const text = await readRulesFrom(file)
  const { checkRules } = await import('../../rules/gate/permissions/check-rules.ts')
  const checked = checkRules(text)
  await printError(
    `${rulesFindings(checked, file ?? 'input', file ?? 'from the input').join('\n')}\n`,
  )
  if (checked.problems.length + checked.failed.length > 0 && force !== true) {
    throw new CommandError('nothing was changed; --force saves them all the same', {
      code: 'RULES_NOT_SAVED',
    })
  }
  const { loadRules, saveRules } = await import('./change-rules.ts')
  const { environment } = invocation
  const signal = interruption()
  const input = { config, environment, signal, worker: worker ?? config.worker.name }
  const before = await loadRules(input)
  if (before.text === text) return await print('the same as before: nothing was changed\n')
  if (!(await saveRules(input, before, text))) {
    throw new CommandError('somebody else changed the rules just now: nothing was changed', {
      code: 'RULES_CHANGED',
    })
  }
  await print(await describeSaved(before.path, before.text, text))
}

/** Formats what was changed and where it was saved. */
export async function describeSaved(path: string, before: string, after: string): Promise<string> {
  const { describeChange } = await import('../../rules/gate/permissions/describe-change.ts')
  const lines = describeChange(before, after).map((line) => `  ${plainText(line)}`)
  return `${[...lines, `saved: ${path}; they count from the next call on`].join('\n')}\n`
}

/** Reads rules from a file or standard input. Invalid UTF-8 becomes replacement characters, which rules may not contain. */
export async function readRulesFrom(file: string | undefined): Promise<string> {
  if (file === undefined) return await readAll(process.stdin)
  return readFile(file, 'utf8').catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`the rules cannot be read: ${why}`, {
      code: 'RULES_UNREADABLE',
      cause: error,
    })
  })
}

const help = `
  $ npx countersign permissions set < permissions.jsonc
  $ npx countersign permissions set permissions.jsonc --worker build

The text is checked first, its examples included, and kept as it is, comments and all.
What changes is printed, and recorded in the audit.

Exit codes: 0 saved or the same as before, 1 not saved: the text is damaged, an example
does not hold, or somebody else changed the rules at the same moment, 2 wrong usage or
configuration.`

/** Formats findings on rules, one a line, with the summary last. `path` prefixes the line numbers. */
export function rulesFindings(
  checked: CheckedRules,
  path: string,
  place: string,
): readonly string[] {
  const { problems, failed, notes, rules } = checked
  const findings = [
    ...problems.map((problem) => ({ ...problem, as: '' })),
    ...failed.map((problem) => ({ ...problem, as: 'example: ' })),
    ...notes.map((problem) => ({ ...problem, as: 'warning: ' })),
  ]
  const lines = findings.map(
    ({ line, message, as }) => `${path}:${line}: ${as}${plainText(message)}`,
  )
  if (problems.length > 0) {
    return [...lines, 'damaged: no rule of this text counts, and every call asks']
  }
  if (failed.length > 0) {
    return [...lines, `wrong: ${failedCount(failed.length)}, so that all that is not denied asks`]
  }
  return [...lines, `ok: ${rules} rules, ${place}`, ...(checked.allowsEverything ? [off] : [])]
}

function failedCount(count: number): string {
  return count === 1 ? 'an example does not hold' : `${count} examples do not hold`
}
