import { describe, expect, test } from 'vitest'
import { createFlow, type Flow } from '../support/flow.ts'
import { call, createScriptedModel, say } from '../support/scripted-model.ts'

/** A turn with one command, approved, which is answered with `words`. */
async function ran(command: string, settings: Readonly<Record<string, string>> = {}, words = 'ok') {
  const model = createScriptedModel((request) =>
    request.messages.at(-1)?.role === 'tool' ? say(words) : call('bash', { command }),
  )
  const flow = await createFlow({ model, settings })
  await flow.say('go')
  await flow.decide({ kind: 'approve' })
  return { flow, model }
}

async function lastNotice({ db }: Flow) {
  const rows = await db.selectFrom('outbox').select('body').orderBy('id').execute()
  return JSON.parse(rows.at(-1)?.body ?? '{}')
}

describe('what a person is shown of a call', () => {
  test('OUT-10 is the model’s answer, and nothing that a tool printed', async () => {
    const { flow } = await ran('echo printed', {}, 'It worked.')
    await using _flow = flow
    expect(flow.platform.answers()).toEqual(['It worked.'])
    const bodies = await flow.db.selectFrom('outbox').select('body').execute()
    const said = bodies.map(({ body }) => JSON.parse(body)).filter(({ kind }) => kind !== 'card')
    expect(JSON.stringify(said.filter(({ kind }) => kind !== 'card_update'))).not.toContain(
      'printed',
    )
  })

  test('OUT-10 /output shows a short output as it is, without a file', async () => {
    const { flow } = await ran('echo printed')
    await using _flow = flow
    await flow.say('/output 1')
    const notice = await lastNotice(flow)
    expect(notice).toMatchObject({ text: 'Call 1, bash: exit 0' })
    expect(notice.quoted).toContain('printed')
    expect(notice).not.toHaveProperty('file')
  })

  test('OUT-10 of a long one it shows both ends, and all of it is a file', async () => {
    const { flow } = await ran('seq -f "line %04g" 1 3000')
    await using _flow = flow
    await flow.say('/output 1')
    const { quoted, file } = await lastNotice(flow)
    expect(quoted.length).toBeLessThanOrEqual(6_000)
    expect(quoted).toMatch(/^line 0001\n.* more in the file ⋯\n.*line 3000\n/s)
    expect(file).toMatchObject({ name: 'output-1.txt', about: 'the output of call 1' })
    const { content } = await flow.db
      .selectFrom('attachment')
      .select('content')
      .where('id', '=', file.id)
      .executeTakeFirstOrThrow()
    expect(content.toString().split('\n').slice(0, 3_000)).toEqual(
      Array.from({ length: 3_000 }, (_, at) => `line ${String(at + 1).padStart(4, '0')}`),
    )
  })

  test('OUT-04 OUT-10 it is the filtered output; with “all” what filters took away is there too', async () => {
    const compiling = 'for i in $(seq 2000); do echo "   Compiling crate$i v1.0.0"; done; echo done'
    const { flow } = await ran(`cargo() { ${compiling}; }; cargo build`)
    await using _flow = flow
    await flow.say('/output 1')
    const filtered = await lastNotice(flow)
    expect(filtered.text).toMatch(/\[shell\] \d+ lines -> \d+ lines/)
    expect(filtered.quoted).not.toContain('crate1000 ')
    await flow.say('/output 1 all')
    const { file } = await lastNotice(flow)
    const { content } = await flow.db
      .selectFrom('attachment')
      .select('content')
      .where('id', '=', file.id)
      .executeTakeFirstOrThrow()
    expect(content.toString()).toContain('Compiling crate1000 v1.0.0')
    await flow.say('/output 1 all')
    expect((await lastNotice(flow)).file.id).toBe(file.id)
    const kept = await flow.db.selectFrom('attachment').select(['name', 'is_output']).execute()
    expect(kept).toEqual([{ name: 'output-1.txt', is_output: true }])
  })
})

describe('what is over the threshold', () => {
  test('OUT-04 OUT-09 filtered text that is still too long is cut, and what filters took away is read back by the same reference', async () => {
    const lines =
      'for i in $(seq 400); do echo "   Compiling crate$i v1.0.0"; echo "warning: number $i"; done'
    const id = { value: '' }
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role !== 'tool')
        return call('bash', { command: `cargo() { ${lines}; }; cargo build` })
      if (last.tool !== 'bash') return say(last.text)
      id.value = /overflow:\S{36}/.exec(last.text)?.[0] ?? ''
      return call('read_overflow', { id: id.value, pattern: 'crate200 ' })
    })
    const settings = { COUNTERSIGN_TOOLS_OVERFLOW_THRESHOLD: '2000' }
    await using flow = await createFlow({ model, settings })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    const row = await flow.db
      .selectFrom('tool_call')
      .selectAll()
      .orderBy('number')
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ truncated: true, filter_confidence: 'full' })
    expect(row.result).not.toContain('Compiling')
    expect(row.result).toContain(`characters left out; read them with ${id.value}`)
    expect(row.result).toContain(`all of them with ${id.value}]`)
    expect(flow.platform.answers().at(-1)).toContain('Compiling crate200 v1.0.0')
  })

  test('OUT-09 an endless line is read back to its end, one window after the other', async () => {
    const parts: string[] = []
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role !== 'tool') {
        return call('bash', { command: 'for i in $(seq 1000); do printf "%04d-" $i; done' })
      }
      const id = /overflow:\S{36}/.exec(JSON.stringify(request.messages))?.[0]
      if (last.tool === 'bash') return call('read_overflow', { id })
      parts.push(last.text.split('\n')[1] ?? '')
      const [, offset, column] = /offset (\d+), column (\d+)\]$/.exec(last.text) ?? []
      if (column === undefined) return say('read')
      return call('read_overflow', { id, offset: Number(offset), column: Number(column) })
    })
    const settings = { COUNTERSIGN_TOOLS_OVERFLOW_THRESHOLD: '1500' }
    await using flow = await createFlow({ model, settings })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    expect(flow.platform.answers().at(-1)).toBe('read')
    const whole = Array.from({ length: 1_000 }, (_, at) => `${String(at + 1).padStart(4, '0')}-`)
    expect(parts.join('')).toBe(whole.join(''))
  })

  test('OUT-09 of an endless line a search shows what stands around the match, and where it is', async () => {
    const model = createScriptedModel((request) => {
      const last = request.messages.at(-1)
      if (last?.role !== 'tool') {
        return call('bash', { command: 'for i in $(seq 9000); do printf "%04d-" $i; done' })
      }
      if (last.tool !== 'bash') return say(last.text)
      const id = /overflow:\S{36}/.exec(last.text)?.[0]
      return call('read_overflow', { id, pattern: '76[5]4-' })
    })
    const settings = { COUNTERSIGN_TOOLS_OVERFLOW_THRESHOLD: '5000' }
    await using flow = await createFlow({ model, settings })
    await flow.say('go')
    await flow.decide({ kind: 'approve' })
    const answer = flow.platform.answers().at(-1) ?? ''
    const from = 7_653 * 5 - 200
    expect(answer).toContain(`1: [… from character ${from} of `)
    expect(answer).toContain(`offset 0, column ${from} …] `)
    expect(answer).toContain('7653-7654-7655-')
  })

  test('OUT-09 max_overflow_bytes counts bytes: of more, head and tail are kept, and it says so', async () => {
    const settings = {
      COUNTERSIGN_TOOLS_OVERFLOW_THRESHOLD: '1000',
      COUNTERSIGN_TOOLS_OVERFLOW_MAX_OVERFLOW_BYTES: '6000',
    }
    const { flow } = await ran('for i in $(seq 1000); do echo "€€€€"; done', settings)
    await using _flow = flow
    const { content } = await flow.db
      .selectFrom('tool_overflow')
      .select('content')
      .executeTakeFirstOrThrow()
    expect(content.length).toBeLessThan(5_000)
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(6_000)
    expect(Buffer.byteLength(content)).toBeGreaterThan(5_900)
    expect(content.match(/characters were not kept/g)).toHaveLength(1)
  })
})
