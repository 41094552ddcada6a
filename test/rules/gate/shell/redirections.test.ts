import { describe, expect, test } from 'vitest'
import { judgeBash } from '../support/judge-with.ts'

const permissions = {
  bash: 'allow',
  write: { '*': 'ask', 'out/*': 'allow', 'out/never/*': 'deny', log: 'allow' },
  read: { '*': 'ask', 'in/*': 'allow', 'out/*': 'allow', '*.env': 'deny' },
}

function action(command: string): string {
  return judgeBash(command, { permissions }).action
}

describe('redirections', () => {
  test.each([
    ['echo x > out/a', 'allow'],
    ['echo x > b', 'ask'],
    ['echo x > out/never/a', 'deny'],
    ['echo x >> out/a', 'allow'],
    ['echo x >> b', 'ask'],
    ['echo x >| out/never/a', 'deny'],
    ['echo x >| b', 'ask'],
    ['ls &> out/a', 'allow'],
    ['ls &> b', 'ask'],
    ['ls &>> out/never/a', 'deny'],
    ['ls >& out/a', 'allow'],
    ['ls >& b', 'ask'],
    ['ls 2> out/a', 'allow'],
    ['ls 2>b', 'ask'],
    ['ls > out/a 2>&1', 'allow'],
    ['ls > out/a 2>b', 'ask'],
    ['> out/a ls', 'allow'],
    ['wc < in/a', 'allow'],
    ['wc < b', 'ask'],
    ['wc < prod.env', 'deny'],
    ['wc <> out/a', 'allow'],
    ['wc <> log', 'ask'],
    ['wc <> in/a', 'ask'],
    ['wc < in/a > out/a', 'allow'],
    ['(ls; pwd) > out/a', 'allow'],
    ['(ls; pwd) > b', 'ask'],
    ['{ ls; pwd; } 2> out/never/x', 'deny'],
    ['for x in 1 2; do ls; done > out/a', 'allow'],
    ['for x in 1 2; do ls; done > b', 'ask'],
    ["ls > 'out/a b'", 'allow'],
    ['ls > "out/a b"', 'allow'],
    ['ls > 1', 'ask'],
    ['ls > out/1', 'allow'],
    ['echo $(ls > b)', 'ask'],
  ])('SHELL-06 %j is judged by the rules for its file: %s', (command, expected) => {
    expect(action(command)).toBe(expected)
  })

  test('SHELL-06 a target starts where cd may have led', () => {
    expect(action('cd out && ls > a')).toBe('ask')
    expect(action('cd out; ls > ../log')).toBe('ask')
    expect(action('cd out && ls > ../log')).toBe('allow')
    expect(action('cd out && ls > ../../log')).toBe('ask')
    expect(action('cd out && ls > ../b')).toBe('ask')
    expect(action('cd out; ls > never/a')).toBe('deny')
    const every = { bash: 'allow', write: 'allow' }
    expect(judgeBash('cd out && ls > a', { permissions: every }).action).toBe('allow')
  })

  test('SHELL-06 the reason says which file, and by which rule', () => {
    const { reasons, risk } = judgeBash('ls > b', { permissions })
    expect(reasons).toEqual(['write "b": a rule of the worker says ask'])
    expect(risk).toBe('medium')
  })

  test('FILE-01 a target where file tools may not go asks', () => {
    const facts = { allowedPaths: ['/workspace/out'] }
    const every = { bash: 'allow', write: 'allow' }
    expect(judgeBash('ls > out/a', { permissions: every, facts }).action).toBe('allow')
    expect(judgeBash('ls > b', { permissions: every, facts }).action).toBe('ask')
  })

  test('GATE-12 what belongs to the product is denied', () => {
    const facts = { protectedPaths: ['/workspace/own'] }
    const every = { bash: 'allow', write: 'allow' }
    expect(judgeBash('ls > own/x', { permissions: every, facts }).action).toBe('deny')
  })

  test.each(['.gitignore', '.dockerignore', 'src/.gitkeep', 'a.txt', 'docs/notes.md'])(
    'SHELL-06 %s gives nobody orders',
    (path) => {
      const every = { bash: 'allow', write: 'allow' }
      expect(judgeBash(`echo x >> ${path}`, { permissions: every }).action).toBe('allow')
    },
  )

  test('SHELL-06 no worker rule makes a redirection into hidden files silent', () => {
    const every = { bash: 'allow', write: 'allow' }
    for (const path of ['.git/config', '~/.bashrc', '.npmrc', 'a/.husky/pre-push', '.ssh/config']) {
      const { action: found, reasons } = judgeBash(`echo x > ${path}`, { permissions: every })
      expect(found).toBe('ask')
      expect(reasons.join()).toContain('programs may take what they run')
    }
  })
})
