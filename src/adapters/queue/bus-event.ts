import { z } from 'zod'
import type { Log } from '../../util/log.ts'

/** NOTIFY allows 7,999 bytes; every bus keeps the same limit. */
const maxBytes = 7_000

const envelope = z.object({ topic: z.string(), payload: z.unknown() })

/** Encodes an event; undefined, with a log line, if it is too large. */
export function encodeEvent(topic: string, payload: unknown, log: Log): string | undefined {
  const text = JSON.stringify({ topic, payload })
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  log.warn({ topic, bytes }, 'bus: event dropped, too large')
  return undefined
}

/** Decodes a message of the channel; undefined if it is not an event. */
export function decodeEvent(text: string): z.infer<typeof envelope> | undefined {
  if (text.length > maxBytes) return undefined
  try {
    return envelope.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
