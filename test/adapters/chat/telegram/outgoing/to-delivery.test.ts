import fc from 'fast-check'
import { GrammyError, HttpError } from 'grammy'
import { describe, expect, test } from 'vitest'
import {
  isUnchanged,
  isUnparsed,
  toDelivery,
} from '../../../../../src/adapters/chat/telegram/outgoing/to-delivery.ts'
import '../../../../support/run/fuzz-seed.ts'

function refusal(code: number, description: string, parameters = {}): GrammyError {
  const answer = { ok: false as const, error_code: code, description, parameters }
  return new GrammyError('sendMessage was refused', answer, 'sendMessage', {})
}

describe('CHAT-06 the classification of errors', () => {
  test('INT-19 a request to wait keeps its duration', () => {
    expect(toDelivery(refusal(429, 'Too Many Requests', { retry_after: 300 }))).toEqual({
      kind: 'busy',
      afterMs: 300_000,
      why: 'Telegram asks to wait',
    })
  })

  test.each([undefined, 0, -5, Number.NaN])('INT-19 a wait of %s is a short one', (seconds) => {
    expect(toDelivery(refusal(429, '', { retry_after: seconds }))).toMatchObject({
      kind: 'busy',
      afterMs: 5_000,
    })
  })

  test.each([
    [400, 'Bad Request: chat not found', 'there is no such chat'],
    [403, 'Forbidden: bot was blocked by the user', 'the person blocked the bot'],
    [403, 'Forbidden: user is deactivated', 'the account is deactivated'],
    [403, 'Forbidden: bot was kicked from the group chat', 'the bot is not in the group any more'],
    [
      400,
      'Bad Request: not enough rights to send text messages to the chat',
      'the bot has no right to send there',
    ],
    [400, 'Bad Request: have no rights to send a message', 'the bot has no right to send there'],
    [400, 'Bad Request: TOPIC_CLOSED', 'the topic is closed'],
    [400, 'Bad Request: message thread not found', 'the topic is gone'],
    [400, 'Bad Request: message is too long', 'the message is too long'],
    [400, 'Bad Request: SOMETHING_NEW', 'Telegram refused it (400, SOMETHING_NEW)'],
    [400, 'Bad Request: "the words" are bad', 'Telegram refused it (400)'],
    [403, 'Forbidden: whatever', 'Telegram refused it (403)'],
    [413, 'Request Entity Too Large', 'Telegram refused it (413)'],
  ])('a %s of "%s" is final', (code, description, why) => {
    expect(toDelivery(refusal(code, description))).toEqual({ kind: 'refused', why })
  })

  test.each([
    ['message to edit not found', 'the message to edit is gone'],
    ["message can't be edited", 'the message cannot be edited'],
    ['MESSAGE_ID_INVALID', 'the message is gone'],
  ])('APPR-05 "%s" means that the message no longer exists', (description, why) => {
    const failed = toDelivery(refusal(400, `Bad Request: ${description}`))
    expect(failed).toEqual({ kind: 'refused', why, isGone: true })
  })

  test('a migrated group is another chat', () => {
    const error = refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
      migrate_to_chat_id: -1001,
    })
    expect(toDelivery(error)).toEqual({ kind: 'moved', place: '-1001' })
  })

  test.each([
    [401, 'Unauthorized', "Telegram does not know the bot's token (401)"],
    [404, 'Not Found', "Telegram does not know the bot's token (404)"],
    [409, 'Conflict', 'Telegram is in trouble (409)'],
    [500, 'Internal Server Error', 'Telegram is in trouble (500)'],
    [502, 'Bad Gateway', 'Telegram is in trouble (502)'],
  ])('a %s says nothing about the message', (code, description, why) => {
    expect(toDelivery(refusal(code, description))).toEqual({ kind: 'unreachable', why })
  })

  test('no answer says nothing about the message', () => {
    const error = new HttpError('no answer to sendMessage (ECONNRESET)', undefined)
    expect(toDelivery(error)).toMatchObject({ kind: 'unreachable' })
  })

  test('an error that is not from the API is rethrown', () => {
    expect(() => toDelivery(new TypeError('a bug'))).toThrow('a bug')
  })
})

test('TG-05 unchanged and unparsed messages are recognised', () => {
  expect(isUnchanged(refusal(400, 'Bad Request: message is not modified: specified …'))).toBe(true)
  expect(isUnparsed(refusal(400, "Bad Request: can't parse entities: Unsupported"))).toBe(true)
  expect(isUnparsed(refusal(400, 'Bad Request: ENTITIES_TOO_LONG'))).toBe(true)
  expect(isUnchanged(refusal(400, 'Bad Request: chat not found'))).toBe(false)
  expect(isUnparsed(refusal(403, "Bad Request: can't parse entities"))).toBe(false)
})

test('THREAT-14 the reason of a failure does not repeat quoted text', () => {
  const quote = fc
    .string({ minLength: 4 })
    .filter((words) => !'Telegram refused it (400)'.includes(words))
  fc.assert(
    fc.property(quote, fc.integer({ min: 400, max: 599 }), (words, code) => {
      const failed = toDelivery(refusal(code, `Bad Request: can't use "${words}" here`))
      const why = 'why' in failed ? failed.why : ''
      expect(why).not.toContain(`"${words}"`)
      expect(why.length).toBeLessThan(100)
    }),
  )
})
