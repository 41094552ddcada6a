import { opensNothing } from '../programs/programs.ts'
import { mayDecideByName } from './option-parts.ts'
import { type Guard, guards, isDeciding } from './wide-guards.ts'
import { readingCommands, readingPrograms } from './wide-reads.ts'

/** Programs that create or test, and remove nothing. */
const changingPrograms: readonly string[] = [
  'mkdir touch tsc eslint stylelint oxlint jest vitest pytest unittest compileall mocha ava rspec phpunit rubocop markdownlint',
]

/** Commands that do one kind of thing regardless of further words, except for the guards in `wide-guards.ts`. */
const changingCommands: Readonly<Record<string, string>> = {
  git: 'add commit push pull fetch merge switch',
  'git checkout': '-b',
  'git restore': '--staged',
  'git remote': 'add',
  npm: 'test t start',
  pnpm: 'test start',
  yarn: 'test start',
  bun: 'test',
  docker: 'build',
  'docker compose': 'up build',
  'docker-compose': 'up build',
  'podman compose': 'up build',
  cargo: 'build b test t check c clippy bench doc',
  'cargo nextest': 'run',
  go: 'build test fmt',
  dotnet: 'build test',
  mvn: 'test compile verify package',
  gradle: 'test build check assemble',
  cabal: 'build test',
  stack: 'build test',
  dune: 'build test',
  mix: 'test compile',
  rails: 'test',
  flutter: 'test',
  dart: 'test',
  ng: 'test',
  nx: 'test lint build',
  playwright: 'test',
  cypress: 'run',
  meson: 'test',
}

/** Programs and commands whose next word names a script or target of the workspace, which the pattern keeps. */
export const runsByName: readonly string[] = [
  'npm run',
  'npm run-script',
  'pnpm run',
  'yarn run',
  'bun run',
  'turbo run',
  'lerna run',
  'make',
  'gmake',
]

/** The kind of command that a wildcard pattern may cover. */
export interface WideCommand {
  /** The words that identify the action, kept in the pattern. */
  readonly head: string
  /** No further words follow. */
  readonly isAlone: boolean
  readonly kind: 'reads' | 'changes'
}

const longest = 4
/** For commands with more words no pattern is made, to bound the time. */
const mostWords = 200

/** All heads that a wildcard may follow. */
export const wideHeads: ReadonlyMap<string, WideCommand['kind']> = new Map([
  ...names(readingPrograms, 'reads'),
  ...names(changingPrograms, 'changes'),
  ...below(readingCommands, 'reads'),
  ...below(changingCommands, 'changes'),
])

const byName: ReadonlySet<string> = new Set(runsByName)

/**
 * SHELL-10: the part of a command that a wildcard pattern may keep; undefined: only the whole command can be granted, because no
 * table lists its action or a further word changes it.
 */
export function wideCommand(words: readonly string[]): WideCommand | undefined {
  const found = headOf(words)
  if (found === undefined) return undefined
  const { kind, length } = found
  const rest = words.slice(length)
  const head = words.slice(0, length).join(' ')
  return isHeldBack(words, rest, kind) ? undefined : { head, kind, isAlone: rest.length === 0 }
}

/** The number of words that identify the action, if a table lists it. */
export function headOf(
  words: readonly string[],
): { readonly kind: WideCommand['kind']; readonly length: number } | undefined {
  for (let length = Math.min(longest, words.length); length > 0; length -= 1) {
    const head = words.slice(0, length).join(' ')
    const kind = wideHeads.get(head) ?? kindByName(words, length) ?? kindByVerb(head)
    if (kind !== undefined) return { kind, length }
  }
  return undefined
}

function kindByName(words: readonly string[], length: number): 'changes' | undefined {
  const isNamed = byName.has(words.slice(0, length - 1).join(' '))
  return isNamed && /^\w[\w:-]*$/.test(words[length - 1] ?? '') ? 'changes' : undefined
}

/** AWS commands that only read in every service, by their names. */
function kindByVerb(head: string): 'reads' | undefined {
  return /^aws [a-z][a-z0-9-]* (?:describe|list)-[a-z0-9-]+$/.test(head) ? 'reads' : undefined
}

function isHeldBack(
  words: readonly string[],
  rest: readonly string[],
  kind: WideCommand['kind'],
): boolean {
  const [program = ''] = words
  if (rest.length > mostWords) return true
  if (opensNothing.has(program)) return false
  if (rest.some((word) => isDeciding(program, word, kind === 'changes'))) return true
  if (rest.some((word) => mayDecideByName(program, word))) return true
  return Array.from({ length: longest }, (_, at) => words.slice(0, at + 1).join(' '))
    .flatMap((head) => (Object.hasOwn(guards, head) ? (guards[head] ?? []) : []))
    .some((guard) => holdsBack(guard, rest))
}

function holdsBack({ deny, options, operands, first }: Guard, rest: readonly string[]): boolean {
  const given = rest.filter((word) => word.startsWith('-'))
  const others = rest.filter((word) => !word.startsWith('-'))
  if (deny !== undefined && rest.some((word) => deny.test(word))) return true
  if (options !== undefined && given.some((word) => !options.test(word))) return true
  if (operands !== undefined && others.some((word) => !operands.test(word))) return true
  return first !== undefined && others.length > 0 && !first.test(others[0] ?? '')
}

function names(
  lines: readonly string[],
  kind: WideCommand['kind'],
): [string, WideCommand['kind']][] {
  return lines.flatMap((line) => line.split(' ').map((name): [string, typeof kind] => [name, kind]))
}

function below(
  table: Readonly<Record<string, string>>,
  kind: WideCommand['kind'],
): [string, WideCommand['kind']][] {
  return Object.entries(table).flatMap(([before, words]) =>
    words.split(' ').map((word): [string, typeof kind] => [`${before} ${word}`, kind]),
  )
}
