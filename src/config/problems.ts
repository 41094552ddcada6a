/** A problem in the configuration. Messages quote globs and regular expressions, but no other values. */
export interface ConfigProblem {
  /** The file as named by the user, or the environment variable. */
  readonly source: string
  /** Line in the file, from 1. */
  readonly line?: number
  /** The invalid key: `tools.permissions.bash[0].action`. */
  readonly key?: string
  readonly message: string
}

/** Formats the problems for people, one per line. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return [`The configuration has ${count}:`, ...problems.map(formatProblem)].join('\n')
}

function formatProblem({ source, line, key, message }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}`
  return `  ${place}: ${key === undefined ? '' : `${key}: `}${message}`
}
