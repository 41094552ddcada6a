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
}

const retryable: ReadonlySet<ToolErrorCategory> = new Set([
  'rate_limited',
  'server_error',
  'network_error',
  'timeout',
])

const quality: ReadonlySet<ToolErrorCategory> = new Set([
  'tool_not_found',
  'invalid_parameters',
  'type_mismatch',
])

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
export function isQualityFailure(category: ToolErrorCategory): boolean {
  return quality.has(category)
}

/** ERR-02: the block a model gets instead of a result, five lines in a fixed order. */
export function formatToolError(error: ToolError): string {
  return [
    '[tool_error]',
    `category: ${error.category}`,
    `error: ${error.message.replaceAll(/\s*[\n\r\u2028\u2029]\s*/g, ' ⏎ ')}`,
    `suggestion: ${suggestions[error.category]}`,
    `retryable: ${isRetryable(error.category)}`,
  ].join('\n')
}
