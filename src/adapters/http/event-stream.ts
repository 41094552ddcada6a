import type { ApprovalStreamItem } from '../../domain/approval-event.ts'

/** Something followed for one reader. */
export interface Feed {
  readonly items: AsyncIterator<ApprovalStreamItem>
  /** Ends it, whether it was read or not; any number of times. */
  end(): void
}

/** After how many milliseconds a client asks again. */
const retryMs = 3_000

/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). An item is made when the reader has taken
 * the one before, so that a slow one costs no memory.
 */
export function eventStream({ items, end }: Feed): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`)),
      pull: async (controller) => {
        const next = await items.next()
        if (next.done === true) {
          end()
          controller.close()
        } else {
          controller.enqueue(encoder.encode(toText(next.value)))
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
}

/** JSON has no line breaks of its own. */
function toText(item: ApprovalStreamItem): string {
  if (item.type === 'beat') return ': still here\n\n'
  const id = item.type === 'ready' ? '' : `id: ${item.approvalId}\n`
  return `${id}event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`
}
