import { ModelError } from '../../../ports/model.ts'
import type { FinishPart, ProviderOptions, StreamPart } from '../language-model.ts'
import { type Split, splitUnopened, ThoughtSplitter } from './split-thoughts.ts'

/** Placeholder for a missing tool name. No tool is called so; the model then gets the list of tools. */
export const namelessTool = 'unnamed'

const maxAnswerCharacters = 8 * 1024 * 1024

/** One block of an answer, in order of appearance. `options`: provider data to send back with it. */
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
      /** MODEL-08: the token limit cut it off. */
      readonly isCut?: true
    }

/** An error that the provider sent inside its stream; `cause` holds its content. */
export class StreamFailure extends Error {}

export interface Collected {
  readonly parts: readonly CollectedPart[]
  readonly finish: FinishPart
}

/**
 * Reads one step to its end. A stream without the provider's own completion marker counts as cut, even if the connection closed
 * cleanly: throws ModelError `broken`, or the error in the stream. Text in `<think>` counts as reasoning, whatever the provider
 * calls it (MODEL-08).
 */
export async function readStream(
  stream: ReadableStream<StreamPart>,
  onText: (text: string) => void,
): Promise<Collected> {
  const state: Reading = { parts: new Map(), splitters: new Map(), inputs: new Map(), onText }
  let finish: FinishPart | undefined
  let characters = 0
  for await (const part of stream) {
    if (part.type === 'error') throw new StreamFailure('an error event', { cause: part.error })
    if (part.type === 'finish') finish = part
    characters += collect(state, part)
    if (characters > maxAnswerCharacters) throw new ModelError('broken', 'The answer never ends.')
  }
  for (const [id, splitter] of state.splitters) addSplit(state, id, splitter.end())
  const complete = assertComplete(finish)
  const parts = [...state.parts.values()].flatMap(withoutUnopened)
  return { parts: withCut(parts, state.inputs, complete), finish: complete }
}

interface Reading {
  readonly parts: Map<string, CollectedPart>
  readonly splitters: Map<string, ThoughtSplitter>
  /** Calls that have started but are not complete. */
  readonly inputs: Map<string, { readonly tool: string; readonly text: string }>
  readonly onText: (text: string) => void
}

function withoutUnopened(part: CollectedPart): readonly CollectedPart[] {
  if (part.kind !== 'text') return [part]
  const { text, thought } = splitUnopened(part.text)
  if (thought === '') return [part]
  return [
    { kind: 'reasoning', text: thought, options: undefined },
    { ...part, text },
  ]
}

/**
 * MODEL-08: if the token limit ended the answer, the last block is cut. A call in that position is not trusted, even if a server
 * repaired its JSON. Some SDKs hold back an incomplete call.
 */
function withCut(
  parts: readonly CollectedPart[],
  inputs: Reading['inputs'],
  { finishReason }: FinishPart,
): readonly CollectedPart[] {
  const begun = [...inputs].map(
    ([id, { tool, text }]): CollectedPart => ({
      kind: 'call',
      id,
      tool,
      arguments: text,
      options: undefined,
      isCut: true,
    }),
  )
  if (finishReason.unified !== 'length') {
    if (begun.length === 0) return parts
    throw new ModelError('broken', 'The answer holds a call that never ended.', {
      isRetryable: true,
    })
  }
  if (begun.length > 0) return [...parts, ...begun]
  const last = parts.at(-1)
  return last?.kind === 'call' ? [...parts.slice(0, -1), { ...last, isCut: true }] : parts
}

function assertComplete(finish: FinishPart | undefined): FinishPart {
  const reason = finish?.finishReason
  const cut = reason?.unified === 'interrupted' || reason?.unified === 'error'
  // Some providers report a cut stream as `other` without a raw reason.
  if (finish === undefined || cut || (reason?.unified === 'other' && reason.raw === undefined)) {
    throw new ModelError('broken', 'The answer was cut off in the middle.', { isRetryable: true })
  }
  return finish
}

/** Adds one part; returns the number of characters in it. */
function collect(state: Reading, part: StreamPart): number {
  const { parts, inputs } = state
  switch (part.type) {
    case 'text-start':
      return extend(parts, 'text', part)
    case 'text-delta':
      extend(parts, 'text', { ...part, delta: '' })
      addSplit(state, part.id, splitterOf(state, part.id).push(part.delta))
      return part.delta.length
    case 'text-end':
      addSplit(state, part.id, splitterOf(state, part.id).end())
      return extend(parts, 'text', part)
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return extend(parts, 'reasoning', part)
    case 'tool-input-start':
      if (part.providerExecuted !== true) inputs.set(part.id, { tool: part.toolName, text: '' })
      return 0
    case 'tool-input-delta': {
      const begun = inputs.get(part.id)
      if (begun !== undefined) inputs.set(part.id, { ...begun, text: begun.text + part.delta })
      return part.delta.length
    }
    case 'tool-call': {
      inputs.delete(part.toolCallId)
      if (part.providerExecuted === true) return 0
      const { toolCallId: id, toolName, input, providerMetadata: options } = part
      const tool = toolName.trim() === '' ? namelessTool : toolName
      parts.set(`call ${parts.size}`, { kind: 'call', id, tool, arguments: input, options })
      return input.length
    }
    default:
      return 0
  }
}

function splitterOf({ splitters }: Reading, id: string): ThoughtSplitter {
  const known = splitters.get(id)
  if (known !== undefined) return known
  const made = new ThoughtSplitter()
  splitters.set(id, made)
  return made
}

function addSplit({ parts, onText }: Reading, id: string, { text, thought }: Split): void {
  if (thought !== '') extend(parts, 'reasoning', { id: `of ${id}`, delta: thought })
  if (text === '') return
  streamText(parts, id, text, onText)
  extend(parts, 'text', { id, delta: text })
}

/** A second block of text starts a new paragraph, as in the final answer. */
function streamText(
  parts: ReadonlyMap<string, CollectedPart>,
  id: string,
  delta: string,
  onText: (text: string) => void,
): void {
  const known = parts.get(`text ${id}`)
  const isNew = known === undefined || (known.kind === 'text' && known.text === '')
  const follows = [...parts.values()].some((part) => part.kind === 'text' && part.text !== '')
  onText(isNew && follows ? `\n\n${delta}` : delta)
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

/** Signatures arrive in pieces over the events of one block; null never replaces a value. */
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
