import { webApi } from '@slack/bolt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isBlockRefusal,
  toDelivery,
} from '../../../../../src/adapters/chat/slack/outgoing/to-delivery.ts'
import '../../../../support/run/fuzz-seed.ts'
import { anyCharacter } from '../../../../support/run/any-character.ts'

function refusal(error: unknown): webApi.WebAPIPlatformError {
  const data = { ok: false, error, response_metadata: {} }
  return new webApi.WebAPIPlatformError(data as webApi.WebAPICallResult & { error: string })
}

describe('CHAT-06 the classification of errors', () => {
  test('INT-19 a request to wait keeps its duration', () => {
    expect(toDelivery(new webApi.WebAPIRateLimitedError(300))).toEqual({
      kind: 'busy',
      afterMs: 300_000,
      why: 'Slack asks to wait',
    })
    expect(toDelivery(new webApi.WebAPIRateLimitedError(10 ** 9))).toMatchObject({
      afterMs: 24 * 3_600_000,
    })
  })

  test.each([0, -5, Number.NaN])('INT-19 a wait of %s is a short one', (seconds) => {
    expect(toDelivery(new webApi.WebAPIRateLimitedError(seconds))).toMatchObject({
      kind: 'busy',
      afterMs: 5_000,
    })
  })

  test.each(['ratelimited', 'rate_limited'])('INT-19 %s is a wait too', (code) => {
    expect(toDelivery(refusal(code))).toMatchObject({ kind: 'busy', afterMs: 5_000 })
  })

  test.each([
    ['channel_not_found', 'there is no such channel, or the app is not in it'],
    ['not_in_channel', 'the app is not in the channel'],
    ['is_archived', 'the channel is archived'],
    ['restricted_action_thread_locked', 'the thread is locked'],
    ['msg_too_long', 'the message is too long'],
    ['invalid_blocks', 'the blocks of the message were not understood'],
    ['something_new', 'Slack refused it (something_new)'],
  ])('%s is final', (code, why) => {
    expect(toDelivery(refusal(code))).toEqual({ kind: 'refused', why })
  })

  test.each([
    ['message_not_found', 'the message to edit is gone'],
    ['cant_update_message', 'the message cannot be edited'],
    ['edit_window_closed', 'the message cannot be edited any more'],
  ])('APPR-05 %s means that the message no longer exists', (code, why) => {
    expect(toDelivery(refusal(code))).toEqual({ kind: 'refused', why, isGone: true })
  })

  test.each([
    'invalid_auth',
    'token_revoked',
    'account_inactive',
    'missing_scope',
    'internal_error',
    'service_unavailable',
    'fatal_error',
    'update_failed',
  ])('%s is not the message’s fault', (code) => {
    expect(toDelivery(refusal(code))).toEqual({
      kind: 'unreachable',
      why: `Slack does not let us (${code})`,
    })
  })

  test.each(['<html>Sign in to the hotel</html>', '', 'A B', null, 7, undefined])(
    'an answer of %j is not Slack’s',
    (code) => {
      expect(toDelivery(refusal(code))).toEqual({
        kind: 'unreachable',
        why: 'what answered is not Slack',
      })
    },
  )

  test('an HTTP error means that Slack is unreachable', () => {
    const error = new webApi.WebAPIHTTPError(503, 'Service Unavailable', {}, 'a page')
    expect(toDelivery(error)).toEqual({ kind: 'unreachable', why: 'Slack is in trouble (503)' })
  })

  test.each<[string, Error, string]>([
    ['a time-out', new DOMException('late', 'TimeoutError'), 'no answer (no time left)'],
    [
      'a lost connection',
      Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('connect 10.0.0.7:443'), { code: 'ECONNREFUSED' }),
      }),
      'no answer (ECONNREFUSED)',
    ],
    ['anything else', new Error('at https://user:secret@proxy/'), 'no answer (unknown)'],
  ])('%s is no answer, of which no address is told', (_name, original, why) => {
    expect(toDelivery(new webApi.WebAPIRequestError(original))).toEqual({
      kind: 'unreachable',
      why,
    })
  })

  test('an error that is not from the client is rethrown', () => {
    const bug = new TypeError('x is not a function')
    expect(() => toDelivery(bug)).toThrow(bug)
  })

  test('no text of Slack is repeated', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.jsonValue()), (code) => {
        // The client makes an error of what can be made text; anything else it throws is a bug to us.
        fc.pre(!hasOwnToString(code))
        const failed = toDelivery(refusal(code))
        expect(failed.kind === 'moved' ? '' : failed.why).toMatch(/^[\w ,()]+$/)
      }),
    )
  })
})

function hasOwnToString(value: unknown): boolean {
  return typeof value === 'object' && value !== null && JSON.stringify(value).includes('"toString"')
}

test('CHAT-05 only a refusal of the blocks leads to an attempt without styles', () => {
  const codes = ['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long']
  expect(codes.map((code) => isBlockRefusal(refusal(code)))).toEqual([true, true, true])
  for (const other of ['channel_not_found', 'msg_too_long', 'fatal_error'])
    expect(isBlockRefusal(refusal(other))).toBe(false)
  expect(isBlockRefusal(new Error('invalid_blocks'))).toBe(false)
})
