import { randomUUID } from 'node:crypto'
import { webApi } from '@slack/bolt'
import type { Messenger } from '../../outgoing/messenger.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import { slackCode } from './to-delivery.ts'

/** What we are answered where we are not. */
const outside: ReadonlySet<string | undefined> = new Set([
  'not_in_channel',
  'channel_not_found',
  'user_not_in_channel',
])
const timeoutMs = 20_000

/** Answers a command by its `response_url`, for whoever typed it alone (https://docs.slack.dev/interactivity/handling-user-interaction). */
export function createSendBack(
  paths: ReplyPaths,
): NonNullable<Messenger<SlackMessage>['sendBack']> {
  return async (place, { sealed, callerId }, { text, blocks }, refusal) => {
    const isOutside = outside.has(slackCode(refusal))
    const url = isOutside ? paths.open(sealed, { place, callerId }) : undefined
    if (url === undefined) return undefined
    const status = await post(url, { response_type: 'ephemeral', text, blocks })
    if (status === 429 || status >= 500) throw new webApi.WebAPIHTTPError(status, '', {})
    // It has expired, or was used five times: the refusal stands.
    return status < 300 ? `response-${randomUUID()}` : undefined
  }
}

async function post(url: string, body: unknown): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(noAnswer)
  await response.body?.cancel()
  return response.status
}

/** It names no address, which is a secret. */
function noAnswer(): never {
  throw new webApi.WebAPIRequestError(new Error('no answer at the response_url'))
}
