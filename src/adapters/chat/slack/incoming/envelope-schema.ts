import { z } from 'zod'
import { fieldId } from './forms.ts'

/* The fields used here of Slack's payloads (https://docs.slack.dev/apis/events-api, /interactivity). */

const userId = z.string().regex(/^[UW][A-Z0-9]{1,30}$/)
const teamId = z.string().regex(/^[TE][A-Z0-9]{1,30}$/)
const channelId = z.string().regex(/^[CDG][A-Z0-9]{1,30}$/)
const ts = z.string().regex(/^\d{1,12}\.\d{1,8}$/)
/** Id of an event, trigger or form. It marks the payload as taken, so it must be storable. */
const opaqueId = z.string().regex(/^[\x21-\x7e]{1,200}$/)
const files = z.array(z.unknown()).optional()

/** Fields of messages, both mentions and direct messages. */
const messageFields = {
  user: userId.optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  /** Author's team, in channels shared between organisations. */
  user_team: teamId.optional(),
  team: teamId.optional(),
  text: z.string().optional(),
  channel: channelId,
  ts,
  thread_ts: ts.optional(),
  files,
}

const messageEvent = z.object({
  ...messageFields,
  type: z.enum(['message', 'app_mention']),
  channel_type: z.string().optional(),
})

const threadStarted = z.object({
  type: z.literal('assistant_thread_started'),
  assistant_thread: z.object({ user_id: userId, channel_id: channelId, thread_ts: ts }),
})

const sessionStopped = z.object({
  type: z.literal('agent_session_stopped'),
  user: userId,
  channel: channelId,
  thread_ts: ts,
  event_ts: ts.optional(),
})

export const eventCallback = z.object({
  type: z.literal('event_callback'),
  team_id: teamId,
  event_id: opaqueId,
  event: z.object({ type: z.string() }),
})

export const messageCallback = eventCallback.extend({ event: messageEvent })
export const sessionStoppedCallback = eventCallback.extend({ event: sessionStopped })
export const threadStartedCallback = eventCallback.extend({ event: threadStarted })

const user = z.object({ id: userId, team_id: teamId.optional() })

/** Blocks of the bot's message. Unreadable elements do not invalidate the others. */
const block = z
  .object({
    elements: z.array(z.object({ value: z.unknown().optional() }).catch({})).optional(),
  })
  .catch({})

export const blockActions = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id: teamId }).nullish(),
  user,
  trigger_id: opaqueId,
  container: z.object({ message_ts: ts.optional(), channel_id: channelId.optional() }),
  channel: z.object({ id: channelId }).optional(),
  message: z
    .object({
      ts,
      thread_ts: ts.optional(),
      blocks: z.array(block).optional().catch(undefined),
    })
    .optional(),
  /** Buttons send exactly one action. */
  actions: z.tuple(
    [
      z.object({
        type: z.string(),
        action_id: z.string(),
        value: z.string().max(200).optional(),
      }),
    ],
    z.unknown(),
  ),
})

const field = z.object({ [fieldId]: z.object({ value: z.string().nullish() }) })

export const viewSubmission = z.object({
  type: z.literal('view_submission'),
  team: z.object({ id: teamId }).nullish(),
  user,
  view: z.object({
    id: opaqueId,
    callback_id: z.string(),
    private_metadata: z.string().max(3_000),
    state: z.object({ values: z.object({ [fieldId]: field.optional() }) }),
  }),
})

export const slashCommand = z.object({
  command: z.string(),
  text: z.string().default(''),
  user_id: userId,
  team_id: teamId,
  channel_id: channelId,
  trigger_id: opaqueId,
  response_url: z.string().max(500).optional(),
})

export type SlackMessageEvent = z.infer<typeof messageEvent>
export type SessionStopped = z.infer<typeof sessionStopped>
export type BlockActions = z.infer<typeof blockActions>
export type ViewSubmission = z.infer<typeof viewSubmission>
export type SlashCommand = z.infer<typeof slashCommand>
