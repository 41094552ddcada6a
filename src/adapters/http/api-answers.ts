import { z } from 'zod'
import type { Decision } from '../../domain/approval.ts'

/** What a program answers to a question. Ids are any text: one that nobody was given is no question. */
export interface ApiAnswer {
  readonly sessionId: string
  readonly approvalId: string
  readonly decision: Decision
}

/** In UTF-16 units. */
const longestFeedback = 4_000
const id = z.string().min(1).max(200)
const question = { sessionId: id, approvalId: id }

/** The body of `tool.approve`. */
export const approveBody = z
  .strictObject({ ...question, always: z.boolean().optional() })
  .transform(
    ({ always, ...ids }): ApiAnswer => ({
      ...ids,
      decision: { kind: always === true ? 'always' : 'approve' },
    }),
  )

/** The body of `tool.deny`. */
export const denyBody = z
  .strictObject({ ...question, feedback: z.string().max(longestFeedback).optional() })
  .transform(({ feedback, ...ids }): ApiAnswer => {
    const reason = feedback?.trim()
    return { ...ids, decision: reason ? { kind: 'deny', reason } : { kind: 'deny' } }
  })

/** Which fields are wrong, and nothing of what was in them. */
export function explainFault({ issues }: z.ZodError): string {
  const faults = issues.slice(0, 5).map(({ code, path }) => {
    const where = path.length === 0 ? 'the body' : path.join('.')
    return code === 'unrecognized_keys' ? `${where}: an unknown field` : `${where}: ${code}`
  })
  return faults.join('; ')
}
