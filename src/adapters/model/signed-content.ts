import { z } from 'zod'
import { assertNever } from '../../util/guards.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { CollectedPart } from './answer/read-stream.ts'
import type { AssistantPart, ProviderOptions } from './language-model.ts'
import type { AnsweredCall, Exchange } from './repair-transcript.ts'

const optionsSchema: z.ZodType<ProviderOptions> = z.record(
  z.string(),
  z.record(z.string(), z.json()),
)

const signedSchema = z.object({
  provider: z.string(),
  model: z.string(),
  parts: z.array(
    z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('reasoning'),
        text: z.string(),
        options: optionsSchema.optional(),
      }),
      z.object({ kind: z.literal('text'), text: z.string(), options: optionsSchema.optional() }),
      z.object({ kind: z.literal('call'), id: z.string(), options: optionsSchema.optional() }),
    ]),
  ),
})

type Signed = z.infer<typeof signedSchema>
type SignedPart = Signed['parts'][number]

/** The model that signed: another provider or model cannot use its reasoning, and some refuse it. */
export interface Signer {
  readonly provider: string
  readonly model: string
}

/** Provider data of text and calls that must be sent back; other data are ids of items we do not store. */
const keptBesideText = new Set(['phase', 'thoughtSignature'])

/**
 * The parts of a message that must be replayed byte-exact, as plain JSON; undefined if there are none. Unsigned reasoning is kept
 * beside calls only: some models refuse to continue without it there.
 */
export function toSigned(
  signer: Signer,
  parts: readonly CollectedPart[],
  hasCalls: boolean,
): unknown {
  const kept = parts.flatMap((part) => toSignedPart(part, hasCalls))
  if (!kept.some((part) => part.kind === 'reasoning' || part.options !== undefined))
    return undefined
  const signed: Signed = { ...signer, parts: kept }
  return isStorable(signed) ? signed : undefined
}

function toSignedPart(part: CollectedPart, hasCalls: boolean): SignedPart[] {
  switch (part.kind) {
    case 'reasoning':
      if (part.options === undefined && !hasCalls) return []
      return [{ kind: 'reasoning', text: part.text, ...withOptions(part.options) }]
    case 'text':
      return [{ kind: 'text', text: part.text, ...withOptions(onlyKept(part.options)) }]
    case 'call':
      return [{ kind: 'call', id: part.id, ...withOptions(onlyKept(part.options)) }]
    default:
      return assertNever(part)
  }
}

/** The content of an assistant message: in the signed order if it was signed, else text, then calls. */
export function toContent(
  exchange: Extract<Exchange, { kind: 'assistant' }>,
  signer: Signer,
  toCall: (call: AnsweredCall) => Extract<AssistantPart, { type: 'tool-call' }>,
): AssistantPart[] {
  const signed = signedBy(signer, exchange.raw)
  const sameText = joinTexts(signed) === exchange.text
  const left = [...exchange.calls]
  const content = signed.flatMap((part): AssistantPart[] => {
    const options = part.options === undefined ? {} : { providerOptions: part.options }
    if (part.kind === 'reasoning') return [{ type: 'reasoning', text: part.text, ...options }]
    if (part.kind === 'text') return sameText ? [{ type: 'text', text: part.text, ...options }] : []
    const at = left.findIndex((call) => call.id === part.id)
    const [call] = at === -1 ? [] : left.splice(at, 1)
    return call === undefined ? [] : [{ ...toCall(call), ...options }]
  })
  const text: AssistantPart[] = sameText ? [] : [{ type: 'text', text: exchange.text }]
  const firstCall = content.findIndex((part) => part.type === 'tool-call')
  content.splice(firstCall === -1 ? content.length : firstCall, 0, ...text)
  return [...content, ...left.map(toCall)].filter(
    (part) => part.type !== 'text' || part.text.trim() !== '',
  )
}

/** Joins several blocks of text as paragraphs. */
export function joinTexts(
  parts: readonly { readonly kind: string; readonly text?: string }[],
): string {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text ?? ''] : []))
  return texts.filter((text) => text !== '').join('\n\n')
}

/** A value that the database cannot keep exactly cannot be replayed exactly, so it is dropped. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value === toStorable(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner))
}

function signedBy(signer: Signer, raw: unknown): readonly SignedPart[] {
  const parsed = signedSchema.safeParse(raw)
  if (!parsed.success) return []
  const { provider, model, parts } = parsed.data
  return provider === signer.provider && model === signer.model ? parts : []
}

function withOptions(options: ProviderOptions | undefined): { options?: ProviderOptions } {
  return options === undefined ? {} : { options }
}

function onlyKept(options: ProviderOptions | undefined): ProviderOptions | undefined {
  const kept = Object.entries(options ?? {}).flatMap(([provider, values]) => {
    const inner = Object.entries(values).filter(([key]) => keptBesideText.has(key))
    return inner.length === 0 ? [] : [[provider, Object.fromEntries(inner)] as const]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
