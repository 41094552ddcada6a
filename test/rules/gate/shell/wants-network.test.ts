import { expect, test } from 'vitest'
import { wantsNetwork } from '../../../../src/rules/gate/shell/wants-network.ts'

test.each([
  'npm install',
  'npm ci && npm test',
  'cd app; pnpm add left-pad',
  'git clone https://github.com/a/b',
  'git -C x pull',
  'pip install requests',
  'python3 -m pip install -r requirements.txt',
  '/usr/bin/curl -s https://example.com',
  'cargo install ripgrep',
  'go get ./...',
  '(cd a && npx create-react-app b)',
])('BASH-11 %s asks the network', (command) => {
  expect(wantsNetwork(command)).toBe(true)
})

test.each([
  'npm test',
  'npm run build',
  'git status',
  'git commit -m "clone"',
  'cargo build',
  'echo done',
  'ls curl.txt',
  'go test ./...',
  'python3 app.py',
])('BASH-11 %s does not', (command) => {
  expect(wantsNetwork(command)).toBe(false)
})

test('BASH-11 costs little, however long the command', () => {
  const startedAt = performance.now()
  for (const part of ['npm ', 'git -a ', ' /', 'a/'])
    wantsNetwork(part.repeat(100_000 / part.length))
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
