import {
  type CallToolResult,
  type ContentBlock,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { mcpErrorCategories } from '../../domain/tool/mcp-error-code.ts'
import type { ToolError } from '../../domain/tool/tool-error.ts'
import type { WorkerToolOutcome } from '../worker-tool.ts'

/** The text of a server's answer. An error that the server reports as a result is one for the model to read, as any other. */
export function toOutcome({
  content,
  structuredContent,
  isError,
}: CallToolResult): WorkerToolOutcome {
  const texts = content.map(textOf)
  // Servers that answer with data repeat it as text, for clients that know text alone.
  if (texts.length === 0 && structuredContent !== undefined)
    texts.push(JSON.stringify(structuredContent))
  const output = texts.join('\n')
  if (isError !== true) return { kind: 'ok', output }
  const message = output.split('\n', 1)[0]?.slice(0, 500) || 'the tool reported an error'
  return { kind: 'error', error: { category: 'permanent_failure', message }, output }
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType}, ${bytesOf(block.data)} bytes: not shown]`
    case 'resource_link':
      return `[resource ${block.uri}: not fetched]`
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource ${block.resource.uri}, ${bytesOf(block.resource.blob)} bytes: not shown]`
    default:
      return '[content of an unknown kind: not shown]'
  }
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4)
}

/** REACH-02, ERR-05: the category of a failed call, and words without the server's own, which may be anything. */
export function toError(server: string, error: unknown): ToolError {
  if (error instanceof UnauthorizedError)
    return { category: mcpErrorCategories.auth_failure, message: `${server} refused the token` }
  if (error instanceof SdkHttpError) return ofStatus(server, error.status)
  if (error instanceof ProtocolError) return ofProtocol(server, error)
  if (error instanceof SdkError) return ofClient(server, error)
  return { category: mcpErrorCategories.transient, message: `${server} cannot be reached` }
}

function ofStatus(server: string, status: number | undefined): ToolError {
  const answered = `${server} answered with status ${status ?? 'unknown'}`
  if (status === 429) return { category: mcpErrorCategories.rate_limited, message: answered }
  if (status === 401 || status === 403)
    return { category: mcpErrorCategories.auth_failure, message: answered }
  if (status === 404) return { category: mcpErrorCategories.not_found, message: answered }
  return { category: mcpErrorCategories.server_error, message: answered }
}

function ofProtocol(server: string, { code, message }: ProtocolError): ToolError {
  const said = `${server}: ${message.slice(0, 500)}`
  if (code === ProtocolErrorCode.InvalidParams)
    return { category: mcpErrorCategories.invalid_input, message: said }
  if (code === ProtocolErrorCode.MethodNotFound)
    return { category: mcpErrorCategories.not_found, message: said }
  return { category: mcpErrorCategories.server_error, message: said }
}

function ofClient(server: string, { code }: SdkError): ToolError {
  if (code === SdkErrorCode.RequestTimeout)
    return { category: 'timeout', message: `${server} did not answer in time` }
  if (code === SdkErrorCode.ConnectionClosed)
    return { category: mcpErrorCategories.server_error, message: `${server} ended during the call` }
  return {
    category: mcpErrorCategories.server_error,
    message: `${server} did not answer as it should`,
  }
}
