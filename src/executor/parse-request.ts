import type { ExecutorRequest } from '../domain/tool/executor-protocol.ts'
import type { FileRules } from '../domain/tool/file-rules.ts'
import type { CallRequest } from './call.ts'

export type ParsedRequest =
  | { readonly kind: 'request'; readonly request: ExecutorRequest }
  /** A request that gets an answer but is not carried out. */
  | { readonly kind: 'refused'; readonly id: string; readonly why: string }
  | { readonly kind: 'garbage' }

const largestTimeoutMs = 2_147_483_647

/** Parses one line of standard input. Invalid lines are classified and never throw. */
export function parseRequest(line: string): ParsedRequest {
  const value = parseObject(line)
  const id = value?.['id']
  if (value === undefined || typeof id !== 'string' || id === '' || id.length > 256) {
    return { kind: 'garbage' }
  }
  if (value['type'] === 'cancel') return { kind: 'request', request: { type: 'cancel', id } }
  if (value['type'] !== 'call') return { kind: 'garbage' }
  const fault = findFault(value)
  if (fault !== undefined)
    return { kind: 'refused', id, why: `The request's ${fault} is not valid` }
  return { kind: 'request', request: toCall(id, value) }
}

type Fields = Readonly<Record<string, unknown>>

function parseObject(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const checks: Readonly<
  Record<keyof Omit<CallRequest, 'type' | 'id'>, (value: unknown) => boolean>
> = {
  tool: (value) => typeof value === 'string',
  arguments: isFields,
  rules: isFileRules,
  judged: isTexts,
  timeoutMs: (value) => isCount(value) && value > 0 && value <= largestTimeoutMs,
  maxStreamBytes: isCount,
  maxDiagnostics: isCount,
  baseSha256: (value) => value === undefined || (typeof value === 'string' && value.length === 64),
  programs: (value) => value === undefined || isTexts(value),
  listings: (value) => value === undefined || (Array.isArray(value) && value.every(isListing)),
  written: (value) => value === undefined || (Array.isArray(value) && value.every(isWritten)),
  cache: isCache,
  content: (value) => value === undefined || typeof value === 'string',
  preview: (value) => value === undefined || typeof value === 'boolean',
  env: (value) => isFields(value) && isTexts(Object.values(value)),
}

function findFault(value: Fields): string | undefined {
  return Object.entries(checks).find(([name, isValid]) => !isValid(value[name]))?.[0]
}

function toCall(id: string, value: Fields): CallRequest {
  // Every field was checked by `findFault`; unknown fields are dropped.
  const known = Object.keys(checks).filter((name) => value[name] !== undefined)
  const fields = Object.fromEntries(known.map((name) => [name, value[name]]))
  return { type: 'call', id, ...fields } as CallRequest
}

function isListing(value: unknown): boolean {
  if (!isFields(value)) return false
  const flags = [value['isNul'], value['mayWrite']]
  return (
    isTexts([value['directory'], value['text'], value['into'] ?? '']) &&
    flags.every((flag) => flag === undefined || flag === true)
  )
}

function isWritten(value: unknown): boolean {
  return isFields(value) && typeof value['path'] === 'string' && isTexts(value['from'] ?? [])
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isCache(value: unknown): boolean {
  if (value === undefined) return true
  return isFields(value) && (value['known'] === undefined || typeof value['known'] === 'string')
}

function isFileRules(value: unknown): value is FileRules {
  if (!isFields(value)) return false
  const { workspace, allowed, denyRead, allowRead, denyByRule, masked } = value
  const lists = [allowed, denyRead, allowRead, denyByRule, masked]
  return typeof workspace === 'string' && workspace.startsWith('/') && lists.every(isTexts)
}
