import { unwrapped } from '../plain-wrappers.ts'

/** The first words after a tool's name with which it builds, checks, tests or shows the project of its directory. */
const verbs: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    'npm pnpm yarn bun'
      .split(' ')
      .map((name) => [
        name,
        /^(?:run(?:-script)?|test|t|ci|install|i|build|lint|typecheck|check|start|outdated|audit|ls|list|why)$/,
      ]),
  ),
  npx: /^(?:tsc|eslint|vitest|jest)$/,
  cargo: /^(?:build|check|test|clippy|fmt|doc|tree|update|fetch|nextest)$/,
  go: /^(?:build|vet|test|fmt|list|mod|generate)$/,
  git: /^(?:status|log|diff|show|pull|fetch|branch|rev-parse|describe|remote|tag|ls-files|shortlog)$/,
  make: /^[a-z][\w-]*$/,
  uv: /^(?:sync|lock|tree)$/,
  poetry: /^(?:install|check|show|lock)$/,
  terraform: /^(?:init|validate|fmt|plan|show|output|providers)$/,
  tofu: /^(?:init|validate|fmt|plan|show|output|providers)$/,
  helm: /^(?:lint|template|dependency|dep)$/,
  mvn: /^(?:test|verify|compile|package|-q|-B)$/,
  gradle: /^(?:test|build|check|assemble)$/,
  dotnet: /^(?:build|test|restore|format|list)$/,
  mix: /^(?:test|compile|format|deps\.get)$/,
  composer: /^(?:validate|install|show|outdated)$/,
  tsc: /^(?:--noEmit|-b|--build|-p)$/,
  pytest: /^(?:-[qxv]+|tests?)$/,
}

/** Words that name neither a place above the directory nor a file to write. */
const plainWord = /^(?!-o|--?out|-C|--prefix|--cwd|--dir|--root|--target)[\w@.:,=+/-]+$/

/**
 * SHELL-12: whether a command only runs a tool of the project in its directory, whatever the directory is called: none of its words
 * names a file which it writes.
 */
export function onlyBuilds(wrapped: readonly string[]): boolean {
  const words = unwrapped(wrapped)
  const [program = '', first, ...rest] = words
  if (first === undefined) return /^(?:make|pytest|tsc|eslint|jest|yarn)$/.test(program)
  const known = Object.hasOwn(verbs, program) ? verbs[program] : undefined
  return known?.test(first) === true && rest.every(isPlain)
}

function isPlain(word: string): boolean {
  return plainWord.test(word) && !/(?:^|[=:,/])(?:\.\.(?:\/|$)|\/)/.test(word)
}
