import { expect, test } from 'vitest'
import { createModel } from '../../../../src/adapters/model/create-model.ts'
import { createOfflineModel } from '../../../../src/adapters/model/offline/offline-model.ts'
import type { TranscriptMessage } from '../../../../src/domain/message.ts'
import { formatToolError } from '../../../../src/domain/tool/tool-error.ts'
import type { ModelAnswer, ModelRequest } from '../../../../src/ports/model.ts'
import { bashTool, fromPerson, toModelRequest } from '../model-request.ts'

const tools = ['bash', 'fetch', 'find_path', 'grep', 'list_directory', 'read', 'write'].map(
  (name) => ({ ...bashTool, name }),
)

test('MODEL-03 goes through a request step by step and ends with every output', async () => {
  const { messages, answer } = await play(
    'write notes.txt saying hello, then run the command: wc -c notes.txt, then read notes.txt',
    {
      write: 'Wrote 5 bytes to notes.txt',
      bash: '5 notes.txt',
      read: '1\thello',
    },
  )
  expect(
    messages.flatMap((m) => (m.role === 'assistant' ? m.calls.map(({ tool }) => tool) : [])),
  ).toEqual(['write', 'bash', 'read'])
  for (const output of ['Wrote 5 bytes to notes.txt', '5 notes.txt', '1\thello']) {
    expect(answer.text).toContain(`\`\`\`\n${output}\n\`\`\``)
  }
})

test('MODEL-03 asks for steps joined by “and” in one batch', async () => {
  const { messages } = await play('read a.txt and list the files', {
    read: 'x',
    list_directory: 'y',
  })
  const [batch] = messages.flatMap((m) => (m.role === 'assistant' ? [m.calls] : []))
  expect(batch?.map(({ tool }) => tool)).toEqual(['read', 'list_directory'])
})

test('MODEL-03 says plainly what was denied, with the person’s reason, and what it left out', async () => {
  const denied = formatToolError({
    category: 'policy_blocked',
    message: 'rejected by user: not on a Friday',
  })
  const { answer } = await play('run the command: deploy --all, then read notes.txt', {
    bash: denied,
  })
  expect(answer.calls).toEqual([])
  expect(answer.text).toContain(
    '`bash deploy --all` was not done: rejected by user: not on a Friday',
  )
  expect(answer.text).toContain('Not done: `read notes.txt`')
})

test('MODEL-03 shows a failure that is no tool error block as it came', async () => {
  const { answer } = await play('read notes.txt', { read: 'ERROR something broke' })
  expect(answer.text).toContain('`read notes.txt` failed:\n\n```\nERROR something broke\n```')
})

test('MODEL-03 fences output so that it cannot break out', async () => {
  const { answer } = await play('read notes.txt', { read: '```\n# fake' })
  expect(answer.text).toContain('````\n```\n# fake\n````')
})

test('MODEL-03 says what it is and what it can do when it does not understand', async () => {
  const { answer } = await play('write me a sonnet about rain', {})
  expect(answer.text).toMatch(/offline model/)
  expect(answer.text).toMatch(/no language model/)
  expect(answer.text).toContain('list the files here')
  expect(answer.text).toContain('“write me a sonnet about rain”')
})

test('MODEL-03 uses offered tools only', async () => {
  const answer = await createOfflineModel().answer(
    toModelRequest('fetch https://example.com', { tools: [bashTool] }),
  )
  expect(answer.calls).toEqual([])
  expect(answer.text).toContain('no tool `fetch`')
})

test('LOOP-10 sums up when tools are forbidden', async () => {
  const asked = 'read a.txt, then read b.txt'
  const half: TranscriptMessage[] = [
    fromPerson(asked),
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'offline-1', tool: 'read', arguments: '{"path":"a.txt"}' }],
    },
    { role: 'tool', callId: 'offline-1', tool: 'read', text: 'of a', isError: false },
  ]
  const answer = await createOfflineModel().answer(
    toModelRequest(half, { tools, toolChoice: 'none' }),
  )
  expect(answer.calls).toEqual([])
  expect(answer.text).toContain('of a')
  expect(answer.text).toContain('Not done: `read b.txt`')
})

test('MODEL-03 starts afresh with each turn, with ids that never come twice', async () => {
  const first = await play('read a.txt', { read: 'of a' })
  const second = await play('read b.txt', { read: 'of b' }, [
    ...first.messages,
    { role: 'assistant', text: first.answer.text, calls: [] },
  ])
  expect(second.answer.text).toContain('of b')
  expect(second.answer.text).not.toContain('of a')
  const ids = second.messages.flatMap((m) =>
    m.role === 'assistant' ? m.calls.map(({ id }) => id) : [],
  )
  expect(new Set(ids).size).toBe(2)
})

test('LOOP-14 forgets a request that was stopped when another one follows', async () => {
  const stopped: TranscriptMessage[] = [
    fromPerson('read a.txt, then run the command: rm a.txt'),
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'offline-1', tool: 'read', arguments: '{"path":"a.txt"}' }],
    },
    { role: 'tool', callId: 'offline-1', tool: 'read', text: 'of a', isError: false },
  ]
  const { messages, answer } = await play('list the files', { list_directory: 'b.txt' }, stopped)
  expect(
    messages
      .slice(4)
      .flatMap((m) => (m.role === 'assistant' ? m.calls.map(({ tool }) => tool) : [])),
  ).toEqual(['list_directory'])
  expect(answer.text).not.toContain('of a')
})

test('CHAT-08 goes on with its work when a remark comes in between', async () => {
  const messages: TranscriptMessage[] = [
    fromPerson('read a.txt, then read b.txt'),
    {
      role: 'assistant',
      text: '',
      calls: [{ id: 'offline-1', tool: 'read', arguments: '{"path":"a.txt"}' }],
    },
    { role: 'tool', callId: 'offline-1', tool: 'read', text: 'of a', isError: false },
    fromPerson('hurry up!'),
  ]
  const model = createOfflineModel()
  const next = await model.answer(toModelRequest(messages, { tools }))
  expect(next.calls).toMatchObject([{ tool: 'read', arguments: '{"path":"b.txt"}' }])
  messages.push({ role: 'assistant', text: '', calls: next.calls })
  for (const { id } of next.calls)
    messages.push({ role: 'tool', callId: id, tool: 'read', text: 'of b', isError: false })
  const { text } = await model.answer(toModelRequest(messages, { tools }))
  expect(text).toContain('of a')
  expect(text).toContain('of b')
  expect(text).toContain('“hurry up!”')
})

test('MODEL-03 gives equal answers to equal transcripts and streams them in pieces', async () => {
  const model = await createModel({ provider: 'offline', name: '', maxOutputTokens: 0 })
  const pieces: string[] = []
  const request = toModelRequest('who are you?', { onText: (text) => pieces.push(text) })
  const answer = await model.answer(request)
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(answer.text)
  expect(await model.answer(request)).toEqual(answer)
  expect(model).toMatchObject({ provider: 'offline', name: 'offline', nativeTools: true })
})

test('LOOP-14 stops in the middle of its words', async () => {
  const stop = new AbortController()
  const failure = createOfflineModel().answer(
    toModelRequest('who are you?', { signal: stop.signal, onText: () => stop.abort() }),
  )
  await expect(failure).rejects.toMatchObject({ name: 'ModelError', kind: 'aborted' })
})

/** Plays one turn against given results; text that begins with an error mark is an error. */
async function play(
  asked: string,
  results: Readonly<Record<string, string>>,
  before: readonly TranscriptMessage[] = [],
) {
  const model = createOfflineModel()
  const messages: TranscriptMessage[] = [...before, fromPerson(asked)]
  const request = (): ModelRequest => toModelRequest(messages, { tools })
  let answer: ModelAnswer = await model.answer(request())
  for (let step = 0; answer.calls.length > 0 && step < 10; step++) {
    messages.push({ role: 'assistant', text: answer.text, calls: answer.calls })
    for (const { id, tool } of answer.calls) {
      const text = results[tool] ?? 'nothing'
      messages.push({
        role: 'tool',
        callId: id,
        tool,
        text,
        isError: /^(?:\[tool_error\]|ERROR)/.test(text),
      })
    }
    answer = await model.answer(request())
  }
  return { messages, answer }
}
