import { describe, expect, test } from 'vitest'
import { openModels } from '../../../src/app/open-models.ts'
import { configOf, loadWith } from '../../config/support.ts'
import { createFlow } from '../../support/flow.ts'
import { createModelServer, type Reply } from '../../support/model-server.ts'
import { auditedReview, list, reviewing, reviewSettings, row } from '../../support/reviewer.ts'

describe('a reviewer over the wire', () => {
  /** The model that `[models.fast]` names, at a server that answers as a script says. */
  async function openFast(url: string) {
    const config = configOf(
      loadWith(
        {},
        {
          ...reviewSettings({ PROVIDER: 'fast' }),
          COUNTERSIGN_MODELS: JSON.stringify({ fast: { provider: 'openai', name: 'small' } }),
          OPENAI_BASE_URL: url,
          OPENAI_API_KEY: 'sk-the-key',
          COUNTERSIGN_MODEL_PROVIDER: 'offline',
        },
      ),
    )
    const { reviewer } = await openModels(config)
    if (reviewer === undefined) throw new Error('no reviewer was opened')
    return reviewer
  }

  const reply = (verdict: string): ((body: { messages: { content: unknown }[] }) => Reply) => {
    return ({ messages }) => {
      const { content } = messages.at(-1) ?? {}
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      const review = /\\?"review\\?": ?\\?"([0-9a-f]{12})/.exec(text)?.[1]
      return { kind: 'answer', text: JSON.stringify({ review, verdict, reason: 'said so' }) }
    }
  }

  test.each(['allow', 'deny'])(
    'POL-05 provider names a configured model, whose %s counts',
    async (word) => {
      await using server = await createModelServer(({ body }) => reply(word)(body))
      const reviewer = await openFast(server.url)
      await using flow = await createFlow({ model: list(), reviewer, settings: reviewing })
      await flow.say('go')
      expect(server.requests).toHaveLength(1)
      expect(server.requests[0]?.body.tools).toBeUndefined()
      expect((await row(flow)).state).toBe(word === 'allow' ? 'succeeded' : 'denied')
    },
  )

  test.each([
    ['says nothing', { kind: 'hang' }, '300ms', 'no answer within 0.3 s'],
    [
      'begins and goes on for ever',
      { kind: 'hang', text: '{"review"' },
      '300ms',
      'no answer within 0.3 s',
    ],
    ['breaks off', { kind: 'cut', text: '{"review"' }, '60s', 'no review'],
    ['is broken', { kind: 'status', status: 500 }, '60s', '500'],
  ] as const)('POL-05 a provider that %s is a denial, in time', async (_, answer, timeout, why) => {
    await using server = await createModelServer([answer])
    const reviewer = await openFast(server.url)
    const settings = reviewSettings({ TIMEOUT: timeout })
    await using flow = await createFlow({ model: list(), reviewer, settings })
    await flow.say('go')
    expect(await row(flow)).toMatchObject({ state: 'denied' })
    expect((await auditedReview(flow)).rule).toContain(why)
  })
})
