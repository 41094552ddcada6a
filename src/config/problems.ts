/** One thing wrong with the configuration. Messages repeat globs and regular expressions, but no other text. */
export interface ConfigProblem {
  /** The file as it was named, or the environment variable. */
  readonly source: string
  /** In a file, from 1. */
  readonly line?: number
  /** The key at fault: `tools.permissions.bash[0].action`. */
  readonly key?: string
  readonly message: string
}

/** All problems, one a line, for a person who wants to mend them. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return [`The configuration has ${count}:`, ...problems.map(formatProblem)].join('\n')
}

function formatProblem({ source, line, key, message }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}`
  return `  ${place}: ${key === undefined ? '' : `${key}: `}${message}`
}
