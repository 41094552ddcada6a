import { behindRunners } from '../plain-wrappers.ts'

/** Programs that only look at the files which they are given, with the word that has some of them do so. */
const linters: Readonly<Record<string, RegExp | undefined>> = {
  ...Object.fromEntries(
    'shellcheck markdownlint markdownlint-cli2 yamllint hadolint flake8 pylint mypy cspell vale stylelint eslint jest mocha pytest'
      .split(' ')
      .map((name) => [name, undefined]),
  ),
  prettier: /^(?:-c|-l|--check|--list-different)$/,
  black: /^--check$/,
  isort: /^(?:-c|--check(?:-only)?)$/,
  ruff: /^check$/,
  biome: /^(?:lint|check|ci)$/,
  rustfmt: /^--check$/,
  // These run the tests that they are given.
  vitest: /^(?:run|related)$/,
}
/** Options by which they say more or less, and stop sooner or later. */
const harmless =
  /^(?:-[qvx]|--(?:quiet|run|strict|diff|no-progress|no-summary|no-error-on-unmatched-pattern|no-warn-ignored|ignore-missing-imports|(?:max-warnings|max-line-length|line-length)=\d+|max-warnings|severity=\w+|minAlertLevel=\w+|color|no-color))$/

/** Whether a command, also behind `npx`, only looks at further files that it may be given. */
export function onlyLints(words: readonly string[]): boolean {
  const [program = '', ...rest] = behindRunners(words)
  if (!Object.hasOwn(linters, program)) return false
  const needed = linters[program]
  const isVerb = /^(?:ruff|biome|vitest)$/.test(program)
  const isNeeded = (word: string, at: number): boolean =>
    needed?.test(word) === true && (!isVerb || at === 0)
  const isPlain = rest.every(
    (word, at) =>
      isNeeded(word, at) ||
      (harmless.test(word) && !(word === '--max-warnings' && !/^\d+$/.test(rest[at + 1] ?? ''))) ||
      (/^\d+$/.test(word) && rest[at - 1] === '--max-warnings') ||
      word === '{}',
  )
  return isPlain && (needed === undefined || rest.some(isNeeded))
}

/** Whether a command is one of these with the files that its words name. */
export function lintsNamed([program = '', ...rest]: readonly string[]): boolean {
  return onlyLints([program, ...rest.filter((word) => !isFile(word))])
}

function isFile(word: string): boolean {
  return /^(?!-)[\w./*-]+$/.test(word) && /[./]/.test(word)
}
