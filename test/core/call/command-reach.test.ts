import { expect, test } from 'vitest'
import { createBenchKernel } from '../../support/bench-kernel.ts'
import { call, createScriptedModel } from '../../support/scripted-model.ts'

test.each([
  ['bash', { command: 'git status' }, ['/srv/commands'], true],
  ['read', { path: 'a' }, ['/workspace'], false],
])(
  'BASH-06 BASH-10 PROC-02 a job of %s is signed for what its kind may reach, and for a network if it starts programs',
  async (tool, args, allowed, network) => {
    await using bench = await createBenchKernel(createScriptedModel([call(tool, args)]))
    bench.rules.text = JSON.stringify({ bash: { 'git status': 'allow' }, read: { '*': 'allow' } })
    await bench.say('hi')
    await bench.step({
      ...bench.kernel,
      files: { ...bench.kernel.files, allowed: (workspace) => [workspace] },
      commands: { allowed: () => ['/srv/commands'], network: true },
    })
    const [sent] = bench.jobs
    const header = JSON.parse(sent?.job.header ?? '{}')
    expect(header).toMatchObject({ tool, network, rules: { allowed } })
  },
)
