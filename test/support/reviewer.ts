import type { ModelRequest } from '../../src/ports/model.ts'
import { auditRows } from './audit-rows.ts'
import type { Flow } from './flow.ts'
import { call, createScriptedModel, type ScriptedModel, say } from './scripted-model.ts'

/** What a reviewer was shown of one call. */
interface Shown {
  readonly review: string
  readonly tool: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the arguments of any tool
  readonly arguments: any
  readonly paths_lead_to?: readonly string[]
  readonly person_wrote: string
  readonly person_wrote_earlier: readonly string[]
}

export function shownIn({ messages: [message] }: ModelRequest): Shown {
  if (message?.role !== 'user') throw new Error('a reviewer is shown one message')
  return JSON.parse(message.text)
}

/** As a reviewer that does what it was told answers. */
function verdict(shown: Shown, word: 'allow' | 'deny', reason = 'so it seems') {
  return say(JSON.stringify({ review: shown.review, verdict: word, reason }))
}

/** A model that reviews by `decide`; what that throws it throws. */
export function createReviewer(
  decide: (shown: Shown, index: number) => 'allow' | 'deny' | Promise<'allow' | 'deny'>,
  reason?: string,
): ScriptedModel {
  const model = createScriptedModel(async (request, index) => {
    const shown = shownIn(request)
    return verdict(shown, await decide(shown, index), reason)
  })
  return Object.assign(model, { name: 'small' })
}

/** Reviews, by the defaults of the section. */
export const reviewing: Readonly<Record<string, string>> = {
  COUNTERSIGN_TOOLS_ADVERSARIAL_POLICY_ENABLED: 'true',
}

/** Keys of the section. */
export function reviewSettings(keys: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.entries(keys).map(([key, value]) => [
    `COUNTERSIGN_TOOLS_ADVERSARIAL_POLICY_${key}`,
    value,
  ])
  return { ...reviewing, ...Object.fromEntries(named) }
}

/** A model that calls one tool for each message of a person. */
export const once = (tool: string, args: unknown) =>
  createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'user' ? call(tool, args) : say('done'),
  )
/** … that lists the workspace. */
export const list = () => once('list_directory', { path: '.' })
/** … that asks, by the default rules. */
export const echo = (words = 'hi') => once('bash', { command: `echo ${words}` })

/** Everything that the acting model was ever given. */
export const given = (model: ScriptedModel): string => JSON.stringify(model.requests)
/** What it was given last. */
export const lastGiven = (model: ScriptedModel): string => {
  const message = model.requests.at(-1)?.messages.at(-1)
  return message !== undefined && 'text' in message ? message.text : ''
}
/** Everything that anybody was sent. */
export const shown = (flow: Flow): string => JSON.stringify(flow.platform.sent)
/** The only call. */
export const row = (flow: Flow) =>
  flow.db.selectFrom('tool_call').selectAll().executeTakeFirstOrThrow()

/** The gate's last words in the audit. */
export async function decidedOf({ db }: Flow) {
  const rows = (await auditRows(db)).filter((row) => row.kind === 'decided')
  return rows.map((one) => ({ ...one, body: JSON.parse(one.body) }))
}

/** What the audit has of the review. */
export async function auditedReview(flow: Flow) {
  const [decided] = await decidedOf(flow)
  const found = decided?.body.trace.find(({ check }: { check: string }) => check === 'adversarial')
  return { verdict: decided?.verdict, said_by: decided?.said_by, ...found }
}
