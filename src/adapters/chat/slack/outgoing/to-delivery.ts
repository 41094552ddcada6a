import { webApi } from '@slack/bolt'
import type { Busy, Failed } from '../../outgoing/messenger.ts'
import { SlackBusy } from '../api.ts'

const defaultWaitMs = 5_000
const longestWaitMs = 24 * 3_600_000

/** Permanent errors of the Web API, and our descriptions. */
const refusals: Readonly<Record<string, string>> = {
  channel_not_found: 'there is no such channel, or the app is not in it',
  not_in_channel: 'the app is not in the channel',
  is_archived: 'the channel is archived',
  is_inactive: 'the channel is frozen',
  user_not_found: 'there is no such person',
  user_not_in_channel: 'the person is not in the channel',
  user_disabled: 'the account is deactivated',
  cannot_dm_bot: 'the person is a bot',
  messages_tab_disabled: 'the app does not take direct messages',
  restricted_action: 'the workspace does not let the app post there',
  restricted_action_read_only_channel: 'the channel is read-only',
  restricted_action_thread_only_channel: 'the channel takes replies in threads only',
  restricted_action_thread_locked: 'the thread is locked',
  thread_locked: 'the thread is locked',
  thread_not_found: 'the thread is gone',
  message_not_found: 'the message to edit is gone',
  cant_update_message: 'the message cannot be edited',
  edit_window_closed: 'the message cannot be edited any more',
  msg_too_long: 'the message is too long',
  msg_blocks_too_long: 'the message is too long',
  no_text: 'the message is empty',
  invalid_blocks: 'the blocks of the message were not understood',
  invalid_blocks_format: 'the blocks of the message were not understood',
}

/** Errors for an edit of a message that no longer exists. */
const messageGone: ReadonlySet<string> = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
])

/** Errors that concern the token or are temporary; they are not due to the message. */
const notDueToMessage: ReadonlySet<string> = new Set([
  'not_authed',
  'invalid_auth',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'no_permission',
  'missing_scope',
  'not_allowed_token_type',
  'org_login_required',
  'ekm_access_denied',
  'access_denied',
  'accesslimited',
  'team_access_not_granted',
  'team_added_to_org',
  'two_factor_setup_required',
  'request_timeout',
  'service_unavailable',
  'internal_error',
  'fatal_error',
  'deprecated_endpoint',
  'message_limit_exceeded',
  'update_failed',
])

const isCode = /^[a-z][a-z0-9_]{1,60}$/

/** Classifies an error by its cause, which decides about retries. Rethrows errors that are not from the client. */
export function toDelivery(error: unknown): Failed {
  if (error instanceof webApi.WebAPIRateLimitedError)
    return { ...busy(error.retryAfter), ...(isOfMethod(error) && { isOfMethod: true }) }
  if (error instanceof webApi.WebAPIPlatformError) return fromCode(error.data.error)
  if (error instanceof webApi.WebAPIHTTPError)
    return { kind: 'unreachable', why: `Slack is in trouble (${error.statusCode})` }
  if (error instanceof webApi.WebAPIRequestError)
    return { kind: 'unreachable', why: `no answer (${networkReason(error.original)})` }
  throw error
}

/** Error code of a refused call; undefined for other errors. */
export function slackCode(error: unknown): string | undefined {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined
}

/** Whether the blocks were refused. */
export function isBlockRefusal(error: unknown): boolean {
  return (
    error instanceof webApi.WebAPIPlatformError &&
    ['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'].includes(error.data.error)
  )
}

function isOfMethod(error: webApi.WebAPIRateLimitedError): boolean {
  return error instanceof SlackBusy && error.isOfMethod
}

function busy(seconds: number | undefined): Busy {
  const isTime = seconds !== undefined && seconds > 0
  const afterMs = isTime ? Math.min(seconds * 1000, longestWaitMs) : defaultWaitMs
  return { kind: 'busy', afterMs, why: 'Slack asks to wait' }
}

function fromCode(word: unknown): Failed {
  // The client also makes an error code of a non-JSON response, for example from a proxy.
  if (typeof word !== 'string' || !isCode.test(word))
    return { kind: 'unreachable', why: 'what answered is not Slack' }
  if (word === 'ratelimited' || word === 'rate_limited') return busy(undefined)
  if (notDueToMessage.has(word))
    return { kind: 'unreachable', why: `Slack does not let us (${word})` }
  const why = refusals[word] ?? `Slack refused it (${word})`
  return { kind: 'refused', why, ...(messageGone.has(word) && { isGone: true }) }
}

/** A code or our own text: messages of the network stack would contain URLs. */
function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no time left'
  const inner: unknown = error.cause ?? error
  const code: unknown = inner instanceof Error ? Reflect.get(inner, 'code') : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unknown'
}
