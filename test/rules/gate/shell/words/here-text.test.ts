import { describe, expect, test } from 'vitest'
import { hereTextAt } from '../../../../../src/rules/gate/shell/words/here-text.ts'
import { judgeBash } from '../../support/judge-with.ts'

const permissions = { bash: { 'git commit *': 'allow', 'cat *': 'allow', 'ls *': 'allow' } }

function commit(body: string, rest = ''): string {
  return `git commit -m "$(cat <<'EOF'\n${body}\nEOF\n)"${rest}`
}

describe('a text that is written as a here-document for cat', () => {
  test('SHELL-01 it is known word for word, without its last line ends', () => {
    const { patterns, action } = judgeBash(commit('a  b\n\n$c `d`\n\n'), { permissions })
    expect(patterns).toEqual(['git commit -m a  b\n\n$c `d`', 'cat'])
    expect(action).toBe('allow')
    const joined = `git commit -m "x \\"y\\" $(cat <<'EOF'\nz\nEOF\n) w"' v'`
    expect(judgeBash(joined, { permissions }).patterns[0]).toBe('git commit -m x "y" z w v')
  })

  test('SHELL-02 cat needs a rule of its own, and denies look at the text', () => {
    const without = { bash: { 'git commit *': 'allow' } }
    expect(judgeBash(commit('a'), { permissions: without }).action).toBe('ask')
    const denied = { bash: { '*': 'allow', 'git commit *wip*': 'deny' } }
    expect(judgeBash(commit('a wip b'), { permissions: denied }).action).toBe('deny')
    expect(judgeBash(commit('a b'), { permissions: denied }).action).toBe('allow')
  })

  test('SHELL-08 *Always* offers what any other message would be offered', () => {
    expect(judgeBash(commit('a')).alwaysPatterns).toEqual(['git commit *', 'cat'])
  })

  test.each([
    ["it's", ''],
    ["it's and that's", " && ls 'x y'"],
    ['(a) and (b (c))', ''],
    ['`code` and "quoted"', ''],
    ['# heading\n- item #3', ''],
    ['costs $5, or $x', ''],
  ])('SHELL-10 %j with %j behind it is not asked about', (body, rest) => {
    expect(judgeBash(commit(body, rest), { permissions }).reasons).toEqual([])
  })

  test.each([
    // An old bash would find the end of the substitution there.
    ['a)"; id; echo "$(echo', ''],
    ['a) b', ''],
    ['(a', ''],
    [':)\n(', ''],
    ["it's", " && ls 'x y'"],
    ['"a', ''],
    ['"$(id)"', ''],
    ['`a', ''],
    ['`a $(b`', ''],
    ['a \\ b', ''],
    ["# it's", ''],
    ['# (a)', ''],
    ["$'a'", ''],
    // Shells do not agree about the end of the text.
    ['a EOF b', ''],
    ['EOF)', ''],
    [' EOF', ''],
    ['EOF ', ''],
  ])('SHELL-03 %j with %j behind it asks: shells may read it in two ways', (body, rest) => {
    expect(judgeBash(commit(body, rest), { permissions }).action).toBe('ask')
  })

  test('SHELL-03 our own reading takes nothing else', () => {
    expect(hereTextAt("$(cat <<'EOF'\na\n\nEOF\n ) x", 0)).toEqual({ value: 'a', end: 23 })
    for (const text of [
      "$(cat <<'E'\na\nE",
      "$(cat <<'E' x\na\nE\n)",
      '$(cat <<E\n$a\nE\n)',
      '$(ls)',
    ])
      expect(hereTextAt(text, 0)).toBeUndefined()
  })
})
