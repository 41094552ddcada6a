import { expect, test } from 'vitest'
import { commandBoxContract, commands, files, makeRunnerPlace } from '../../contract/command-box.ts'
import { requirement } from '../../support/run/requirements.ts'

commandBoxContract({
  name: 'bubblewrap',
  settings: () => ({ COUNTERSIGN_SANDBOX_DRIVER: 'bubblewrap' }),
  test: requirement.bubblewrap,
})

const driver = { COUNTERSIGN_SANDBOX_DRIVER: 'process' }

test('BASH-10 the process driver refuses commands that name forbidden paths, whatever file tools may do', async () => {
  await using here = await makeRunnerPlace()
  const [ours, theirs] = [await here.beside('files'), await here.beside('commands')]
  const ask = await here.open({
    ...driver,
    [files]: `${here.workspace},${ours}`,
    [commands]: `${here.workspace},${theirs}`,
  })
  const bash = (command: string) => ask('bash', { command })
  expect(await bash(`cat '${ours}/word'`)).toMatch(/^policy_blocked: The command names .*outside/)
  expect(await bash(`cat ${theirs}/word`)).toContain('the word of commands')
  expect(await bash(`cat --file=${ours}/word`)).toContain('policy_blocked')
  expect(await bash('echo fine > note; cat note')).toContain('fine')
  expect(await ask('read', { path: `${ours}/word` })).toContain('the word of files')
  expect(await ask('read', { path: `${theirs}/word` })).toContain('policy_blocked')
})

test('BASH-10 the process driver refuses commands that name paths in another workspace', async () => {
  await using here = await makeRunnerPlace()
  const ask = await here.open({ ...driver, [commands]: 'src' })
  const bash = (command: string) => ask('bash', { command })
  await ask('write', { path: 'private', content: 'the private word' })
  await ask('write', { path: 'src/x', content: 'in src' })
  for (const named of ['private', './private', '*', 'pri*', '.', 'src/../private', '"private"'])
    expect(await bash(`cat ${named}`), named).toContain('policy_blocked')
  expect(await bash('cat src/x; echo other words')).toContain('in srcother words')
})
