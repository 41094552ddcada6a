import { expect, test } from 'vitest'
import type { LanguageModel } from '../../../src/adapters/model/language-model.ts'
import { createSdkModel } from '../../../src/adapters/model/sdk-model.ts'
import { toModelError } from '../../../src/adapters/model/to-model-error.ts'
import { toModelRequest } from './model-request.ts'

const names = { label: 'Somebody', keyVariable: 'A_KEY', urlVariable: 'A_URL', secret: 'sk-1' }

function createDeafModel(doStream: LanguageModel['doStream']) {
  const language: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'deaf',
    modelId: 'deaf',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not used')),
    doStream,
  }
  return createSdkModel({
    provider: 'openai',
    name: 'deaf',
    nativeTools: true,
    contextTokens: undefined,
    names,
    language,
    toOptions: () => ({ prompt: [] }),
  })
}

test('INT-31 gives up on a provider that never looks at the signal', async () => {
  const model = createDeafModel(() => new Promise(() => undefined))
  const stop = new AbortController()
  const failure = model.answer(toModelRequest('hi', { signal: stop.signal }))
  stop.abort()
  await expect(failure).rejects.toMatchObject({ name: 'ModelError', kind: 'aborted' })
})

test('INT-31 passes on no more text after the abort', async () => {
  const source = Promise.withResolvers<ReadableStreamDefaultController>()
  const stream = new ReadableStream({ start: (controller) => source.resolve(controller) })
  const model = createDeafModel(async () => ({ stream }))
  const stop = new AbortController()
  const pieces: string[] = []
  const failure = model.answer(
    toModelRequest('hi', { signal: stop.signal, onText: (text) => pieces.push(text) }),
  )
  failure.catch(() => undefined)
  const controller = await source.promise
  controller.enqueue({ type: 'text-delta', id: '0', delta: 'before' })
  await expect.poll(() => pieces).toEqual(['before'])
  stop.abort()
  controller.enqueue({ type: 'text-delta', id: '0', delta: 'after' })
  await expect(failure).rejects.toMatchObject({ kind: 'aborted' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(pieces).toEqual(['before'])
})

test.each([
  [
    { statusCode: 429, message: '', responseBody: '{"error":{"code":"insufficient_quota"}}' },
    'refused',
    undefined,
  ],
  [
    {
      statusCode: 429,
      message: '',
      responseHeaders: { 'retry-after-ms': '250', 'retry-after': '9' },
    },
    'rate_limited',
    250,
  ],
  [
    { statusCode: 429, message: '', responseHeaders: { 'retry-after': 'soon' } },
    'rate_limited',
    undefined,
  ],
  [{ statusCode: 503, message: '', responseHeaders: { 'retry-after': '3' } }, 'unreachable', 3000],
  [{ statusCode: 408, message: '' }, 'unreachable', undefined],
  [{ statusCode: 413, message: 'too large' }, 'refused', undefined],
  [{ message: 'slow', code: 'rate_limit_exceeded' }, 'rate_limited', undefined],
  [{ message: 'slow', code: 503 }, 'unreachable', undefined],
  [{ message: 'who?', type: 'authentication_error' }, 'refused', undefined],
  ['a bare text', 'broken', undefined],
  [null, 'broken', undefined],
])('MODEL-04 tells from %j that it is %s', (error, kind, retryAfterMs) => {
  expect(toModelError(error, names, true)).toMatchObject({ kind, retryAfterMs })
})

test('MODEL-04 keeps what a provider says to one line of bounded length', () => {
  const { message } = toModelError(
    { statusCode: 400, message: `a\nb\0 ${'x'.repeat(5000)}` },
    names,
    true,
  )
  expect(message).toMatch(/: a b\ufffd x/)
  expect(message.length).toBeLessThan(400)
})
