import { z } from 'zod'
import type { Log } from '../../util/log.ts'

/** NOTIFY takes 7,999 bytes at most; every bus keeps to the same limit. */
const maxBytes = 7_000

const envelope = z.object({ topic: z.string(), payload: z.unknown() })

/** An event as it travels; undefined, with a word in the log, for one that is too large. */
export function encodeEvent(topic: string, payload: unknown, log: Log): string | undefined {
  const text = JSON.stringify({ topic, payload })
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxBytes) return text
  log.warn({ topic, bytes }, 'bus: an event was too large and is dropped')
  return undefined
}

/** What came over the channel; undefined for what is no event of ours. */
export function decodeEvent(text: string): z.infer<typeof envelope> | undefined {
  if (text.length > maxBytes) return undefined
  try {
    return envelope.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
