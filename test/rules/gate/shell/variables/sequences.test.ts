import { describe, expect, test } from 'vitest'
import { judgeBash } from '../../support/judge-with.ts'

const allow = { bash: { '*': 'allow', 'rm *': 'deny', 'curl *items/3*': 'deny' } } as const

function action(command: string): string {
  return judgeBash(command, { permissions: allow }).action
}

describe('numbers that stand in the text', () => {
  test.each([
    'for i in $(seq 1 2); do curl localhost:1/items/$i; done',
    'for i in {1..2}; do curl "localhost:1/items/$i"; done',
    'seq 2 | xargs -I{} curl localhost:1/items/{}',
    'seq 2 | xargs -n1 -P4 -I % curl -s localhost:1/items/%/x | sort',
    'seq 1 2 | xargs -n 1 echo',
  ])('SHELL-12 %j is written out round by round', (command) => {
    expect(judgeBash(command, { permissions: allow }).reasons).toEqual([])
  })

  test.each([
    'for i in $(seq 1 5); do curl localhost:1/items/$i; done',
    'for i in {1..5}; do curl localhost:1/items/$i; done',
    'seq 5 | xargs -I{} curl localhost:1/items/{}',
    'seq 1 2 9 | xargs -I{} curl localhost:1/items/{}',
  ])('SHELL-12 SHELL-02 %j is denied where a rule denies one of its rounds', (command) => {
    expect(action(command)).toBe('deny')
  })

  test.each(['fd -e ts -x rm', 'fd -X rm -f', 'case a in a) rm x;; esac'])(
    'SHELL-02 SHELL-04 %j is denied by the rule for the command in it',
    (command) => {
      expect(action(command)).toBe('deny')
    },
  )

  test('SHELL-12 more numbers than are written out may stand in addresses only', () => {
    expect(action('seq 1 500 | xargs -I{} curl -s localhost:1/page/{}')).toBe('allow')
    expect(action('for i in {1..500}; do curl -s localhost:1/page/$i; done')).toBe('allow')
    expect(action('for i in {1..500}; do cat page$i; done')).toBe('ask')
    expect(action('seq 1 500 | xargs -I{} cat page{}')).toBe('ask')
    expect(action('seq 1 500 | xargs -n1 kill')).toBe('ask')
  })
})
