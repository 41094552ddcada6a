import { toStorable } from '../../util/text/storable.ts'

/** Prepares data for BullMQ: NUL and lone surrogates would break a job, and a bare null would be read as `{}`. */
export function wrapJobData(data: unknown): { readonly data: unknown } {
  return JSON.parse(JSON.stringify({ data }, (_key, value: unknown) => storable(value)))
}

/** Reads prepared data; undefined for anything else in the queue. */
export function unwrapJobData(stored: unknown): unknown {
  return typeof stored === 'object' && stored !== null && 'data' in stored ? stored.data : undefined
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toStorable(key), inner]))
}
