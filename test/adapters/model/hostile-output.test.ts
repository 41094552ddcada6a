import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CollectedPart } from '../../../src/adapters/model/answer/read-stream.ts'
import { toAnswer } from '../../../src/adapters/model/answer/to-answer.ts'
import { createModel } from '../../../src/adapters/model/create-model.ts'
import { toStorable } from '../../../src/util/text/storable.ts'
import { createModelServer, type Reply } from '../../support/model-server.ts'
import { anyCharacter } from '../../support/run/any-character.ts'
import { fromPerson, toModelRequest } from './model-request.ts'

const signer = { provider: 'openai', model: 'm' }
const noTokens = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}
const finish = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: noTokens,
} as const

describe.each(['anthropic', 'openai'] as const)('%s', (provider) => {
  async function answerOf(reply: Omit<Extract<Reply, { kind: 'answer' }>, 'kind'>) {
    await using server = await createModelServer([{ kind: 'answer', ...reply }])
    const model = await createModel({
      provider,
      name: 'm',
      apiKey: 'k',
      baseUrl: server.url,
      maxOutputTokens: 100,
    })
    return await model.answer(toModelRequest('hi'))
  }

  test.each(['{"command": "ls', 'ls -la', '[1,2]', '"text"', '{"a":1}}', '{"__proto__":{"x":1}}'])(
    'REL-02 hands on the arguments %s as they are, and replays them without upsetting anyone',
    async (text) => {
      await using server = await createModelServer([
        { kind: 'answer', calls: [{ id: 'c1', tool: 'bash', arguments: text }] },
      ])
      const model = await createModel({
        provider,
        name: 'm',
        apiKey: 'k',
        baseUrl: server.url,
        maxOutputTokens: 100,
      })
      const { calls } = await model.answer(toModelRequest('hi'))
      expect(calls).toEqual([{ id: 'c1', tool: 'bash', arguments: text }])

      await model.answer(toModelRequest([fromPerson('hi'), { role: 'assistant', text: '', calls }]))
      const sent = server.requests[1]?.body.messages.find(
        ({ role }: { role: string }) => role === 'assistant',
      )
      const input = sent.content?.[0].input ?? JSON.parse(sent.tool_calls[0].function.arguments)
      expect(input).toBeTypeOf('object')
      expect(Array.isArray(input)).toBe(false)
      const isObject = text.startsWith('{"__proto__')
      expect(JSON.stringify(input)).toBe(
        isObject ? text : JSON.stringify({ invalid_arguments: text }),
      )
    },
  )

  test('REL-02 makes duplicate and empty call ids unique', async () => {
    const calls = ['a', 'a', '', '', 'a-2'].map((id) => ({ id, tool: 'bash', arguments: '{}' }))
    const ids = (await answerOf({ calls })).calls.map(({ id }) => id)
    expect(new Set(ids).size).toBe(5)
    expect(ids.every((id) => id !== '')).toBe(true)
    expect(ids[0]).toBe('a')
  })

  test('REL-02 takes 64 calls of a message and says how many it dropped', async () => {
    const calls = Array.from({ length: 70 }, (_, index) => ({
      id: `c${index}`,
      tool: 'bash',
      arguments: `{"n":${index}}`,
    }))
    const answer = await answerOf({ text: 'many', calls })
    expect(answer.calls.map(({ id }) => id)).toEqual(calls.slice(0, 64).map(({ id }) => id))
    expect(answer.text).toMatch(/^many\n\n.*6 of 70 tool calls.*dropped/)
  })

  test('REL-02 tolerates NUL and lone surrogates', async () => {
    const answer = await answerOf({
      text: 'a\0b\ud800c',
      calls: [{ id: 'x\0', tool: 'ba\0sh', arguments: '{"command":"\ud800\\u0000"}' }],
    })
    expect(answer.text).toBe('a\ufffdb\ufffdc')
    expect(answer.calls).toEqual([
      { id: 'x\ufffd', tool: 'ba\ufffdsh', arguments: '{"command":"\ufffd\\u0000"}' },
    ])
  })

  test('MODEL-04 says so when the output limit left no room for an answer', async () => {
    const stopReason = provider === 'anthropic' ? 'max_tokens' : 'length'
    await expect(answerOf({ text: '', stopReason })).rejects.toMatchObject({
      kind: 'broken',
      message: expect.stringContaining('output tokens'),
    })
  })
})

test('REL-02 whatever blocks a model sends, the answer can be stored and its calls told apart', () => {
  const part = fc.oneof(
    fc.record({
      kind: fc.constantFrom('text', 'reasoning'),
      text: fc.string({ unit: anyCharacter }),
      options: fc.constant(undefined),
    }),
    fc.record({
      kind: fc.constant('call'),
      id: fc.oneof(fc.constantFrom('', 'a', 'a-2'), fc.string({ unit: anyCharacter })),
      tool: fc.string({ unit: anyCharacter }),
      arguments: fc.string({ unit: anyCharacter }),
      options: fc.constantFrom(undefined, { google: { thoughtSignature: 's\0' } }),
    }),
  ) as fc.Arbitrary<CollectedPart>
  fc.assert(
    fc.property(fc.array(part, { maxLength: 80 }), (parts) => {
      const said = { kind: 'text', text: 'so', options: undefined } as const
      const answer = toAnswer(
        { parts: [said, ...parts], finish },
        { toolChoice: 'auto', tools: [] },
        signer,
      )
      const texts = [
        answer.text,
        ...answer.calls.flatMap((call) => [call.id, call.tool, call.arguments]),
      ]
      expect(texts.every((text) => text === toStorable(text))).toBe(true)
      expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(answer.calls.length)
      expect(answer.calls.length).toBe(
        Math.min(64, parts.filter(({ kind }) => kind === 'call').length),
      )
      expect(JSON.stringify(answer.raw ?? {})).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i)
    }),
  )
})

test.each([Number.NaN, -5, 1.5, 1e300, Number.POSITIVE_INFINITY])(
  'MODEL-05 keeps a token count of %d storable',
  (total) => {
    const usage = { ...noTokens, inputTokens: { ...noTokens.inputTokens, total } }
    const { inputTokens } = toAnswer(
      { parts: [{ kind: 'text', text: 'so', options: undefined }], finish: { ...finish, usage } },
      { toolChoice: 'auto', tools: [] },
      signer,
    ).usage
    expect(Number.isInteger(inputTokens)).toBe(true)
    expect(inputTokens).toBeGreaterThanOrEqual(0)
    expect(inputTokens).toBeLessThan(2 ** 31)
  },
)
