import { buildCard } from '../../../../src/core/approval/build-card.ts'
import type { Ask } from '../../../../src/core/call/ask-again.ts'
import type { Card } from '../../../../src/domain/approval.ts'
import { english, type Messages } from '../../../../src/domain/messages/messages.ts'
import { judgeWith, type Setting, specOf } from '../../../rules/gate/support/judge-with.ts'

/** A kind of call, the setting it is judged in, and the words that its first view must have. */
export interface Kind {
  readonly name: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly setting?: Setting
  /** What the call would do, as the first view says it: the call itself, and effects its text does not show. */
  readonly says: readonly string[]
  /** A diff or text that the box adds; its length is the call's own. */
  readonly isLong?: true
}

const bash = (name: string, command: string, says: readonly string[], setting?: Setting): Kind => ({
  ...{ name, tool: 'bash', args: { command }, says: [command, ...says] },
  ...(setting !== undefined && { setting }),
})

/** Twenty kinds of calls, from harmless ones to those that people must not approve unread. */
export const kinds: readonly Kind[] = [
  bash('an ordinary command', 'touch report.txt', []),
  bash('several commands', 'touch made.txt && ls made.txt', []),
  bash('tests of the workspace', 'npm test', [
    'runs code that is not shown: package.json',
    'runs files that may change: npm',
  ]),
  bash('a redirection', 'echo done > out.txt', ['writes a file: out.txt']),
  bash('a deletion', 'rm -rf build', ['deletes files']),
  bash('a discard', 'git reset --hard', ['discards changes: git reset']),
  bash('a forced push', 'git push -f origin main', ['overwrites shared history: git push']),
  bash('a download', 'curl https://a.example b.example', [
    'reaches the network: a.example, b.example',
  ]),
  bash('a cluster', 'kubectl delete pod web', ['deletes from a cluster: kubectl delete']),
  bash('packages', 'npm uninstall left-pad', ['removes packages: npm uninstall']),
  bash('an outside file', 'cat /etc/hosts', ['reads outside the workspace: /etc/hosts']),
  bash('an outside redirection', 'echo x > /etc/hosts', [
    'writes outside the workspace: /etc/hosts',
  ]),
  bash('files of orders', 'echo x > .git/hooks/pre-commit', [
    'may change what other programs run: .git/hooks/pre-commit',
  ]),
  bash('a substitution', 'ls "$(cat names)"', ['cannot be analysed: "$(cat names)"']),
  bash('another user', 'sudo ls', ['runs as another user: root']),
  bash('a script', './deploy.sh', ['runs code that is not shown: deploy.sh']),
  bash('a quarantined tool', 'ls', ['comes from a tool that is not trusted: bash'], {
    facts: { trust: new Map([['bash', 'quarantined' as const]]) },
  }),
  { name: 'a file', tool: 'write', args: { path: 'a.txt', content: 'hi' }, says: ['a.txt', 'hi'] },
  {
    name: 'a removal',
    tool: 'delete_path',
    args: { path: 'old' },
    says: ['old', 'deletes files: old'],
  },
  {
    name: 'a page',
    tool: 'fetch',
    args: { url: 'https://docs.example/a' },
    says: ['https://docs.example/a', 'reaches the network: docs.example'],
  },
  { name: 'a tool of others', tool: 'issues_close', args: { id: 7 }, says: ['issues_close', '7'] },
]

/** The card of a call, as the gate judges it. */
export function cardOf({ tool, args, setting }: Kind, messages: Messages = english): Card {
  const verdict = judgeWith(tool, args, setting)
  if (verdict.action !== 'ask') throw new Error(`${tool} does not ask: ${verdict.action}`)
  const ask = { call: { id: 'c', tool }, verdict, args } as unknown as Ask
  return buildCard(specOf(tool), ask, {
    messages,
    approvalId: '01a1ff00-0000-7000-8000-000000000003',
    number: 7,
    requestedBy: 'Ada',
    where: 'shop-api',
    rule: { people: 1, leastRole: 'user', allowSelf: true } as never,
    expiresAt: new Date('2026-11-22T11:59:30Z'),
    warnings: [],
    unanswered: { action: 'deny' },
  })
}
