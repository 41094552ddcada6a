import type { ApprovalStreamItem } from '../../domain/approval-event.ts'

/** A stream of approval events for one reader. */
export interface Feed {
  readonly items: AsyncIterator<ApprovalStreamItem>
  /** Ends the stream; idempotent. */
  end(): void
}

/** Reconnect delay sent to clients, in milliseconds. */
const retryMs = 3_000

/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). The next item is produced once the reader
 * has taken the previous one, so a slow reader costs no memory.
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

/** JSON text contains no raw line breaks, so one data line is enough. */
function toText(item: ApprovalStreamItem): string {
  if (item.type === 'beat') return ': still here\n\n'
  const id = item.type === 'ready' ? '' : `id: ${item.approvalId}\n`
  return `${id}event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`
}
