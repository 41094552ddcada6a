import { describe, expect, test } from 'vitest'
import { isNamedOnButton } from '../../../src/adapters/chat/render/card-buttons.ts'
import { readCard } from '../../../src/core/card/read-card.ts'
import { english } from '../../../src/domain/messages/messages.ts'
import { cardOf } from '../../adapters/chat/cards/kinds.ts'

/** Whether one tap on Always would grant, on the stored card of a call that asks. */
function isNamed(tool: string, args: Record<string, unknown>): boolean {
  const setting = { permissions: { '*': 'ask' as const } }
  const card = JSON.stringify(cardOf({ name: '', tool, args, says: [], setting }))
  return isNamedOnButton(readCard({ card }), { labelLength: 80, messages: english })
}

describe('Always by one tap', () => {
  test.each([
    'git push origin main',
    'git fetch',
    'npm publish',
    'npm test',
    'python3 x.py',
    'node x.js',
    'make',
    'cargo build',
    './x.sh',
    'terraform apply',
    'kubectl apply -f a.yml',
    'aws s3 cp a b',
    'touch a',
    'mkdir made',
    'sed -n 1p a',
    'git merge topic',
    'rm *',
    'env X=1 ls',
    'git log -p && wc -c a',
  ])('CARD-03 %s: the choice opens first', (command) => {
    expect(isNamed('bash', { command })).toBe(false)
  })

  test.each([
    'git log -p',
    'git commit -m x',
    'cat *',
    'wc -c notes',
    'ls',
    'tsc',
    'ln -s a b',
    'docker ps',
  ])(
    'CARD-03 %s: its pattern is named, as it allows this call alone or what only reads, builds or tests',
    (command) => {
      expect(isNamed('bash', { command })).toBe(true)
    },
  )

  test('CARD-03 a path allows any later content, so that only a call that has nothing else names it', () => {
    expect(isNamed('read', { path: 'a.txt' })).toBe(true)
    expect(isNamed('write', { path: 'a.txt', content: 'hi' })).toBe(false)
    expect(isNamed('fetch', { url: 'https://docs.example/a' })).toBe(false)
  })
})
