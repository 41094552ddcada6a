import { expect, test } from 'vitest'
import { writtenOf } from '../../../../src/rules/gate/paths/judged-paths.ts'
import { factsOf, judgeBash, judgeWith, specOf, workspace } from '../support/judge-with.ts'

/** What the box is told to look at, relative to the workspace. */
function written(command: string) {
  const found = writtenOf({ spec: specOf('bash'), args: { command } }, factsOf())
  const short = (path: string) => (path === workspace ? '.' : path.slice(workspace.length + 1))
  return Object.fromEntries(
    found.map(({ path, from = [] }) => [short(path), from.map(short)] as const),
  )
}

test.each([
  ['cp x a/l/pre-commit', { 'a/l/pre-commit': ['x'] }],
  ['cp -r sub/. .', { '.': ['sub'] }],
  ['mv -t out a b', { out: ['a', 'b'], a: [], b: [] }],
  ['mv -vtout a', { out: ['a'] }],
  ['cp --target-directory=out -- -a b', { out: ['-a', 'b'] }],
  ['rsync -at sub/ out', { out: ['sub'] }],
  ['cd a && install -m 644 x y', { 'a/y': ['a/644', 'a/x'] }],
  ['git mv a b/c', { 'b/c': ['a'], a: [] }],
  ['timeout 5 mv a b', { b: ['a'], a: [] }],
  ['cp -lL a/l y', { 'a/l': [], y: ['a/l'] }],
  ['sort x > a/l', { 'a/l': [] }],
  ['dd if=x of=a/l', { 'a/l': [] }],
  ['tee -a a/l/x', { 'a/l/x': [] }],
  ['split x', { '.': ['x'] }],
  ['sed -i s/a/b/ a/l', { 'a/l': [] }],
  ['curl -O https://h/x --output-dir a', { a: ['x'], '.': ['x'] }],
])('SHELL-11 THREAT-1 the box looks at where %s writes', (command, paths) => {
  expect(written(command)).toMatchObject(paths)
})

test('SHELL-11 the box does not look at what is only read, lies outside, or was asked about by its name', () => {
  expect(written('cat a/l && grep -r x src < a/l; git add a/l; echo a/l')).toEqual({})
  expect(written('cp -r sub/.vscode sub/x out; touch .npmrc ../x')).toMatchObject({
    out: ['sub/x'],
  })
  expect(Object.keys(written('tee .npmrc ../x'))).toEqual([])
})

test('SHELL-11 THREAT-1 a command asks about the files of orders that the box found, whatever rules and grants allow it', () => {
  const permissions = { '*': 'ask', write: 'allow', copy_path: 'allow', bash: { 'cp *': 'allow' } }
  const judge = (...canonical: string[]) =>
    judgeBash('cp x a/l/pre-commit', { permissions, canonical })
  expect(judge().action).toBe('allow')
  expect(judge(`${workspace}/.git/hooks/pre-commit`)).toMatchObject({
    action: 'ask',
    risk: 'high',
    alwaysPatterns: [],
    reasons: ['it may write .git/hooks/pre-commit, from which programs may take what they run'],
  })
  expect(judge(workspace).reasons[0]).toContain('many files')
  expect(judge('/home/ada/.bashrc').reasons[0]).toContain('.bashrc')
  expect(judge('/home/ada/x').reasons[0]).toContain('outside the workspace')
  expect(judge('/home/ada/x').effects).toEqual([{ kind: 'writes_outside', of: '/home/ada/x' }])
  const copy = (...canonical: string[]) =>
    judgeWith('copy_path', { source: 'd', destination: 'e' }, { permissions, canonical }).action
  const own = [`${workspace}/d`, `${workspace}/e`]
  expect(copy(...own)).toBe('allow')
  expect(copy(...own, `${workspace}/e/.vscode`)).toBe('ask')
  expect(copy(...own, workspace)).toBe('ask')
})
