import { apiErrors } from '../domain/api-errors.ts'
import { type ErrorFacts, errorCodes } from '../domain/error-codes.ts'
import { postgresStates } from '../domain/postgres-states.ts'
import { isRetryable, suggestions, toolErrorCategories } from '../domain/tool/tool-error.ts'
import type { ModelFailureKind } from '../ports/model.ts'

/** Columns after the code in the table of model failures. */
const modelFailures: Readonly<Record<ModelFailureKind, readonly [string, string]>> = {
  refused: [
    'The provider refused the key or the request.',
    'Check `[model]` and its key. The fallback model, where there is one, continues the turn.',
  ],
  too_long: [
    'The prompt is longer than the context window.',
    'Nothing: the conversation is shortened and the call repeated.',
  ],
  rate_limited: [
    'The provider asks to wait.',
    'Nothing: it is tried again within the time of `[model] retry_budget`.',
  ],
  unreachable: [
    'The provider did not answer, or not in time.',
    'Check the network and the address of the provider; it is tried again.',
  ],
  broken: ['The answer cannot be parsed, or is empty.', 'Try again, or choose another model.'],
  aborted: ['The turn was stopped.', 'Nothing.'],
}

/** DOC-03: the reference of all error codes as markdown, the content of `docs/reference/errors.md`. */
export function errorReference(): string {
  const commands = errorEntries().map(([code, facts]) => [
    `\`${code}\``,
    String(facts.exitCode),
    facts.meaning,
    facts.remedy,
  ])
  const states = Object.entries(postgresStates)
    .sort(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([state, code]) => [`\`${state}\``, `\`${code}\``])
  const tools = toolErrorCategories.map((category) => [
    `\`${category}\``,
    isRetryable(category) ? 'yes' : 'no',
    suggestions[category],
  ])
  const models = Object.entries(modelFailures).map(([kind, cells]) => [`\`${kind}\``, ...cells])
  const api = Object.entries(apiErrors).map(([code, { status, meaning }]) => [
    `\`${code}\``,
    String(status),
    meaning,
  ])
  return `${[
    introduction,
    '## Commands and processes',
    `Printed as \`error[CODE]: …\` on standard error. \`countersign errors CODE\` explains one.`,
    table(['code', 'exit code', 'meaning', 'what to do'], commands),
    '### What PostgreSQL reports',
    'The code for each SQLSTATE that PostgreSQL reports; two characters stand for a whole class of them.',
    table(['SQLSTATE', 'code'], states),
    '## Tool calls',
    'The category in the `[tool_error]` block that a model gets, in the audit and in the metrics. [Tools](tools.md#when-a-call-fails) says when each is used.',
    table(['category', 'the system may retry', 'advice to the model'], tools),
    '## Calls of the model',
    'The `outcome` of a model call in the log, the metrics and the traces. The chat gets the reason in words.',
    table(['outcome', 'meaning', 'what to do'], models),
    '## HTTP API',
    'Answers with `{"error": "…", "code": "CODE"}`.',
    table(['code', 'status', 'meaning'], api),
  ].join('\n\n')}\n`
}

const introduction = `<!-- Made from the tables of codes: npx countersign errors --markdown > docs/reference/errors.md -->

# Error codes

Codes are stable, their sentences are not: scripts should read codes.`

/** All codes of commands in alphabetical order. */
export function errorEntries(): readonly (readonly [string, ErrorFacts])[] {
  return Object.entries(errorCodes).sort(([a], [b]) => a.localeCompare(b, 'en'))
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}
