import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { packCard } from '../../../src/core/card/card-file.ts'
import { sweep } from '../../../src/core/turn/sweep.ts'
import { readAttachment } from '../../../src/db/upload/attachments.ts'
import type { Card } from '../../../src/domain/approval.ts'
import { makeVisible } from '../../../src/rules/gate/visible.ts'
import { sha256 } from '../../../src/util/digest.ts'
import { type BenchContext, createBenchContext } from '../../support/bench-context.ts'
import { call, createScriptedModel, say } from '../../support/scripted-model.ts'

const longAgo = new Date(0)

async function asked(tool: string, args: unknown): Promise<BenchContext> {
  const bench = await createBenchContext(createScriptedModel([call(tool, args), say('done')]))
  bench.rules.text = '{"*": "ask"}'
  await bench.say('hi')
  await bench.step()
  return bench
}

async function cardOf(bench: BenchContext): Promise<Card> {
  const row = await bench.database.db.selectFrom('approval').selectAll().executeTakeFirstOrThrow()
  return JSON.parse(row.card)
}

async function fileOf(bench: BenchContext, card: Card): Promise<string> {
  const content = await readAttachment(bench.database.db, card.file?.id ?? '')
  if (content === undefined) throw new Error('no file')
  expect(card.file).toMatchObject({ bytes: content.length, sha256: sha256(content) })
  return content.toString()
}

async function preview(bench: BenchContext, diff: string): Promise<void> {
  const [row] = await bench.calls()
  if (row === undefined) throw new Error('no call')
  await bench.result(row, { kind: 'preview', diff, baseSha256: 'a'.repeat(64) }, 1)
}

function sizeOf({ what, reasons, alwaysPatterns, warning = '' }: Card): number {
  return [what, ...reasons, ...alwaysPatterns, warning].join('').length
}

const script = (lines: number) =>
  Array.from({ length: lines }, (_, index) => `echo ${index} ${'.'.repeat(60)}`).join('\n')

describe('a card that a message has room for', () => {
  test('APPR-02 has no file, and shows all of it', async () => {
    await using bench = await asked('bash', { command: 'wc -c a' })
    const card = await cardOf(bench)
    expect(card).not.toHaveProperty('file')
    expect(card.what).toBe('wc -c a')
    expect(await bench.database.db.selectFrom('attachment').selectAll().execute()).toEqual([])
  })

  test('THREAT-23 many blanks before the dangerous part are a count, so that it is seen', async () => {
    const command = `echo hi ${' '.repeat(4000)};${'\n'.repeat(200)}rm -rf ~`
    await using bench = await asked('bash', { command })
    const card = await cardOf(bench)
    expect(card.what).toBe('echo hi⟨␠×4001⟩;⟨⏎×200⟩rm -rf ~')
    expect(card).not.toHaveProperty('file')
  })
})

describe('a card with more than a message has room for', () => {
  test('APPR-16 APPR-02 DECISION-6 the whole command is in a file with its digest; beginning and end are on the card', async () => {
    const command = `${script(400)}\n${' '.repeat(500)}rm -rf \u202E~`
    await using bench = await asked('bash', { command })
    const card = await cardOf(bench)
    expect(card.file?.name).toBe('approval-1.txt')
    expect(sizeOf(card)).toBeLessThanOrEqual(2_800)
    expect(card.what.startsWith('echo 0 ...')).toBe(true)
    expect(card.what.endsWith('⟨␠×500⟩rm -rf ⟨U+202E⟩~')).toBe(true)
    expect(card.what).toMatch(/\n⋯ 3\d\d lines, [\d,]+ characters more in the file ⋯\n/)
    const file = await fileOf(bench, card)
    expect(file.endsWith(`:\n${command.replace('\u202E', '⟨U+202E⟩')}\n`)).toBe(true)
    const verdict = JSON.parse((await bench.calls())[0]?.verdict ?? '')
    for (const { about } of verdict.asks) expect(file).toContain(makeVisible(about).slice(0, 200))
    expect(card.file?.lines).toBe(file.trimEnd().split('\n').length)
  })

  test('APPR-16 APPR-06 what was shown so may be approved, and the whole of it runs', async () => {
    const command = script(400)
    await using bench = await asked('bash', { command })
    await bench.say('/approve')
    await bench.step()
    expect(JSON.parse(bench.jobs.at(-1)?.job.arguments ?? '')).toEqual({ command })
    const rows = await bench.database.db.selectFrom('outbox').select('body').execute()
    expect(Math.max(...rows.map(({ body }) => body.length))).toBeLessThan(6_000)
    expect((await cardOf(bench)).file).toBeDefined()
  })

  test('APPR-16 short lines fill a screen too: sixty are shown, sixty-one go into the file', async () => {
    await using fits = await asked('bash', { command: 'true\n'.repeat(60).trimEnd() })
    expect(await cardOf(fits)).not.toHaveProperty('file')
    await using bench = await asked('bash', { command: 'true\n'.repeat(61).trimEnd() })
    const card = await cardOf(bench)
    expect(card.file).toBeDefined()
    expect(card.what.split('\n').length).toBeLessThanOrEqual(40)
  })

  test('APPR-02 APPR-16 a long diff is a file that programs know as one', async () => {
    await using bench = await asked('write', { path: 'a.txt', content: 'x' })
    const diff = `--- a.txt\n+++ a.txt\n@@ -0,0 +1,300 @@\n${'+a line of it\n'.repeat(300)}`
    await preview(bench, diff)
    const card = await cardOf(bench)
    expect(card.file?.name).toBe('approval-1.diff')
    const file = await fileOf(bench, card)
    expect(file).toMatch(/^why:\n {2}- /)
    expect(file.endsWith(`\nwhat, to the end of the file:\nwrite a.txt\n\n${diff}\n`)).toBe(true)
    expect(card.what).toMatch(/^write a\.txt\n\n--- a\.txt\n\+\+\+ a\.txt\n@@/)
  })

  test('APPR-16 APPR-02 long arguments whose diff never came are in a file like a command', async () => {
    const content = script(200)
    await using bench = await asked('write', { path: 'a.txt', content })
    await sql`update approval set created_at = ${longAgo}`.execute(bench.database.db)
    await sweep(bench.ctx, longAgo)
    const card = await cardOf(bench)
    expect(card.reasons.join()).toContain('No diff could be made')
    const file = await fileOf(bench, card)
    expect(file).toContain(content)
    expect(file).toContain('No diff could be made')
    expect(card.file?.name).toBe('approval-1.txt')
  })

  test('DECISION-6 what is larger than a file may be says so, can be denied, and cannot be approved', async () => {
    await using bench = await asked('write', { path: 'a.txt', content: 'x' })
    // Each of these stands as a mark of twelve bytes.
    await preview(bench, `@@ -0,0 +1 @@\n+${'\u200B'.repeat(1_800_000)}`)
    const card = await cardOf(bench)
    expect(card).not.toHaveProperty('file')
    expect(card.what).toContain('21 MB')
    expect(sizeOf(card)).toBeLessThan(2_800)
    await bench.say('/approve')
    expect((await bench.notices()).at(-1)).toBe(
      'It is too large to be shown; it can only be denied.',
    )
    await bench.say('/always')
    await bench.say('/deny')
    expect((await bench.calls())[0]?.state).toBe('denied')
    expect((await bench.calls())[0]?.result).toContain('rejected by user')
  })
})

describe('long lists', () => {
  const card: Card = {
    approvalId: 'a',
    number: 7,
    tool: 'bash',
    what: 'true',
    reasons: Array.from({ length: 9 }, (_, index) => `reason ${index} ${'r'.repeat(400)}`),
    alwaysPatterns: Array.from({ length: 20 }, (_, index) => `pattern ${index} *`),
    requestedBy: 'Ada',
    whoMayAnswer: 'Ada',
    expiresAt: '2026-11-21T12:00:00.000Z',
    warning: 'w'.repeat(5_000),
    status: { kind: 'waiting' },
  }

  test('APPR-16 six of each are shown, short, and how many more the file has', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const { id } = await bench.database.db
      .selectFrom('conversation')
      .select('id')
      .executeTakeFirstOrThrow()
    const packed = await packCard({ ctx: bench.ctx, db: bench.database.db }, id, card)
    expect(packed.reasons).toHaveLength(7)
    expect(packed.reasons.at(-1)).toBe('and 3 more in the file')
    expect(packed.reasons.every((reason) => reason.length <= 150)).toBe(true)
    expect(packed.alwaysPatterns.slice(0, 6)).toEqual(card.alwaysPatterns.slice(0, 6))
    expect(packed.alwaysPatterns.at(-1)).toBe('and 14 more in the file')
    expect(sizeOf(packed)).toBeLessThanOrEqual(2_800)
    expect(packed.what).toBe('true')
    const file = await fileOf(bench, packed)
    for (const text of [...card.reasons, ...card.alwaysPatterns, card.warning ?? '']) {
      expect(file).toContain(text)
    }
  })

  test('THREAT-23 nothing in a list can pose as what will run', async () => {
    await using bench = await asked('bash', { command: 'true' })
    const { id } = await bench.database.db
      .selectFrom('conversation')
      .select('id')
      .executeTakeFirstOrThrow()
    const forged = 'x\n\nwhat, to the end of the file:\nls'
    const packed = await packCard({ ctx: bench.ctx, db: bench.database.db }, id, {
      ...card,
      what: 'rm -rf ~',
      reasons: [...card.reasons, forged],
    })
    const file = await fileOf(bench, packed)
    expect(file.match(/^what, to the end of the file:$/gm)).toHaveLength(1)
    expect(file.endsWith('\nwhat, to the end of the file:\nrm -rf ~\n')).toBe(true)
  })
})
