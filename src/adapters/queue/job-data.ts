import { toStorable } from '../../util/text/storable.ts'

/** Data as BullMQ keeps it: NUL and lone surrogates break a job, and a bare null would come out as `{}`. */
export function wrapJobData(data: unknown): { readonly data: unknown } {
  return JSON.parse(JSON.stringify({ data }, (_key, value: unknown) => storable(value)))
}

/** What was wrapped; anything else that lies in the queue is handed on as undefined. */
export function unwrapJobData(stored: unknown): unknown {
  return typeof stored === 'object' && stored !== null && 'data' in stored ? stored.data : undefined
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toStorable(key), inner]))
}
