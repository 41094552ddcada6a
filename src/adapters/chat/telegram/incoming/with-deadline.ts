import { type ApiSignal, toApiSignal } from '../api.ts'

/** A signal for a call of the Bot API: it ends with `signal`, or when there was no answer for `deadlineMs`. */
export function withDeadline(deadlineMs: number, signal?: AbortSignal): ApiSignal {
  const deadline = AbortSignal.timeout(deadlineMs)
  return toApiSignal(signal === undefined ? deadline : AbortSignal.any([signal, deadline]))
}
