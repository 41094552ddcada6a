import { flagArgument, numberArgument, optionalText, textArgument } from '../arguments.ts'
import type { Call } from '../call.ts'

const defaultResults = 100

/** What `grep` was asked for, within its bounds. */
export interface Query {
  readonly pattern: string
  readonly caseSensitive: boolean
  readonly glob: string | undefined
  readonly maxResults: number
  readonly context: number
}

export function readQuery(call: Call): Query {
  const { request } = call
  const maxResults = numberArgument(request, 'max_results') ?? defaultResults
  return {
    pattern: textArgument(request, 'pattern'),
    caseSensitive: flagArgument(request, 'case_sensitive') ?? true,
    glob: optionalText(request, 'glob'),
    maxResults: Math.max(1, Math.min(maxResults, 10_000)),
    context: Math.min(numberArgument(request, 'context') ?? 0, 50),
  }
}
