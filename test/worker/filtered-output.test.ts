import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { compileFilters } from '../../src/rules/output/filters/compile-filters.ts'
import { createHarness } from './worker-harness.ts'

const { filters } = compileFilters({
  rules: [
    {
      name: 'noise',
      match: { prefix: 'seq' },
      strategy: { type: 'truncate', max_lines: 10, head: 2, tail: 2 },
    },
  ],
})

async function run(command: string, tool = 'bash') {
  await using made = await createHarness()
  await made.start({ filters })
  const facts = made.facts({ tool })
  await made.send(made.sign(facts, tool === 'bash' ? { command } : { path: command }))
  return await made.outcome(facts.callId)
}

describe('a worker’s filters', () => {
  test('OUT-02 OUT-03 a command’s output is filtered, and the full output is kept too', async () => {
    const outcome = await run('cd . && seq 1 100 2>&1 | cat')
    expect(outcome).toMatchObject({
      kind: 'succeeded',
      envelope: { exit_code: 0, stdout: expect.stringContaining('\n50\n') },
      output: expect.stringContaining('\n50\n'),
      filtered: { rules: [{ name: 'noise', confidence: 'partial' }], linesBefore: 100 },
    })
  })

  test('OUT-05 the exit code and the warning of secrets stay at the end', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const outcome = await run(`seq 1 100; seq 1 100 && seq ${token}`)
    if (outcome.kind !== 'succeeded') throw new Error(outcome.kind)
    expect(outcome.filtered?.text).not.toContain(token)
    expect(outcome.filtered?.text).toMatch(/\[exit code 1\]\n\[secrets were redacted: .*\]$/)
  })

  test('OUT-02 output without a matching rule, or not from a command, is not filtered', async () => {
    expect(await run('printf "%s\\n" a b')).not.toHaveProperty('filtered')
  })

  test('OUT-03 a file that mentions commands is not filtered', async () => {
    await using made = await createHarness()
    await made.start({ filters })
    const facts = made.facts({ tool: 'read' })
    const workspace = join(made.root, 'workspaces', 'conversation-1')
    await mkdir(workspace, { recursive: true })
    await writeFile(join(workspace, 'seq'), '1\n'.repeat(100))
    await made.send(made.sign(facts, { path: 'seq' }))
    expect(await made.outcome(facts.callId)).not.toHaveProperty('filtered')
  })
})
