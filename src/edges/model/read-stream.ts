import { ModelError } from '../../ports/model.ts'
import type { FinishPart, ProviderOptions, StreamPart } from './language-model.ts'

const maxAnswerCharacters = 8 * 1024 * 1024

/** One block of an answer, in the order the model began them. `options`: provider data to send back with it. */
export type CollectedPart =
  | {
      readonly kind: 'text' | 'reasoning'
      readonly text: string
      readonly options: ProviderOptions | undefined
    }
  | {
      readonly kind: 'call'
      readonly id: string
      readonly tool: string
      readonly arguments: string
      readonly options: ProviderOptions | undefined
    }

/** An error that the provider sent as part of its stream; `cause` is what it said. */
export class StreamFailure extends Error {}

export interface Collected {
  readonly parts: readonly CollectedPart[]
  readonly finish: FinishPart
}

/**
 * Reads one step to its end. A stream that ends without the provider's own word that it is complete is
 * cut, however cleanly the connection closed: throws ModelError `broken`, or what the stream carried as error.
 */
export async function readStream(
  stream: ReadableStream<StreamPart>,
  onText: (text: string) => void,
): Promise<Collected> {
  const parts = new Map<string, CollectedPart>()
  let finish: FinishPart | undefined
  let characters = 0
  for await (const part of stream) {
    if (part.type === 'error') throw new StreamFailure('an error event', { cause: part.error })
    if (part.type === 'finish') finish = part
    if (part.type === 'text-delta') streamText(parts, part.id, part.delta, onText)
    characters += collect(parts, part)
    if (characters > maxAnswerCharacters) throw new ModelError('broken', 'The answer never ends.')
  }
  return { parts: [...parts.values()], finish: assertComplete(finish) }
}

function assertComplete(finish: FinishPart | undefined): FinishPart {
  const reason = finish?.finishReason
  const cut = reason?.unified === 'interrupted' || reason?.unified === 'error'
  // A provider that knows no better word says `other` without a raw reason when its stream was cut.
  if (finish === undefined || cut || (reason?.unified === 'other' && reason.raw === undefined)) {
    throw new ModelError('broken', 'The answer was cut off in the middle.', { isRetryable: true })
  }
  return finish
}

/** A second block of text is a paragraph of its own, as in the final answer. */
function streamText(
  parts: ReadonlyMap<string, CollectedPart>,
  id: string,
  delta: string,
  onText: (text: string) => void,
): void {
  if (delta === '') return
  const known = parts.get(`text ${id}`)
  const isNew = known === undefined || (known.kind === 'text' && known.text === '')
  const follows = [...parts.values()].some((part) => part.kind === 'text' && part.text !== '')
  onText(isNew && follows ? `\n\n${delta}` : delta)
}

/** Adds one part; answers how many characters it brought. */
function collect(parts: Map<string, CollectedPart>, part: StreamPart): number {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
      return extend(parts, 'text', part)
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return extend(parts, 'reasoning', part)
    case 'tool-call': {
      if (part.providerExecuted === true) return 0
      const { toolCallId: id, toolName: tool, input, providerMetadata: options } = part
      parts.set(`call ${parts.size}`, { kind: 'call', id, tool, arguments: input, options })
      return input.length
    }
    default:
      return 0
  }
}

interface BlockEvent {
  readonly id: string
  readonly delta?: string
  readonly providerMetadata?: ProviderOptions
}

function extend(
  parts: Map<string, CollectedPart>,
  kind: 'text' | 'reasoning',
  event: BlockEvent,
): number {
  const key = `${kind} ${event.id}`
  const known = parts.get(key)
  const part =
    known !== undefined && known.kind !== 'call' ? known : { kind, text: '', options: undefined }
  const delta = event.delta ?? ''
  const options = mergeOptions(part.options, event.providerMetadata)
  parts.set(key, { ...part, text: part.text + delta, options })
  return delta.length
}

/** Signatures come in pieces over the events of one block; a null never replaces a value. */
function mergeOptions(
  known: ProviderOptions | undefined,
  more: ProviderOptions | undefined,
): ProviderOptions | undefined {
  if (more === undefined) return known
  const merged: ProviderOptions = { ...known }
  for (const [provider, values] of Object.entries(more)) {
    const given = Object.entries(values).filter(
      ([, value]) => value !== null && value !== undefined,
    )
    merged[provider] = { ...merged[provider], ...Object.fromEntries(given) }
  }
  return merged
}
