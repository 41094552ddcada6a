import { expect, test } from 'vitest'
import { createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel } from '../../support/scripted-model.ts'

test.each([
  ['bash', { command: 'git status' }, ['/srv/commands'], true],
  ['read', { path: 'a' }, ['/workspace'], false],
])(
  'BASH-06 BASH-10 PROC-02 a job of %s is signed for what its kind may reach, and for a network if it starts programs',
  async (tool, args, allowed, network) => {
    await using bench = await createBenchContext(createScriptedModel([call(tool, args)]))
    bench.rules.text = JSON.stringify({ bash: { 'git status': 'allow' }, read: { '*': 'allow' } })
    await bench.say('hi')
    await bench.step({
      ...bench.ctx,
      files: { ...bench.ctx.files, allowed: (workspace) => [workspace] },
      commands: { allowed: () => ['/srv/commands'], network: true },
    })
    const [sent] = bench.jobs
    const header = JSON.parse(sent?.job.header ?? '{}')
    expect(header).toMatchObject({ tool, network, rules: { allowed } })
  },
)

test.each([
  ['npm install left-pad', {}, true],
  ['git push origin main', { hasNetwork: true }, false],
  ['make deploy', {}, false],
])(
  'BASH-11 the card of %s says that commands have no network, where it looks as if it wants one and there is none',
  async (command, more, isTold) => {
    await using bench = await createBenchContext(createScriptedModel([call('bash', { command })]))
    bench.rules.text = JSON.stringify({ bash: { '*': 'ask' } })
    await bench.say('hi')
    const { commands } = bench.ctx
    await bench.step({ ...bench.ctx, commands: { ...commands, ...more } })
    const { card } = await bench.ctx.db
      .selectFrom('approval')
      .select('card')
      .executeTakeFirstOrThrow()
    const { warning = '' } = JSON.parse(card)
    expect(warning).toBe(isTold ? 'Commands have no network here: this is likely to fail.' : '')
  },
)
