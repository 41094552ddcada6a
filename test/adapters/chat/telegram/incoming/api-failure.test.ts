import { Api, GrammyError, HttpError } from 'grammy'
import { expect, test } from 'vitest'
import { createApi } from '../../../../../src/adapters/chat/telegram/api.ts'
import { toApiFailure } from '../../../../../src/adapters/chat/telegram/incoming/api-failure.ts'
import { createTelegram } from '../../../../support/telegram/telegram.ts'

const token = '700700700:AAE-stand-in_token-0123456789abcdef'

function refused(error_code: number, description: string, parameters = {}): GrammyError {
  const answer = { ok: false, error_code, description, parameters } as const
  return new GrammyError('Call failed', answer, 'getUpdates', {})
}

test("TG-01 the server's answer decides how to continue", () => {
  expect(toApiFailure(refused(401, 'Unauthorized')).kind).toBe('token_refused')
  expect(toApiFailure(refused(404, 'Not Found')).kind).toBe('token_refused')
  expect(toApiFailure(refused(400, 'Bad Request'))).toEqual({
    kind: 'rejected',
    why: '400: Bad Request',
  })
  expect(toApiFailure(refused(502, 'Bad Gateway')).kind).toBe('unreachable')
  expect(toApiFailure(refused(409, 'Conflict: webhook is active'))).toMatchObject({
    kind: 'conflict',
    isWebhook: true,
  })
})

test('CLI-01 an answer that is not from a Bot API is distinguished from no answer', async () => {
  await using telegram = await createTelegram({ bots: [{ token, username: 'our_bot' }] })
  for (const api of [
    new Api(token, { apiRoot: telegram.url }),
    createApi({ token, apiRoot: telegram.url, timeoutMs: 30_000 }),
  ]) {
    telegram.failNext('getMe', { kind: 'drop-before' }, { kind: 'status', code: 200 })
    const failure = async () => toApiFailure(await api.getMe().catch((reason: unknown) => reason))
    expect(await failure()).toMatchObject({ isForeign: false, detail: 'ECONNRESET' })
    expect(await failure()).toMatchObject({ isForeign: true })
  }
  expect(toApiFailure(refused(502, 'Bad Gateway'))).toMatchObject({
    isForeign: false,
    detail: '502: Bad Gateway',
  })
})

test('TG-05 the waiting time of a 429 is kept, up to an hour; without one it is a second', () => {
  const pauseOf = (retry_after: unknown) =>
    Reflect.get(toApiFailure(refused(429, 'Too Many Requests', { retry_after })), 'afterMs')
  expect(pauseOf(7)).toBe(7_000)
  expect(pauseOf(1e9)).toBe(3_600_000)
  for (const odd of [undefined, 0, -1, 'soon', Number.NaN]) expect(pauseOf(odd)).toBe(1_000)
})

test('THREAT-14 no failure contains the token, with any client', async () => {
  await using telegram = await createTelegram({ bots: [{ token, username: 'our_bot' }] })
  const clients = [
    new Api(token, { apiRoot: telegram.url }),
    new Api(token, { apiRoot: telegram.url, sensitiveLogs: true }),
    createApi({ token, apiRoot: telegram.url, timeoutMs: 30_000 }),
  ]
  for (const api of clients) {
    telegram.failNext('getMe', { kind: 'drop-before' }, { kind: 'status', code: 502 })
    for (const word of [/ECONNRESET|system/, /json|not JSON|502/i]) {
      const error = await api.getMe().catch((reason: unknown) => reason)
      const { kind, why } = toApiFailure(error)
      expect(kind).toBe('unreachable')
      expect(why).toMatch(word)
      expect(why).not.toContain('AAE')
    }
  }
  expect(toApiFailure(refused(400, `no /bot${token}/getMe here`)).why).not.toContain('AAE')
})

test('REL-02 anything thrown is classified as a failure', () => {
  for (const thrown of [undefined, null, 'x', {}, new Error(token), new HttpError(token, token)]) {
    const { kind, why } = toApiFailure(thrown)
    expect(kind).toBe('unreachable')
    expect(why).not.toContain('AAE')
  }
})
