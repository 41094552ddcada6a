import { expect, test } from 'vitest'
import { createFlow } from '../support/flow.ts'
import { requirement } from '../support/requirements.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

/** The same conversation in every kind of box: files and commands see one workspace, and what a model wrote is there. */
async function conversation(driver: string): Promise<void> {
  const steps = [
    call('write', { path: 'a/b.txt', content: 'hello\n' }),
    call('list_directory', { path: '.' }),
    call('bash', { command: 'cat a/b.txt; echo "$HOME" > home.txt; echo 中' }),
    call('read', { path: '~/home.txt' }),
    call('grep', { pattern: 'hel+o', path: '.' }),
    call('find_path', { path: '.', pattern: '**/*.txt' }),
    call('edit', { path: 'a/b.txt', old_string: 'hello', new_string: 'bye' }),
    say('done'),
  ]
  const model = createScriptedModel(steps)
  await using flow = await createFlow({ model, settings: { COUNTERSIGN_SANDBOX_DRIVER: driver } })
  expect(flow.product.driver.name).toBe(driver)
  await flow.say('go')
  await flow.decide({ kind: 'approve' })
  const results = model.requests.at(-1)?.messages.filter((message) => message.role === 'tool') ?? []
  expect(results.filter((result) => result.isError)).toEqual([])
  const texts = results.map((result) => result.text)
  expect(texts[1]).toContain('[dir] a')
  expect(texts[2]).toMatch(/hello[\s\S]*中/)
  expect(texts[4]).toContain('a/b.txt:1: hello')
  expect(texts[5]?.split('\n').sort()).toEqual(['a/b.txt', 'home.txt'])
  expect(texts[6]).toContain('+bye')
  expect(flow.platform.answers()).toEqual(['done'])
}

requirement.bubblewrap('BOX-01 BOX-04 BOX-07 the whole conversation in bubblewrap', () =>
  conversation('bubblewrap'),
)

test('BOX-01 BOX-07 BOX-08 the whole conversation in a plain child process', () =>
  conversation('process'))
