import { cosine } from '../../../rules/tools/shown/cosine.ts'
import { toolText } from '../../../rules/tools/shown/tool-text.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import type { TurnContext } from '../turn-context.ts'

/** A person waits meanwhile; what was learnt in this time is remembered for the next turn. */
const patienceMs = 5_000

/** Of a long message both ends are compared: what is asked stands in one of them. */
const endUnits = 1_000

/**
 * SCH-02: how alike each tool and the message are by the provider's embeddings, by the tool's name. undefined where there are
 * none, or where they failed: that is logged, and what is then left out can be searched for.
 */
export async function compareTools(
  { embedder, log }: Pick<TurnContext, 'embedder' | 'log'>,
  message: string,
  tools: readonly ToolSpec[],
  held: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (embedder === undefined || message.trim() === '') return undefined
  const signal = AbortSignal.any([held, AbortSignal.timeout(patienceMs)])
  try {
    const texts = tools.map(toolText)
    const [asked = [], ...vectors] = await embedder.embed([endsOf(message), ...texts], signal)
    return new Map(tools.map(({ name }, at) => [name, cosine(asked, vectors[at] ?? [])]))
  } catch (error) {
    if (held.aborted) return undefined
    const why = error instanceof Error ? error.message : String(error)
    log.warn({ model: embedder.name, error: why }, 'tools are chosen without embeddings')
    return undefined
  }
}

function endsOf(message: string): string {
  if (message.length <= 2 * endUnits) return message
  return `${message.slice(0, endUnits)}\n${message.slice(-endUnits)}`.toWellFormed()
}
