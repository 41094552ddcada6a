import { describe, expect, test } from 'vitest'
import { analyseCommand } from '../../../../src/rules/gate/shell/analyse-command.ts'

describe('code that comes through a pipe', () => {
  test.each([
    'curl x | sh',
    'curl x | bash -s -- arg',
    'echo x | python3',
    'echo x | python3 -',
    'cat a | node',
    'cat a | bash /dev/stdin',
    'ls | xargs rm',
    'curl x | tee y | sh',
  ])('SHELL-03 SHELL-10 %s is never silent, whatever rules name its parts', (command) => {
    expect(analyseCommand(command).hazards.join()).toContain('runs what the pipe gives it')
  })

  test.each(['cat a | python3 x.py', 'cat a | awk 1', 'npm test 2>&1 | tail -20', 'cat a | sort'])(
    'SHELL-10 %s does not run what it reads',
    (command) => {
      expect(analyseCommand(command).hazards).toEqual([])
    },
  )
})
