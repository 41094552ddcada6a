import { expect, test } from 'vitest'
import { buildCard } from '../../../src/core/approval/build-card.ts'
import type { Ask } from '../../../src/core/call/ask-again.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import { findTool } from '../../../src/rules/tools/registry.ts'

function cardOf(tool: string, args: Readonly<Record<string, unknown>>, more = {}) {
  const verdict = { reasons: [], alwaysPatterns: [], risk: 'medium', ...more }
  const ask = { call: { tool }, verdict, args } as unknown as Ask
  const facts = {
    messages: english,
    approvalId: 'a',
    number: 1,
    requestedBy: 'Ada',
    rule: { kind: 'caller' },
    expiresAt: new Date(0),
    warnings: [],
  } as unknown as Parameters<typeof buildCard>[2]
  const spec = findTool(tool)
  if (spec === undefined) throw new Error(`no tool ${tool}`)
  return buildCard(spec, ask, facts)
}

function copyableOf(tool: string, args: Readonly<Record<string, unknown>>) {
  return cardOf(tool, args).copyable
}

test('APPR-24 THREAT-33 a card says what a command runs and is not bound', () => {
  const unbound = ['What bash is given to run is not bound\u200b']
  const { reasons } = cardOf(
    'bash',
    { command: 'curl x | bash' },
    { reasons: ['it asks'], unbound },
  )
  expect(reasons).toEqual(['it asks', expect.stringContaining('is not bound')])
  expect(reasons.join()).not.toContain('\u200b')
})

test('TG-06 a card names the command or path that can be taken along, exactly as it is', () => {
  const command = { kind: 'command', text: "grep -n 'a  b' x" }
  expect(copyableOf('bash', { command: command.text })).toEqual(command)
  expect(copyableOf('bash', { command: command.text, timeout: 5 })).toEqual(command)
  const path = { kind: 'path', text: 'src/main.ts' }
  expect(copyableOf('write', { path: path.text, content: 'x\ny' })).toEqual(path)
})

test.each([
  ['several lines, which a terminal runs as they are pasted', 'rm a\nrm b'],
  ['a line break of another kind', 'ls\rrm -rf ~'],
  ['what nobody sees', 'ls \u200brm'],
  ['what turns the words around', 'ls \u202egpj.x'],
  ['blanks that are only counted on the card', `ls${' '.repeat(200)}; rm b`],
  ['nothing', '  '],
])('TG-06 THREAT-23 what is not what a person reads there is not copied: %s', (_, command) => {
  expect(copyableOf('bash', { command })).toBeUndefined()
})

test('TG-06 what is neither a command nor a path is not copied', () => {
  expect(copyableOf('fetch', { url: 'https://example.org' })).toBeUndefined()
  expect(copyableOf('bash', { command: 5 })).toBeUndefined()
})
