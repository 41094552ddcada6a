import type { ToolRequest, Usage } from '../../domain/message.ts'
import { type ModelAnswer, ModelError, type ModelRequest } from '../../ports/model.ts'
import { toStorable } from '../../util/storable.ts'
import type { FinishPart } from './language-model.ts'
import type { Collected, CollectedPart } from './read-stream.ts'
import { joinTexts, type Signer, toSigned } from './signed-content.ts'

const maxCalls = 64

/** Counts beyond it are nonsense, and the database keeps 32 bits. */
const maxTokens = 2 ** 31 - 1

/** What a model sent, made safe to store: unique call ids, a bounded batch, text the database can keep. */
export function toAnswer(
  { parts, finish }: Collected,
  request: Pick<ModelRequest, 'toolChoice'>,
  signer: Signer,
): ModelAnswer {
  const withIds = uniqueIds(parts)
  const wanted = withIds.filter((part) => part.kind === 'call')
  const calls = request.toolChoice === 'none' ? [] : wanted.slice(0, maxCalls).map(toRequest)
  const spoken = toStorable(joinTexts(parts))
  assertSomethingSaid(spoken, calls, finish)
  const text = [spoken, droppedNote(wanted.length, calls.length, request)]
    .filter(Boolean)
    .join('\n\n')
  const raw = toSigned(signer, withIds, calls.length > 0)
  const answer = { text, calls, usage: toUsage(finish) }
  return raw === undefined ? answer : { ...answer, raw }
}

function toRequest(call: Extract<CollectedPart, { kind: 'call' }>): ToolRequest {
  return { id: call.id, tool: toStorable(call.tool), arguments: toStorable(call.arguments) }
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

/** Silence at the natural end is an answer; silence for want of room or leave is a failure to report. */
function assertSomethingSaid(
  text: string,
  calls: readonly ToolRequest[],
  finish: FinishPart,
): void {
  if (text.trim() !== '' || calls.length > 0) return
  const reason = finish.finishReason.unified
  if (reason === 'length') {
    throw new ModelError('broken', 'The model used up its output tokens before it said anything.')
  }
  if (reason === 'content-filter') {
    throw new ModelError('refused', 'The provider’s content filter withheld the answer.')
  }
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
