import { describe, expect, test } from 'vitest'
import { judgeBash } from '../../support/judge-with.ts'

function action(command: string, ...allowed: readonly string[]): string {
  const bash = Object.fromEntries(allowed.map((pattern) => [pattern, 'allow']))
  return judgeBash(command, { permissions: { bash } }).action
}

describe('known programs that run another by one of their forms', () => {
  test.each([
    'docker exec web ls',
    'docker exec -it web ls',
    'docker compose exec web ls',
    'docker run --rm alpine ls',
    'kubectl exec pod -- ls',
    'npm exec ls',
    'npx ls',
    'pnpm dlx ls',
    'yarn exec ls',
    'uv run ls',
    'bundle exec ls',
  ])('SHELL-04 %j needs a rule for both', (command) => {
    const program = `${command.split(' ')[0]} *`
    if (command.startsWith('npx')) expect(action(command, program)).toBe('allow')
    else expect(action(command, program)).toBe('ask')
    expect(action(command, 'ls *')).toBe('ask')
    expect(action(command, program, 'ls *')).toBe('allow')
  })

  test.each([
    ['docker exec web rm x', 'docker exec web *'],
    ['npx evil', 'npx *'],
    ['uv run pytest -q', 'uv run pytest *'],
  ])('SHELL-04 a rule that names the form allows %j', (command, pattern) => {
    expect(action(command, pattern)).toBe('allow')
  })

  test.each([
    'docker exec -u root web ls',
    'npm exec --package=evil ls',
    'npm exec --package=evil -- ls',
    'docker exec web sh -c ls',
    'docker exec web xargs ls',
    'go run example.com/ls@latest',
  ])('SHELL-04 %j asks all the same: what runs is not certain', (command) => {
    expect(action(command, 'docker *', 'npm *', 'go *', 'ls *', 'sh *', 'web *')).toBe('ask')
  })

  test('SHELL-04 what has nothing to run needs no more', () => {
    expect(action('docker run hello-world', 'docker *')).toBe('allow')
  })
})
