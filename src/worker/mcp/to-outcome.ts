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
import { boundBytes } from '../../rules/output/bound-bytes.ts'
import { nameUnseen } from '../../util/text/name-unseen.ts'
import type { WorkerToolOutcome } from '../worker-tool.ts'

/** Bytes of an answer that are read; the worker's own limit on outputs is usually less. */
const mostBytes = 4 * 1024 * 1024
const longestMessage = 500

/** The text of a server's answer, without characters that nobody sees (MCP-08). An error that the server reports as a result is one for the model to read, as any other. */
export function toOutcome({
  content,
  structuredContent,
  isError,
}: CallToolResult): WorkerToolOutcome {
  const texts = content.map(textOf)
  // Servers that answer with data repeat it as text, for clients that know text alone.
  if (texts.length === 0 && structuredContent !== undefined)
    texts.push(JSON.stringify(structuredContent))
  const output = nameUnseen(boundBytes(texts.join('\n'), mostBytes).text)
  if (isError !== true) return { kind: 'ok', output }
  const message = oneLine(output) || 'the tool reported an error'
  return { kind: 'error', error: { category: 'permanent_failure', message }, output }
}

/** The first line of a text. */
function oneLine(text: string): string {
  return nameUnseen(text.slice(0, longestMessage).split(/[\n\r\u2028\u2029]/u, 1)[0] ?? '')
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
  const said = `${server}: ${oneLine(message)}`
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
