/** ERR-01: the eleven categories a failed tool call can have, with their stable labels. */
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

/** One of them, as models, the audit and metrics name it. */
export type ToolErrorCategory = (typeof toolErrorCategories)[number]

/** Why a tool call has no ordinary result. `message` is one line for the model, free of secrets. */
export interface ToolError {
  readonly category: ToolErrorCategory
  readonly message: string
  /** One line of advice, where the category's own would mislead. */
  readonly suggestion?: string | undefined
}

const retryable: ReadonlySet<ToolErrorCategory> = new Set([
  'rate_limited',
  'server_error',
  'network_error',
  'timeout',
])

/** Those that say something about the model's call (ERR-01). */
export const qualityFailures = ['tool_not_found', 'invalid_parameters', 'type_mismatch'] as const

const quality: ReadonlySet<string> = new Set(qualityFailures)

const suggestions: Readonly<Record<ToolErrorCategory, string>> = {
  tool_not_found: 'Use one of the tools listed in the system prompt.',
  invalid_parameters: 'Review the tool schema and provide correct parameters.',
  type_mismatch: 'Check the type of each parameter against the tool schema.',
  policy_blocked: 'This is forbidden here. Do not try it again in another form; tell the person.',
  confirmation_required: 'Nobody could be asked for confirmation. Ask the person to start it.',
  permanent_failure: 'Trying the same call again will not help. Change the approach.',
  cancelled: 'The operation was stopped. Go on only if the person asks for it.',
  rate_limited: 'Rate limit exceeded. The system will retry if possible.',
  server_error: 'The other side failed. The system will retry if possible.',
  network_error: 'The network failed. The system will retry if possible.',
  timeout: 'It took too long. Try a smaller piece of work or a longer timeout.',
}

/** Whether the system, not the model, may try again (a property of the category). */
export function isRetryable(category: ToolErrorCategory): boolean {
  return retryable.has(category)
}

/** Whether the failure says something about the model's call rather than about the world. */
export function isQualityFailure(category: string): boolean {
  return quality.has(category)
}

/** What a block says beside the error. */
export interface ToolErrorMore {
  /** How often the system ran the call, where it tries calls of the tool again (ERR-03). */
  readonly tries?: number | undefined
  /** One line that helps to ask better (ERR-04), with its label: `schema: {…}`, `nearest: read, grep`. */
  readonly hint?: string | undefined
}

/** ERR-02: the block a model gets instead of a result, five lines in a fixed order; a hint is a sixth. */
export function formatToolError(error: ToolError, { tries, hint }: ToolErrorMore = {}): string {
  const { category, message, suggestion = suggestions[category] } = error
  return [
    '[tool_error]',
    `category: ${category}`,
    `error: ${inOneLine(message)}`,
    `suggestion: ${suggestion}${isRetryable(category) ? triedText(tries) : ''}`,
    `retryable: ${isRetryable(category)}`,
    ...(hint === undefined ? [] : [inOneLine(hint)]),
  ].join('\n')
}

/** The sentence of a block that `formatToolError` made, for people, and the output below it. Any other text is answered as it is. */
export function errorWords(result: string): string {
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

function triedText(tries: number | undefined): string {
  if (tries === undefined) return ''
  return tries === 1 ? ' It was tried once.' : ` It was tried ${tries} times.`
}
