import type { ToolRequest, Usage } from '../../../domain/message.ts'
import { type ModelAnswer, ModelError, type ModelRequest } from '../../../ports/model.ts'
import { toStorable } from '../../../util/text/storable.ts'
import type { FinishPart } from '../language-model.ts'
import { joinTexts, type Signer, toSigned } from '../signed-content.ts'
import type { Collected, CollectedPart } from './read-stream.ts'
import { parseTextCalls } from './text-calls.ts'

const maxCalls = 64

/** Higher counts are invalid; the database column has 32 bits. */
const maxTokens = 2 ** 31 - 1

/** Converts a model's output to a storable answer: unique call ids, a bounded batch, text that the database accepts. */
export function toAnswer(
  { parts, finish }: Collected,
  request: Pick<ModelRequest, 'toolChoice' | 'tools'>,
  signer: Signer,
  nativeTools = true,
): ModelAnswer {
  const withIds = uniqueIds(parts)
  const cutAt = cutTokens(finish)
  const inText = nativeTools ? undefined : textCalls(parts, request, cutAt)
  const wanted =
    inText?.calls ??
    withIds.flatMap((part) => (part.kind === 'call' ? [toRequest(part, cutAt)] : []))
  const calls = request.toolChoice === 'none' ? [] : wanted.slice(0, maxCalls)
  const said = toStorable(joinTexts(parts))
  assertNotEmpty(said, wanted, finish)
  const note = [droppedNote(wanted.length, calls.length, request), cutNote(calls, cutAt)]
    .filter(Boolean)
    .join('\n\n')
  const raw = toSigned(signer, withIds, calls.length > 0)
  return {
    text: [said, note].filter(Boolean).join('\n\n'),
    calls,
    usage: toUsage(finish),
    ...(raw === undefined ? {} : { raw }),
    ...(inText === undefined || calls.length === 0
      ? {}
      : { spoken: [...inText.before, inText.remainingText, note].filter(Boolean).join('\n\n') }),
  }
}

/** MODEL-02: only the last text part is searched for calls, because earlier text may quote untrusted content. */
function textCalls(
  parts: readonly CollectedPart[],
  { tools }: Pick<ModelRequest, 'tools'>,
  cutAt: number | undefined,
) {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [toStorable(part.text)] : []))
  const last = texts.at(-1) ?? ''
  return { ...parseTextCalls(last, tools, cutAt), before: texts.slice(0, -1) }
}

function toRequest(
  { id, tool, arguments: args, isCut }: Extract<CollectedPart, { kind: 'call' }>,
  cutAt: number | undefined,
): ToolRequest {
  const cut = isCut === true && cutAt !== undefined ? { cutAt } : {}
  return { id, tool: toStorable(tool), arguments: toStorable(args), ...cut }
}

/**
 * Output tokens of an answer that hit the token limit; 0 if the provider gave no count; undefined if the answer ended normally.
 */
function cutTokens(finish: FinishPart): number | undefined {
  return finish.finishReason.unified === 'length' ? toUsage(finish).outputTokens : undefined
}

/** MODEL-08: a note for people, and for the model in its transcript. For a cut call its result says so instead. */
function cutNote(calls: readonly ToolRequest[], cutAt: number | undefined): string {
  if (cutAt === undefined || calls.some((call) => call.cutAt !== undefined)) return ''
  return `(This answer was cut ${cutAt === 0 ? 'by the limit of tokens' : `at ${cutAt} tokens, the limit`} of one answer: “go on” asks for the rest.)`
}

function uniqueIds(parts: readonly CollectedPart[]): CollectedPart[] {
  const taken = new Set<string>()
  return parts.map((part) => {
    if (part.kind !== 'call') return part
    const id = freeId(toStorable(part.id).slice(0, 200) || 'call', taken)
    taken.add(id)
    return { ...part, id }
  })
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  if (!taken.has(id)) return id
  let number = 2
  while (taken.has(`${id}-${number}`)) number++
  return `${id}-${number}`
}

function droppedNote(
  wanted: number,
  kept: number,
  { toolChoice }: Pick<ModelRequest, 'toolChoice'>,
): string {
  if (wanted === kept || toolChoice === 'none') return ''
  return `(${wanted - kept} of ${wanted} tool calls in this message were dropped: at most ${maxCalls} are taken.)`
}

/**
 * MODEL-08: an empty answer is a failed connection; an answer left empty by the token limit or a content filter is reported as an
 * error.
 */
function assertNotEmpty(text: string, wanted: readonly ToolRequest[], finish: FinishPart): void {
  if (text.trim() !== '' || wanted.length > 0) return
  const reason = finish.finishReason.unified
  if (reason === 'length') {
    const tokens = toUsage(finish).outputTokens
    const all = tokens === 0 ? 'its output tokens' : `its ${tokens} output tokens`
    throw new ModelError('broken', `The model used up ${all} before it said anything.`)
  }
  if (reason === 'content-filter') {
    throw new ModelError('refused', 'The provider’s content filter withheld the answer.')
  }
  throw new ModelError('broken', 'The model gave an empty answer.', { isRetryable: true })
}

function toUsage({ usage }: FinishPart): Usage {
  return {
    inputTokens: count(usage.inputTokens.total),
    outputTokens: count(usage.outputTokens.total),
    cacheReadTokens: count(usage.inputTokens.cacheRead),
    cacheWriteTokens: count(usage.inputTokens.cacheWrite),
  }
}

function count(tokens: number | undefined): number {
  return Math.trunc(Math.min(Math.max(tokens || 0, 0), maxTokens))
}
