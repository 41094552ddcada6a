import { expect, test } from 'vitest'
import { processesWith, rareSleep, untilGone } from '../adapters/sandbox/fixtures/processes.ts'
import { commands, files, makeRunnerPlace } from '../contract/command-box.ts'
import { createFlow } from '../support/flow.ts'
import { requirement } from '../support/run/requirements.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

type Settings = Readonly<Record<string, string>>

/** The same conversation in every kind of box: files and commands see one workspace, and what a model wrote is there. */
async function conversation(driver: string, more: Settings = {}): Promise<void> {
  const steps = [
    call('write', { path: 'a/b.txt', content: 'hello\n' }),
    call('list_directory', { path: '.' }),
    call('bash', { command: 'cat a/b.txt; echo "$HOME" > home.txt; echo 中' }),
    call('read', { path: '~/home.txt' }),
    call('grep', { pattern: 'hel+o', path: '.' }),
    call('find_path', { path: '.', pattern: '**/*.txt' }),
    call('edit', { path: 'a/b.txt', old_string: 'hello', new_string: 'bye' }),
    call('bash', { command: 'mkdir -p .git/hooks && ln -s "$PWD/.git/hooks" a/l' }),
    call('bash', { command: 'cp a/b.txt a/l/pre-commit && ls .git/hooks' }),
    say('done'),
  ]
  const model = createScriptedModel(steps)
  const settings = { COUNTERSIGN_SANDBOX_DRIVER: driver, ...more }
  await using flow = await createFlow({ model, settings })
  expect(flow.product.driver.name).toBe(driver)
  await flow.say('go')
  // The last command asks by its text, and again for the hook to which its link leads (SHELL-11).
  for (const _asked of ['cat', 'ln', 'cp', 'the hook']) await flow.decide({ kind: 'approve' })
  const results = model.requests.at(-1)?.messages.filter((message) => message.role === 'tool') ?? []
  expect(results.filter((result) => result.isError)).toEqual([])
  const texts = results.map((result) => result.text)
  expect(texts[1]).toContain('[dir] a')
  expect(texts[2]).toMatch(/hello[\s\S]*中/)
  expect(texts[4]).toContain('a/b.txt:1: hello')
  expect(texts[5]?.split('\n').sort()).toEqual(['a/b.txt', 'home.txt'])
  expect(texts[6]).toContain('+bye')
  expect(texts[8]).toContain('pre-commit')
  expect(flow.platform.answers()).toEqual(['done'])
}

requirement.bubblewrap('BOX-01 BOX-04 BOX-07 the whole conversation in bubblewrap', () =>
  conversation('bubblewrap'),
)

requirement.bubblewrap(
  'BASH-10 BOX-07 the whole conversation where commands have a box of their own',
  () => conversation('bubblewrap', { COUNTERSIGN_TOOLS_SHELL_ALLOWED_PATHS: '.,/srv' }),
)

requirement.bubblewrap(
  'BASH-10 commands of a conversation reach their list and not that of file tools, whoever approved; /stop ends what they left running',
  async () => {
    await using here = await makeRunnerPlace()
    const [ours, theirs] = [await here.beside('files'), await here.beside('commands')]
    const word = rareSleep()
    const model = createScriptedModel([
      call('bash', { command: `cat ${theirs}/word; cat ${ours}/word; sleep ${word} &` }),
      call('bash', { command: `sleep ${word}`, background: true }),
      call('read', { path: `${ours}/word` }),
      call('read', { path: `${theirs}/word` }),
      call('diagnostics', { kind: 'tsc', path: theirs }),
      call('diagnostics', { kind: 'tsc', path: ours }),
      say('done'),
    ])
    const settings = {
      COUNTERSIGN_SANDBOX_DRIVER: 'bubblewrap',
      [files]: `.,${ours}`,
      [commands]: `.,${theirs}`,
    }
    await using flow = await createFlow({ model, settings })
    await flow.say('go')
    for (const _asked of ['bash', 'bash', 'diagnostics']) await flow.decide({ kind: 'approve' })
    const messages = model.requests.at(-1)?.messages ?? []
    const results = messages.filter(({ role }) => role === 'tool')
    const [bash, , read, denied, compiler, outside] = results.map(({ text }) => text)
    expect(compiler).toContain('there is no tsconfig.json')
    expect(outside).toContain('outside')
    expect(bash).toContain('the word of commands')
    expect(bash).not.toContain('the word of files')
    expect(read).toContain('the word of files')
    expect(denied).toContain('outside what file tools may reach')
    expect(processesWith(word).length).toBeGreaterThan(0)
    await flow.say('/stop')
    await untilGone(word)
  },
)

test('BOX-01 BOX-07 BOX-08 the whole conversation in a plain child process', () =>
  conversation('process'))
