import type { Command } from 'commander'
import { CommandError } from '../domain/command-error.ts'
import { print } from './print.ts'

interface Options {
  readonly markdown?: true
}

/** DOC-03: `countersign errors` explains error codes. */
export function addErrorsCommand(program: Command): void {
  program
    .command('errors')
    .description('Explain the code of an error, or list all codes.')
    .argument('[code]', 'a code such as CONFIG_INVALID')
    .option('--markdown', 'all codes, also of tools, models and the API, as a markdown page')
    .addHelpText('after', help)
    .action(async (code: string | undefined, { markdown }: Options) => {
      const { errorReference } = await import('./error-reference.ts')
      await print(markdown === true ? errorReference() : await explain(code))
    })
}

async function explain(code: string | undefined): Promise<string> {
  const { errorEntries } = await import('./error-reference.ts')
  const wanted = code?.toUpperCase().replace(/^ERROR\[(.*)\]:?$/, '$1')
  const found = errorEntries().filter(([name]) => wanted === undefined || name === wanted)
  if (found.length === 0) {
    throw new CommandError(
      `there is no code ${JSON.stringify(code)}: countersign errors lists them`,
      { code: 'UNKNOWN_NAME' },
    )
  }
  const parts = found.map(
    ([name, { meaning, remedy, exitCode }]) =>
      `${name} (exit code ${exitCode})\n  ${meaning}\n  → ${remedy}\n`,
  )
  return parts.join('\n')
}

const help = `
  $ npx countersign errors CONFIG_INVALID
  $ npx countersign errors --markdown > docs/reference/errors.md

Exit codes: 0 explained, 2 no such code.`
