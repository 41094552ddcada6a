/** ERR-01: the eleven error categories of tool calls, with stable labels. */
export const toolErrorCategories = [
  'tool_not_found',
  'invalid_parameters',
  'type_mismatch',
  'policy_blocked',
  'confirmation_required',
  'permanent_failure',
  'cancelled',
  'rate_limited',
  'server_error',
  'network_error',
  'timeout',
] as const

/** Error category as models, the audit and metrics name it. */
export type ToolErrorCategory = (typeof toolErrorCategories)[number]

/** Failure of a tool call. `message` is one line for the model, without secrets. */
export interface ToolError {
  readonly category: ToolErrorCategory
  readonly message: string
  /** One line of advice that replaces the category's own. */
  readonly suggestion?: string | undefined
}

const retryable: ReadonlySet<ToolErrorCategory> = new Set([
  'rate_limited',
  'server_error',
  'network_error',
  'timeout',
])

/** Categories caused by the model's call itself (ERR-01). */
export const qualityFailures = ['tool_not_found', 'invalid_parameters', 'type_mismatch'] as const

const qualityLabels: ReadonlySet<string> = new Set(qualityFailures)

/** Advice to the model for each category; a call may replace it by its own. */
export const suggestions: Readonly<Record<ToolErrorCategory, string>> = {
  tool_not_found: 'Use one of the tools listed in the system prompt.',
  invalid_parameters: 'Review the tool schema and provide correct parameters.',
  type_mismatch: 'Check the type of each parameter against the tool schema.',
  policy_blocked: 'This is forbidden here. Do not try it again in another form; tell the person.',
  confirmation_required: 'No person could be asked for confirmation. Ask the person to start it.',
  permanent_failure: 'Trying the same call again will not help. Change the approach.',
  cancelled: 'The operation was stopped. Go on only if the person asks for it.',
  rate_limited: 'Rate limit exceeded. The system will retry if possible.',
  server_error: 'The other side failed. The system will retry if possible.',
  network_error: 'The network failed. The system will retry if possible.',
  timeout: 'It took too long. Try a smaller piece of work or a longer timeout.',
}

/** True if the system may retry calls that failed with this category. */
export function isRetryable(category: ToolErrorCategory): boolean {
  return retryable.has(category)
}

/** True if the failure was caused by the model's call rather than by the environment. */
export function isQualityFailure(category: string): boolean {
  return qualityLabels.has(category)
}

/** Optional parts of an error block. */
export interface ToolErrorExtras {
  /** Number of executions, for tools that the system retries (ERR-03). */
  readonly tries?: number | undefined
  /** One labelled line that helps the model to correct the call (ERR-04): `schema: {…}`, `nearest: read, grep`. */
  readonly hint?: string | undefined
}

/** ERR-02: formats the block that a model gets instead of a result: five lines in a fixed order, and the hint as a sixth. */
export function formatToolError(error: ToolError, { tries, hint }: ToolErrorExtras = {}): string {
  const { category, message, suggestion = suggestions[category] } = error
  return [
    '[tool_error]',
    `category: ${category}`,
    `error: ${inOneLine(message)}`,
    `suggestion: ${suggestion}${isRetryable(category) ? describeTries(tries) : ''}`,
    `retryable: ${isRetryable(category)}`,
    ...(hint === undefined ? [] : [inOneLine(hint)]),
  ].join('\n')
}

/**
 * Extracts the error sentence for people from a block made by `formatToolError`, with the output below it. Returns
 * any other text unchanged.
 */
export function errorSentence(result: string): string {
  const [block = '', ...below] = result.split('\n\n')
  const message = /^\[tool_error\]\ncategory: .*\nerror: (.*)$/m.exec(block)?.[1]
  return message === undefined ? result : [`${message.replace(/\.$/, '')}.`, ...below].join('\n\n')
}

function inOneLine(text: string): string {
  const lines = text.split(/[\n\r\u2028\u2029]/)
  if (lines.length === 1) return text
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ⏎ ')
}

function describeTries(tries: number | undefined): string {
  if (tries === undefined) return ''
  return tries === 1 ? ' It was tried once.' : ` It was tried ${tries} times.`
}
