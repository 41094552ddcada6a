import { behindRunners } from '../plain-wrappers.ts'
import { codeOption } from './code-options.ts'

/** Programs that only look at the files which they are given, unless an option has them write. */
const linters: Readonly<Record<string, RegExp | undefined>> = {
  ...Object.fromEntries(
    'shellcheck markdownlint markdownlint-cli2 yamllint hadolint flake8 pylint mypy cspell vale stylelint eslint identify'
      .split(' ')
      .map((name) => [name, undefined]),
  ),
  prettier: /^(?:-c|-l|--check|--list-different)$/,
  black: /^--check$/,
  isort: /^(?:-c|--check(?:-only)?)$/,
  ruff: /^check$/,
  biome: /^(?:lint|check|ci)$/,
  rustfmt: /^--check$/,
}
const linterWrites =
  /^--(?:fix|write|out|apply|unsafe|init|cache|add-noqa|stdin|report|config|print-config|suppress)|^-[a-zA-Z]*[ow]/

/** Whether a command, also behind `npx`, only looks at further files that it may be given. */
export function onlyLints(words: readonly string[]): boolean {
  const [program = '', ...rest] = behindRunners(words)
  if (!Object.hasOwn(linters, program) || rest.some((word) => linterWrites.test(word))) return false
  const needed = linters[program]
  return (
    codeOption(program, [program, ...rest]) === undefined &&
    (needed === undefined || rest.some((word) => needed.test(word)))
  )
}
