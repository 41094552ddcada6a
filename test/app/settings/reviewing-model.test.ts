import { describe, expect, test } from 'vitest'
import { reviewerOf, reviewRulesOf } from '../../../src/app/gate-parts.ts'
import { openModels } from '../../../src/app/open-models.ts'
import { checkRole } from '../../../src/app/processes/check-state.ts'
import { reviewProblems } from '../../../src/app/settings/reviewing-model.ts'
import { checkModels } from '../../../src/cli/doctor/check-model.ts'
import { createJsonServer } from '../../adapters/model/json-server.ts'
import { configOf, loadWith, problemsOf } from '../../config/support.ts'
import { reviewSettings } from '../../support/reviewer.ts'

const models = {
  fast: { provider: 'openai', name: 'small' },
  still: { provider: 'offline' },
  local: { provider: 'ollama', name: 'qwen3:8b' },
}

const configFor = (keys: Readonly<Record<string, string>>, more: Record<string, string> = {}) =>
  configOf(
    loadWith(
      {},
      {
        COUNTERSIGN_MODELS: JSON.stringify(models),
        ANTHROPIC_API_KEY: 'anthropic-key',
        ...reviewSettings(keys),
        ...more,
      },
    ),
  )

const reviewing = async (config: ReturnType<typeof configFor>) =>
  (await checkModels(config)).filter(({ what }) => what === 'reviewing model')

describe('the model that reviews calls', () => {
  test('POL-05 CONF-02 a name that is not of a configured model prevents the start, and doctor reports it', async () => {
    for (const provider of ['slow', 'constructor', '__proto__']) {
      const config = configFor({ PROVIDER: provider })
      const [problem] = reviewProblems(config)
      expect(problem).toBe(
        `[tools.adversarial_policy] provider: “${provider}” names none of the models in [models.<name>] (there: fast, still, local)`,
      )
      expect(checkRole('agent', config)).toContain(problem)
      expect(await reviewing(config)).toMatchObject([{ level: 'fail', finding: problem }])
    }
  })

  test('POL-05 cannot be the offline model', () => {
    expect(reviewProblems(configFor({ PROVIDER: 'still' }))).toEqual([
      expect.stringContaining('the offline model cannot review calls'),
    ])
    expect(reviewProblems(configFor({}, { COUNTERSIGN_MODEL_PROVIDER: 'offline' }))).toHaveLength(1)
  })

  test('POL-05 a model without its key prevents the start, and doctor names it', async () => {
    const config = configFor({ PROVIDER: 'fast' })
    expect(await reviewing(config)).toMatchObject([
      { level: 'fail', finding: expect.stringContaining('there is no key for it') },
    ])
    await expect(openModels(config)).rejects.toThrow('OPENAI_API_KEY')
  })

  test('POL-05 is the main model by default, another one if named, and none when reviews are off', async () => {
    await using provider = await createJsonServer(() => ({ body: { id: 'claude-sonnet-4-5' } }))
    const own = configFor({}, { ANTHROPIC_BASE_URL: provider.url })
    expect(await reviewing(own)).toMatchObject([
      { level: 'ok', finding: expect.stringContaining('claude') },
    ])
    expect((await openModels(own)).reviewer?.provider).toBe('anthropic')
    const local = configFor({ PROVIDER: 'local' })
    expect((await openModels(local)).reviewer?.name).toBe('qwen3:8b')
    const off = configFor({ PROVIDER: 'slow', ENABLED: 'false' })
    expect(reviewProblems(off)).toEqual([])
    expect(await reviewing(off)).toEqual([])
    expect((await openModels(off)).reviewer).toBeUndefined()
    expect(reviewRulesOf(off)).toBeUndefined()
  })

  test.each([
    ['has the model', { body: { id: 'claude-sonnet-4-5' } }, 'the provider has it'],
    ['does not say', undefined, 'is not known'],
  ])(
    'POL-05 doctor warns if calls run without a review, also for a provider that %s',
    async (_what, answer, words) => {
      await using provider = await createJsonServer(() => answer)
      const config = configFor({ FAIL_OPEN: 'true' }, { ANTHROPIC_BASE_URL: provider.url })
      const [finding, ...others] = await reviewing(config)
      expect(others).toEqual([])
      expect(finding).toMatchObject({
        level: 'warn',
        finding: expect.stringMatching(new RegExp(`${words}.*without a review`)),
        mend: expect.stringContaining('fail_open'),
      })
    },
  )

  test('POL-05 a changed policy or model invalidates earlier reviews', () => {
    const digests = [{}, { POLICY: 'a' }, { POLICY: 'b' }, { PROVIDER: 'local' }].map(
      (keys) => reviewRulesOf(configFor(keys as Record<string, string>))?.reviewer,
    )
    expect(new Set(digests).size).toBe(4)
    const milder = reviewRulesOf(configFor({ BLOCK_ON_REJECT: 'false', EXEMPT_TOOLS: 'read' }))
    expect(milder).toMatchObject({
      reviewer: digests[0],
      blockOnReject: false,
      exemptTools: ['read'],
    })
  })

  test('POL-05 without a reviewing model nothing starts that would run calls', () => {
    expect(() => reviewerOf(configFor({}), undefined)).toThrow('no model was opened')
  })

  test('POL-05 a policy has a bounded length', () => {
    const tooLong = loadWith({}, reviewSettings({ POLICY: 'x'.repeat(16_001) }))
    expect(JSON.stringify(problemsOf(tooLong))).toContain('at most 16,000 characters')
  })
})
